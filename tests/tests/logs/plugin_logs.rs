//! The lines that the stub of a Go plugin writes into the plugin's own log.

use nri_tests::logs::read;

/// A line, and the incident that it reports.
const LINES: [(&str, Option<&str>); 8] = [
    (
        "2023/11/20 10:00:00 failed to connect to NRI service: dial unix /var/run/nri/nri.sock: connect: no such file or directory",
        Some("INCIDENT_STUB_CONNECT_FAILED"),
    ),
    (
        r#"time="2025-03-02T10:00:00Z" level=error msg="plugin exited with error failed to connect to NRI service: dial unix /var/run/nri/nri.sock: connect: connection refused""#,
        Some("INCIDENT_STUB_CONNECT_FAILED"),
    ),
    (
        r#"{"level":"error","ts":1746612000.1,"msg":"NRI plugin failed","error":"failed to register with NRI/Runtime: ttrpc: closed"}"#,
        Some("INCIDENT_STUB_REGISTRATION_FAILED"),
    ),
    (
        "E0507 10:00:00.000000       1 driver.go:163] \"NRI plugin failed\" err=\"failed to register with NRI/Runtime: context deadline exceeded\"",
        Some("INCIDENT_STUB_REGISTRATION_FAILED"),
    ),
    (
        r#"time="2025-08-07T10:00:00Z" level=error msg="Plugin subscribed for unhandled events RunPodSandbox,StopPodSandbox (0x3)""#,
        Some("INCIDENT_STUB_EVENTS_UNHANDLED"),
    ),
    (
        "panic: internal error: plugin *main.plugin does not implement any NRI request handlers",
        Some("INCIDENT_STUB_EVENTS_UNHANDLED"),
    ),
    // The plugins of other applications.
    ("failed to register with the service: plugin connection closed", None),
    ("the plugin subscribed for unhandled events of the bus", None),
];

#[test]
fn the_log_of_a_plugin_says_why_it_does_not_run() {
    for (line, expected) in LINES {
        let sightings = read(line.as_bytes()).sightings;
        let incidents = sightings.iter().flat_map(|one| &one.incidents);
        let found: Vec<&str> = incidents.map(|incident| incident.rule).collect();
        assert_eq!(found, Vec::from_iter(expected), "{line}");
    }
}
