//! Rust plugins under Go runtimes of four NRI releases: errors, deadlines, runtimes that go away.

use std::time::Duration;

use crate::interop::{external, launched, peer, started, wait_for_end};
use nri_tests::peers::NRI_RELEASES;
use nri_tests::runtime::Runtime;
use serde_json::json;

const TIMEOUT: Duration = Duration::from_millis(500);

/// Asserts that the plugin still gets events.
fn assert_serves(runtime: &mut Runtime, release: &str) {
    runtime.calls();
    runtime.fire("StopContainer", json!({})).expect("nothing to fail");
    assert_eq!(runtime.methods(), ["StopContainer"], "{release}: the plugin is gone");
}

#[test]
fn errors_and_panics_fail_one_request() {
    for release in NRI_RELEASES {
        let mut runtime = started(release);
        let _plugin = external(&mut runtime, peer(), &[]);
        for (annotation, text) in [("peer/error", "no, thanks"), ("peer/panic", "ouch")] {
            let error = runtime
                .fire("CreateContainer", json!({annotation: text}))
                .expect_err("the plugin errs");
            assert!(error.contains(text), "{release}, {annotation}: {error}");
            assert_serves(&mut runtime, release);
        }
    }
}

#[test]
fn a_slow_handler_fails_one_request_and_keeps_the_plugin() {
    for release in NRI_RELEASES {
        let mut runtime = started(release);
        let plugin = external(&mut runtime, peer(), &[]);
        runtime.set_request_timeout(TIMEOUT);
        let error = runtime
            .fire("RunPodSandbox", json!({"peer/sleep-ms": "5000"}))
            .expect_err("the stub answers for the handler");
        assert!(error.contains("RunPodSandbox"), "{release}: {error}");
        assert_serves(&mut runtime, release);
        assert!(plugin.aside().contains("RunPodSandbox"), "{release}: {}", plugin.aside());
    }
}

#[test]
fn a_slow_handler_may_be_answered_for_with_success() {
    for release in NRI_RELEASES {
        let mut runtime = started(release);
        let _plugin = external(&mut runtime, peer(), &["--ok-on-timeout"]);
        runtime.set_request_timeout(TIMEOUT);
        runtime
            .fire("RunPodSandbox", json!({"peer/sleep-ms": "5000"}))
            .expect("the stub answers with success");
        assert_serves(&mut runtime, release);
    }
}

/// A handler that blocks its thread without telling the stub is what the runtime's own policy is
/// for.
#[test]
fn the_failure_policy_rules_where_even_the_stub_cannot_answer() {
    for release in NRI_RELEASES {
        for (flag, kept) in [("--fail-request", false), ("--keep-connected", true)] {
            let mut runtime = started(release);
            let plugin = external(&mut runtime, peer(), &[flag]);
            runtime.set_request_timeout(TIMEOUT);
            let outcome = runtime.fire("RunPodSandbox", json!({"peer/block-ms": "1000"}));
            let knows = release == "v0.12.5";
            assert_eq!(outcome.is_err(), knows, "{release}, {flag}: {outcome:?}");
            let warned = plugin.aside().contains("failure policy");
            assert_eq!(warned, !knows, "{release}, {flag}: {}", plugin.aside());
            runtime.set_request_timeout(Duration::from_secs(5));
            if knows && kept {
                assert_serves(&mut runtime, release);
            }
        }
    }
}

#[test]
fn an_external_plugin_comes_back_when_the_runtime_does() {
    for release in NRI_RELEASES {
        let mut runtime = started(release);
        let mut plugin = external(&mut runtime, peer(), &[]);
        runtime.restart();
        plugin.wait_for("the loss", |line| line["event"] == "disconnected");
        runtime.set_state(3, 3, 0);
        runtime.start();
        runtime.wait_for_plugin("10-rust");
        plugin.wait_for("the state", |line| line["event"] == "Synchronize" && line["pods"] == 3);
        plugin.wait_for("the return", |line| line["event"] == "reconnected");
        assert_serves(&mut runtime, release);
    }
}

#[test]
fn a_launched_plugin_goes_with_its_runtime() {
    for release in NRI_RELEASES {
        let mut runtime = launched(release, peer(), "--events RunPodSandbox,StopContainer");
        assert_serves(&mut runtime, release);
        let plugins = runtime.children();
        assert_eq!(plugins.len(), 1, "{release}");
        runtime.restart();
        wait_for_end(plugins[0]);
    }
}

#[test]
fn a_plugin_that_is_asked_to_leave_finishes_what_is_under_way() {
    for release in NRI_RELEASES {
        let mut runtime = started(release);
        let mut plugin = external(&mut runtime, peer(), &[]);
        let command = json!({"event": "CreateContainer", "annotations": {"peer/sleep-ms": "300", "peer/adjust-bytes": "10"}});
        let pending = runtime.send("fire", command);
        plugin.wait_for("the event", |line| line["event"] == "CreateContainer");
        plugin.terminate();
        let answer = runtime.answer(pending).expect("is answered");
        assert!(answer["response"]["adjust"]["annotations"]["peer/pad"].is_string(), "{release}");
        assert_eq!(plugin.wait(), Some(0), "{release}");
    }
}
