//! The Go peers with each other: the harness on plugins that are known to be correct.
//!
//! A test of a Rust plugin can trust whatever these tests hold.

use std::time::Duration;

use nri_tests::matrix::life_of;
use nri_tests::peers::{self, NRI_RELEASES};
use nri_tests::plugin::Plugin;
use nri_tests::runtime::Runtime;
use serde_json::{Value, json};

const NEWEST: &str = "v0.12.5";

/// Returns the calls of one life of a pod, as a runtime of this release makes them.
fn expected_calls(release: &str) -> Vec<&'static str> {
    match release {
        "v0.6.1" | "v0.8.0" => [
            &["StateChange", "CreateContainer"][..],
            &["StateChange"; 3],
            &["UpdateContainer", "StateChange", "StopContainer"],
            &["StateChange"; 3],
        ]
        .concat(),
        "v0.11.0" => [
            &["StateChange", "UpdatePodSandbox", "StateChange"][..],
            &["CreateContainer", "ValidateContainerAdjustment"],
            &["StateChange"; 3],
            &["UpdateContainer", "StateChange", "StopContainer"],
            &["StateChange"; 3],
        ]
        .concat(),
        _ => life_of(release),
    }
}

fn external(runtime: &mut Runtime, nri: &str, more: &[&str]) -> Plugin {
    let plugin = Plugin::external(&peers::plugin(nri), &runtime.socket(), "10-peer", more);
    runtime.wait_for_plugin("10-peer");
    runtime.calls();
    plugin
}

fn failed_steps(steps: &[Value]) -> Vec<&Value> {
    steps.iter().filter(|step| step.get("error").is_some()).collect()
}

#[test]
fn every_release_relays_every_event_in_order_to_an_external_plugin() {
    for release in NRI_RELEASES {
        let mut runtime = Runtime::started(release);
        let mut plugin = external(&mut runtime, release, &[]);
        let steps = runtime.lifecycle();
        assert_eq!(failed_steps(&steps), Vec::<&Value>::new(), "{release}");
        assert_eq!(runtime.methods(), expected_calls(release), "{release}");
        plugin.wait_for("the last event", |line| line["event"] == "RemovePodSandbox");
    }
}

#[test]
fn an_event_that_a_runtime_does_not_know_makes_it_drop_the_plugin() {
    let mut runtime = Runtime::started("v0.8.0");
    let mut plugin = Plugin::external(
        &peers::plugin(NEWEST),
        &runtime.socket(),
        "10-peer",
        &["--events", "all"],
    );
    runtime.wait_for("the refusal", |line| {
        let text = line["text"].as_str().unwrap_or_default();
        text.ends_with("invalid plugin events: 0x3800")
    });
    plugin.wait();
}

#[test]
fn a_plugin_is_told_what_the_runtime_calls_itself() {
    let mut runtime = Runtime::named("v0.8.0", "containerd", "v1.7.35");
    runtime.start();
    let mut plugin = external(&mut runtime, "v0.8.0", &[]);
    let configured = plugin.wait_for("its configuration", |line| line["event"] == "Configure");
    assert_eq!(
        (&configured["runtime"], &configured["version"]),
        (&json!("containerd"), &json!("v1.7.35"))
    );
}

#[test]
fn every_release_launches_a_plugin_with_its_configuration() {
    for release in NRI_RELEASES {
        let mut runtime = Runtime::new(release);
        runtime.install("20-peer", &peers::plugin(NEWEST), "--events CreateContainer --annotate 2");
        runtime.start();
        runtime.wait_for_plugin("20-peer");
        runtime.calls();
        let steps = runtime.lifecycle();
        assert_eq!(runtime.methods(), ["CreateContainer"], "{release}");
        let create = steps.iter().find(|step| step["event"] == "CreateContainer").expect("step");
        let annotations = &create["response"]["adjust"]["annotations"];
        let added = json!({"example.org/added-0": "value-0", "example.org/added-1": "value-1"});
        assert_eq!(annotations, &added, "{release}");
    }
}

#[test]
fn a_runtime_with_dedicated_calls_falls_back_for_an_old_plugin_and_says_so() {
    let mut runtime = Runtime::started(NEWEST);
    let _plugin = external(&mut runtime, "v0.11.0", &["--events", "RunPodSandbox,CreateContainer"]);
    runtime.log();
    assert_eq!(failed_steps(&runtime.lifecycle()), Vec::<&Value>::new());
    let calls = runtime.calls();
    let seen: Vec<_> = calls.iter().map(|call| (&call["method"], &call["code"])).collect();
    let expected = [
        (&json!("RunPodSandbox"), &json!("Unimplemented")),
        (&json!("StateChange"), &json!("OK")),
        (&json!("CreateContainer"), &json!("OK")),
    ];
    assert_eq!(seen, expected);
    let warning =
        "plugin 10-peer uses deprecated StateChange instead of a dedicated RunPodSandbox RPC call";
    assert!(runtime.log().iter().any(|line| line == warning));
}

#[test]
fn requests_arrive_intact_at_every_size() {
    for release in NRI_RELEASES {
        let mut runtime = Runtime::started(release);
        let mut plugin = external(&mut runtime, NEWEST, &["--events", "CreateContainer"]);
        for bytes in [4095, 4096, 4097, 8192, 65_535, 1 << 20, (4 << 20) - 1, 4 << 20] {
            runtime.fire_sized("CreateContainer", bytes).expect("a size within the limit");
            assert_eq!(runtime.calls()[0]["request_bytes"], bytes, "{release}");
            let event = plugin.wait_for("the event", |line| line["event"] == "CreateContainer");
            assert_eq!(event["intact"], true, "{release}, {bytes} bytes: {event}");
        }
    }
}

