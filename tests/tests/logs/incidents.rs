//! Incidents: what the log of a runtime says happened to plugins, in sequences as they occur.

use nri_compat::rules::incident;
use nri_compat::sighting::{Interface, Role, Sighting};
use nri_tests::logs::{WRAPS, read};

/// Returns lines of containerd at these seconds, with these messages.
fn lines(messages: &[(u32, &str)]) -> String {
    let line = |(second, message): &(u32, &str)| {
        let (minute, second) = (second / 60, second % 60);
        let message = message.replace('"', "\\\"");
        format!("time=\"2026-03-18T20:{minute:02}:{second:02}Z\" level=error msg=\"{message}\"\n")
    };
    messages.iter().map(line).collect()
}

/// Returns the name and the incidents of each sighting: `10-a: INCIDENT_CLOSED`.
fn found(log: &str) -> Vec<String> {
    let shown = |one: &Sighting| {
        let parts = [&one.index, &one.name];
        let name: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        let rules: Vec<&str> = one.incidents.iter().map(|incident| incident.rule).collect();
        format!("{}: {}", name.join("-"), rules.join(" "))
    };
    read(log.as_bytes()).sightings.iter().map(shown).collect()
}

const REGISTERED: &str = r#"plugin "external:image-policy[7002]" registered as "10-image-policy" (with NRI version v0.12.5)"#;

