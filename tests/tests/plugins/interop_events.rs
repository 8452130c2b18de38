//! Rust plugins under Go runtimes of four NRI releases: registration, and every event once and in
//! order.

use std::fs;
use std::time::Duration;

use crate::interop::{external, is_old, launched, methods, peer, relay_life, started};
use nri_tests::examples::example;
use nri_tests::matrix::life_of;
use nri_tests::peers::NRI_RELEASES;
use nri_tests::plugin::Plugin;
use serde_json::{Value, json};

/// Returns the calls that carry these events, as a runtime of this release makes them.
fn calls_of<'a>(release: &str, events: &[&'a str]) -> Vec<&'a str> {
    const ALWAYS_DEDICATED: [&str; 5] = [
        "UpdatePodSandbox",
        "CreateContainer",
        "ValidateContainerAdjustment",
        "UpdateContainer",
        "StopContainer",
    ];
    let dedicated = |event: &str| release == "v0.12.5" || ALWAYS_DEDICATED.contains(&event);
    let call = |event: &&'a str| {
        if dedicated(event) { *event } else { "StateChange" }
    };
    events.iter().map(call).collect()
}

fn events_of(lines: &[Value]) -> Vec<&str> {
    lines.iter().filter_map(|line| line["event"].as_str()).collect()
}

#[test]
fn the_logger_sees_every_event_once_and_in_order() {
    for release in NRI_RELEASES {
        let mut runtime = started(release);
        let mut logger = external(&mut runtime, &example("logger"), &[]);
        let expected = life_of(release);
        let calls = relay_life(&mut runtime);
        assert_eq!(methods(&calls), calls_of(release, &expected), "{release}");
        let last = logger.wait_for("the last event", |line| line["event"] == "RemovePodSandbox");
        let mut lines = logger.take_all(|line| line["pod"]["id"] == "sandbox-0");
        lines.push(last);
        assert_eq!(events_of(&lines), expected, "{release}");
        let create =
            &lines[expected.iter().position(|it| *it == "CreateContainer").expect("is there")];
        assert_eq!(create["pod"]["name"], "pod-0");
        assert_eq!(create["container"]["name"], "ctr-0");
        assert_eq!(create["container"]["annotations"]["example.org/annotation-3"], "value-3");
    }
}

#[test]
fn a_launched_logger_takes_its_flags_from_its_configuration() {
    let folder = tempfile::tempdir().expect("temporary folder");
    for release in NRI_RELEASES {
        // The output of a launched plugin is lost: the runtime connects it to nothing.
        let file = folder.path().join(release);
        let config = format!("logFile: {}", file.display());
        let mut runtime = launched(release, &example("logger"), &config);
        let expected = life_of(release);
        let calls = relay_life(&mut runtime);
        assert_eq!(methods(&calls), calls_of(release, &expected), "{release}");
        let text = fs::read_to_string(file).expect("logged to the file");
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
        let mut events = events_of(&lines);
        events.retain(|event| *event != "Synchronize");
        assert_eq!(events, expected, "{release}");
    }
}

#[test]
fn the_logger_subscribes_to_the_events_it_is_asked_for() {
    for release in NRI_RELEASES {
        let mut runtime = started(release);
        let flags = ["--events", "StartContainer,run-pod-sandbox,CREATE_CONTAINER"];
        let _logger = external(&mut runtime, &example("logger"), &flags);
        let calls = relay_life(&mut runtime);
        let expected = calls_of(release, &["RunPodSandbox", "CreateContainer", "StartContainer"]);
        assert_eq!(methods(&calls), expected, "{release}");
    }
}

#[test]
fn a_legacy_plugin_gets_everything_as_state_changes_old_runtime_or_new() {
    for release in NRI_RELEASES {
        let mut runtime = started(release);
        let mut legacy = external(&mut runtime, &example("legacy"), &[]);
        let expected: Vec<_> = life_of(release)
            .into_iter()
            .filter(|event| calls_of("v0.8.0", &[event]) == ["StateChange"])
            .collect();
        let calls = relay_life(&mut runtime);
        assert_eq!(methods(&calls), calls_of(release, &expected), "{release}");
        legacy.terminate();
        assert_eq!(legacy.wait(), Some(0), "{release}");
        let log = legacy.aside();
        let seen: Vec<_> = log
            .lines()
            .filter_map(|line| line.split_once(" INFO "))
            .filter(|(_, message)| message.contains("_") && message.contains(" default/pod-"))
            .collect();
        assert_eq!(seen.len(), expected.len(), "{release}: {log}");
        for ((_, line), event) in seen.iter().zip(&expected) {
            assert_eq!(line.split(' ').next().map(plain), Some(plain(event)), "{release}: {line}");
        }
        assert_eq!(log.matches("deprecated since NRI v0.12.0").count(), 1, "{release}: {log}");
    }
}

fn plain(event: &str) -> String {
    event.replace('_', "").to_lowercase()
}

#[test]
fn a_launched_legacy_plugin_is_not_deprecated_by_any_runtime() {
    for release in NRI_RELEASES {
        let mut runtime = launched(release, &example("legacy"), "");
        assert!(!relay_life(&mut runtime).is_empty(), "{release}");
    }
}

#[test]
fn the_template_runs_under_every_release() {
    for release in NRI_RELEASES {
        let mut runtime = started(release);
        let template = external(&mut runtime, &example("template"), &[]);
        relay_life(&mut runtime);
        template.terminate();
        let mut template = template;
        assert_eq!(template.wait(), Some(0), "{release}");
        assert!(template.aside().contains("default/pod-0 runs"), "{release}");
    }
}

#[test]
fn a_state_of_20_000_pods_arrives_whole() {
    for release in &NRI_RELEASES[1..] {
        let mut runtime = started(release);
        runtime.set_state(20_000, 20_000, 0);
        runtime.set_request_timeout(Duration::from_secs(30));
        let mut plugin = Plugin::external(peer(), &runtime.socket(), "10-rust", &[]);
        runtime.wait_for_plugin("10-rust");
        let methods = runtime.methods();
        let parts = methods.iter().filter(|method| *method == "Synchronize").count();
        assert!(parts > 2, "{release}: {parts} parts");
        let event = plugin.wait_for("the state", |line| line["event"] == "Synchronize");
        assert_eq!(
            (&event["pods"], &event["containers"]),
            (&json!(20_000), &json!(20_000)),
            "{release}"
        );
    }
}

#[test]
fn requests_arrive_intact_at_every_size() {
    for release in NRI_RELEASES {
        let mut runtime = started(release);
        let mut plugin = external(&mut runtime, peer(), &["--events", "CreateContainer"]);
        for bytes in [4095, 4096, 4097, 8192, 65_535, 1 << 20, (4 << 20) - 1, 4 << 20] {
            runtime.fire_sized("CreateContainer", bytes).expect("a size within the limit");
            assert_eq!(runtime.calls()[0]["request_bytes"], bytes, "{release}");
            let event = plugin.wait_for("the event", |line| line["event"] == "CreateContainer");
            assert_eq!(event["intact"], true, "{release}, {bytes} bytes: {event}");
        }
    }
}

#[test]
fn one_warning_names_what_the_runtime_is_too_old_for() {
    for release in NRI_RELEASES {
        let mut runtime = started(release);
        let mut plugin = external(&mut runtime, &example("logger"), &["--quiet"]);
        plugin.terminate();
        assert_eq!(plugin.wait(), Some(0), "{release}");
        let warnings = plugin.aside().matches("does not know UpdatePodSandbox").count();
        assert_eq!(warnings, usize::from(is_old(release)), "{release}: {}", plugin.aside());
    }
}