#[test]
fn an_oversized_request_is_refused_before_it_is_sent() {
    for release in &NRI_RELEASES[1..] {
        let mut runtime = Runtime::started(release);
        let _plugin = external(&mut runtime, NEWEST, &["--events", "CreateContainer"]);
        let refused = runtime.fire_sized("CreateContainer", (4 << 20) + 1).expect_err("too large");
        assert!(refused.contains("ResourceExhausted"), "{release}: {refused}");
        runtime.fire_sized("CreateContainer", 4096).expect("the plugin is still there");
    }
}

#[test]
fn responses_come_back_intact_at_every_size() {
    for release in NRI_RELEASES {
        let mut runtime = Runtime::started(release);
        let _plugin = external(&mut runtime, NEWEST, &["--events", "CreateContainer"]);
        for bytes in [4000, 4096, 65_536, 1 << 20, (4 << 20) - 100] {
            let wanted = json!({"peer/adjust-bytes": bytes.to_string()});
            let answer = runtime.fire("CreateContainer", wanted).expect("a size within the limit");
            assert!(runtime.calls()[0]["response_bytes"].as_u64() > Some(bytes), "{release}");
            let added = &answer["response"]["adjust"]["annotations"]["peer/pad"];
            assert_eq!(*added, format!("{bytes} bytes, intact: true"), "{release}");
        }
    }
}

#[test]
fn a_state_of_20_000_pods_is_split_and_assembled() {
    for release in &NRI_RELEASES[1..] {
        let mut runtime = Runtime::started(release);
        runtime.set_state(20_000, 20_000, 0);
        runtime.set_request_timeout(Duration::from_secs(30));
        let mut plugin = Plugin::external(
            &peers::plugin(NEWEST),
            &runtime.socket(),
            "10-peer",
            &["--events", "RunPodSandbox"],
        );
        runtime.wait_for_plugin("10-peer");
        let parts = runtime.methods().iter().filter(|method| *method == "Synchronize").count();
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
fn an_error_fails_the_request_and_a_timeout_drops_the_plugin() {
    let mut runtime = Runtime::started(NEWEST);
    let _plugin = external(&mut runtime, NEWEST, &["--events", "RunPodSandbox"]);
    let error = runtime
        .fire("RunPodSandbox", json!({"peer/error": "no, thanks"}))
        .expect_err("plugin errs");
    assert!(error.contains("no, thanks"), "{error}");
    runtime.set_request_timeout(Duration::from_millis(200));
    runtime
        .fire("RunPodSandbox", json!({"peer/sleep-ms": "1000"}))
        .expect("a timeout is no error by default");
    runtime.calls();
    runtime.fire("RunPodSandbox", json!({})).expect("nobody is left to fail");
    assert_eq!(runtime.methods(), Vec::<String>::new());
}

#[test]
fn the_failure_policy_fails_the_request_and_keeps_the_plugin() {
    let mut runtime = Runtime::started(NEWEST);
    let policy = ["--events", "RunPodSandbox", "--fail-request", "--keep-connected"];
    let _plugin = external(&mut runtime, NEWEST, &policy);
    runtime.set_request_timeout(Duration::from_millis(200));
    let slow = json!({"peer/sleep-ms": "600"});
    let error = runtime.fire("RunPodSandbox", slow).expect_err("the policy fails the request");
    assert!(error.contains("10-peer") && error.contains("RunPodSandbox"), "{error}");
    runtime.set_request_timeout(Duration::from_secs(2));
    runtime.calls();
    runtime.fire("RunPodSandbox", json!({})).expect("the plugin is still there");
    assert_eq!(runtime.methods(), ["RunPodSandbox"]);
}

#[test]
fn updates_arrive_asked_for_or_not() {
    let mut runtime = Runtime::started(NEWEST);
    let mut plugin = external(&mut runtime, NEWEST, &[]);
    let answer = runtime.fire("CreateContainer", json!({"peer/update": "other"})).expect("created");
    assert_eq!(answer["response"]["update"][0]["container_id"], "other");
    for (id, failed) in [("container-1", 0), ("unknown-1", 1)] {
        runtime.fire("PostStartContainer", json!({"peer/unsolicited": id})).expect("started");
        let request = runtime.wait_for("the update", |line| {
            line["method"] == "/nri.pkg.api.v1alpha1.Runtime/UpdateContainers"
        });
        assert_eq!(request["request"]["update"][0]["container_id"], id);
        let answered = plugin.wait_for("the answer", |line| line["event"] == "updated");
        assert_eq!(answered["failed"], failed);
    }
}

#[test]
fn a_runtime_that_crashes_comes_back_on_the_same_socket() {
    let mut runtime = Runtime::started(NEWEST);
    let mut plugin = external(&mut runtime, NEWEST, &[]);
    runtime.restart();
    // The Go stub ends with its connection.
    plugin.wait();
    runtime.start();
    let _plugin = external(&mut runtime, NEWEST, &[]);
    runtime.fire("RunPodSandbox", json!({})).expect("relayed");
    assert_eq!(runtime.methods(), ["RunPodSandbox"]);
}