/// Messages in their order, and what is found in them.
const SEQUENCES: [(&[&str], &[&str]); 12] = [
    (
        &[REGISTERED, "failed to synchronize plugin: context deadline exceeded"],
        &["10-image-policy: INCIDENT_SYNCHRONIZE_TIMEOUT"],
    ),
    (
        &[REGISTERED, "failed to start external plugin: invalid plugin events: 0x2000"],
        &["10-image-policy: INCIDENT_EVENTS_UNKNOWN"],
    ),
    (
        &["failed to start external plugin: plugin registration timed out"],
        &[": INCIDENT_REGISTRATION_TIMEOUT"],
    ),
    (
        // The plugin whose registration failed is not the one that was connected before.
        &[
            REGISTERED,
            r#"plugin "10-image-policy" connected and synchronized"#,
            "failed to start external plugin: failed to register plugin, connection closed",
        ],
        &[": INCIDENT_REGISTRATION_FAILED", "10-image-policy: "],
    ),
    (
        &[
            REGISTERED,
            r#"connection to plugin "external:10-image-policy[7002]" closed"#,
            r#"failed to initialize builtin NRI plugin "image-policy": permission denied"#,
        ],
        &["10-image-policy: INCIDENT_LAUNCH_FAILED INCIDENT_DISCONNECTED"],
    ),
    (
        &[r#"plugins "10-a" and "20-b" both tried to set env (A)"#],
        &["10-a: INCIDENT_CONFLICT", "20-b: INCIDENT_CONFLICT"],
    ),
    (
        &[
            "closing plugin 10-a, failed to handle event 4: context deadline exceeded",
            "plugin 20-b failed to handle CreateContainer request, proceeding without it: ttrpc: closed",
        ],
        &["10-a: INCIDENT_EVENT_TIMEOUT", "20-b: INCIDENT_EVENT_SKIPPED"],
    ),
    (
        &[
            "NRI interface is disabled by configuration.",
            "connection from external plugins disabled",
            "NRI update of k8s.io container 0123 failed",
        ],
        &[": INCIDENT_UPDATE_FAILED INCIDENT_CONNECTIONS_DISABLED INCIDENT_NRI_DISABLED"],
    ),
    (
        // The words of `nri-adaptation`.
        &[
            "external plugin registered as 10-image-policy (with NRI version v0.12.5)",
            "failed to start external plugin: plugin 10-image-policy: failed to configure plugin: no such class",
            "external plugin registered as 20-numa (with NRI version unknown)",
            "failed to synchronize plugin: context deadline exceeded",
        ],
        &["10-image-policy: INCIDENT_CONFIGURE_FAILED", "20-numa: INCIDENT_SYNCHRONIZE_TIMEOUT"],
    ),
    (
        // Runtimes before NRI v0.12 keep the connection of a plugin that they could not
        // synchronize.
        &[
            "synchronizing plugin 05-controller",
            "failed to synchronize plugin: context deadline exceeded",
            r#"plugin "05-controller" connected"#,
        ],
        &["05-controller: INCIDENT_SYNCHRONIZE_TIMEOUT"],
    ),
    (
        // The words of ttrpc are about NRI only after those of the stub.
        &[
            "Configuring plugin 05-controller for runtime containerd/v1.7.16...",
            "Started plugin 05-controller...",
            "failed to discard after receiving oversized message: cannot allocate memory",
            "failed to discard after receiving oversized message: cannot allocate memory",
        ],
        &["05-controller: INCIDENT_SYNCHRONIZE_TOO_LARGE"],
    ),
    (
        // Other applications have plugins, too.
        &[
            "failed to register plugin: timeout",
            "plugin registration timed out",
            "failed to synchronize plugin: no route",
            "closing plugin device, failed to handle request",
            "loading plugin io.containerd.nri.v1.nri",
            "NRI is the name of an institute",
            "failed to discard after receiving oversized message: cannot allocate memory",
            "Started plugin controller...",
            r#"connection to database "10-a" closed"#,
        ],
        &[],
    ),
];

#[test]
fn each_sequence_has_its_incidents() {
    for (messages, expected) in SEQUENCES {
        let numbered: Vec<(u32, &str)> = (0..).zip(messages.iter().copied()).collect();
        assert_eq!(found(&lines(&numbered)), expected, "{messages:?}");
    }
}

#[test]
fn every_sample_is_found_as_its_incident_in_every_wrapper() {
    for known in incident::all() {
        let wordings = known.wordings.iter().filter(|wording| !wording.needs_plugin);
        for sample in wordings.flat_map(|wording| &wording.samples) {
            for (wrapper, wrap, _) in WRAPS {
                let text = lines(&[(0, sample)]);
                let log = read(wrap(text.trim_end()).as_bytes());
                let mut incidents = log.sightings.iter().flat_map(|one| &one.incidents);
                let is_found = incidents.any(|found| found.rule == known.rule.id);
                assert!(is_found, "{}, {wrapper}: {sample}: {:?}", known.rule.id, log.sightings);
            }
        }
    }
}

#[test]
fn a_plugin_that_registers_again_and_again_flaps_with_its_period() {
    let closed = r#"connection to plugin "10-image-policy" closed"#;
    let lives: Vec<(u32, &str)> =
        (0..4).flat_map(|life| [(life * 320, REGISTERED), (life * 320 + 9, closed)]).collect();
    let log = read(lines(&lives).as_bytes());
    let [one] = log.sightings.as_slice() else { panic!("{:?}", log.sightings) };
    let flapping = one.incidents.iter().find(|incident| incident.rule == "INCIDENT_FLAPPING");
    let detail = flapping.map(|incident| incident.detail.as_str());
    assert_eq!(detail, Some("it registered 4 times, every 5m 20s, and ended 4 times"));
    // A runtime that was restarted twice, and logs no end, does not count.
    let starts: Vec<(u32, &str)> = (0..3).map(|life| (life * 320, REGISTERED)).collect();
    let restarted = read(lines(&starts).as_bytes());
    assert_eq!(restarted.sightings[0].incidents, []);
}

#[test]
fn no_warning_is_never_said_of_a_plugin_that_was_closed_or_refused() {
    for (message, expected) in [
        (
            "closing plugin 10-a, failed to handle StopContainer request: ttrpc: closed",
            "the runtime closed it",
        ),
        (
            r#"failed to start pre-installed NRI plugin "10-a": plugin registration timed out"#,
            "the runtime did not accept it",
        ),
        (
            "plugin 10-a failed to handle StopContainer request, proceeding without it: EOF",
            "no warning about it",
        ),
    ] {
        let log = read(lines(&[(0, message)]).as_bytes());
        let Interface::Unknown(why) = &log.sightings[0].interface else { panic!("{message}") };
        let reason = why.to_string();
        assert!(reason.starts_with(expected), "{message}: {reason}");
    }
}

#[test]
fn what_names_no_plugin_is_about_the_runtime() {
    let log = read(lines(&[(0, "NRI interface is disabled by configuration.")]).as_bytes());
    let [one] = log.sightings.as_slice() else { panic!("{:?}", log.sightings) };
    assert_eq!((one.role, &one.interface), (Role::Runtime, &Interface::None));
}

#[test]
fn the_events_of_a_mask_are_named() {
    let message = "failed to start external plugin: invalid plugin events: 0x41000";
    let log = read(lines(&[(0, message)]).as_bytes());
    assert_eq!(log.sightings[0].incidents[0].events, ["PostUpdatePodSandbox", "event 19"]);
}
