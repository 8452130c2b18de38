//! The lines that the stub of a Go plugin writes into the plugin's own log.

use nri_compat::sighting::Interface;
use nri_tests::logs::read;

/// A line, and the incident that it reports.
const LINES: [(&str, Option<&str>); 14] = [
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
    (
        r#"W0410 04:09:05.593916    4959 runtimehooks.go:114] new nri mode runtimehooks server error: failed to validate nri server, err: nri socket path "/host-var-run/nri/nri.sock" does not exist"#,
        Some("INCIDENT_STUB_CONNECT_FAILED"),
    ),
    (
        r#"  Warning  FailedMount  2s (x5 over 10s)  kubelet  MountVolume.SetUp failed for volume "nri-socket" : hostPath type check failed: /var/run/nri/nri.sock is not a socket file"#,
        Some("INCIDENT_STUB_CONNECT_FAILED"),
    ),
    (
        r#"{"level":"error","msg":"no NRI","err":"stat \"/run/nri/nri.sock\": no such file or directory"}"#,
        Some("INCIDENT_STUB_CONNECT_FAILED"),
    ),
    // Nothing failed.
    ("Warning: hostPath type check failed: /var/run/docker.sock is not a socket file", None),
    (r#"time="2026-08-04T09:28:23+08:00" level=info msg="source: /var/run/nri""#, None),
    ("open /opt/nri/plugins: no such file or directory", None),
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

#[test]
fn the_log_of_a_plugin_names_it_and_says_nothing_about_its_interface() {
    let log = r#"time="2024-01-30T11:30:29Z" level=info msg="Created plugin 00-mock-plugin (mock, handles RunPodSandbox,StopPodSandbox)"
time="2024-01-30T11:30:29Z" level=info msg="Registering plugin 00-mock-plugin..."
time="2024-01-30T11:30:29Z" level=info msg="Configuring plugin 00-mock-plugin for runtime containerd/v1.7.16..."
time="2024-01-30T11:30:29Z" level=info msg="Started plugin 00-mock-plugin..."
"#;
    let sightings = read(log.as_bytes()).sightings;
    let [one] = sightings.as_slice() else { panic!("{sightings:?}") };
    assert_eq!((one.index.as_deref(), one.name.as_deref()), (Some("00"), Some("mock-plugin")));
    let Interface::Unknown(why) = &one.interface else { panic!("{one:?}") };
    assert!(why.to_string().starts_with("this log is its own"), "{why}");
    let says = |words: &str| one.evidence.iter().any(|note| note.detail.contains(words));
    assert!(says("it handles RunPodSandbox,StopPodSandbox"), "{:?}", one.evidence);
    assert!(says("its runtime is containerd/v1.7.16, once"), "{:?}", one.evidence);
}
