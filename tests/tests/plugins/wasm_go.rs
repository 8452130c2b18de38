//! Our WebAssembly modules under the Go adaptation, before and after the dedicated RPCs.

use std::time::Duration;

use crate::interop::runtime;
use nri_tests::matrix::life_of;
use nri_tests::runtime::Runtime;
use nri_tests::wasm::module;
use serde_json::{Value, json};

/// The releases that run modules: the first sends StateChange, the second dedicated RPCs.
const RELEASES: [&str; 2] = ["v0.11.0", "v0.12.5"];

/// Returns a runtime that runs the module that logs every event.
fn every_event(release: &str) -> Runtime {
    let module = module("nri-tests-wasm", "every_event");
    let mut runtime = runtime(release);
    runtime.install("10-every-event", &module, "some text");
    runtime.set_state(3, 2, 100);
    runtime.start();
    runtime
}

/// Takes the events that the plugin logged about pod 0.
fn logged(runtime: &mut Runtime) -> Vec<String> {
    let log = runtime.log();
    let events = log.iter().filter_map(|line| line.split_once("event "));
    let names = events.filter_map(|(_, event)| event.split_once(" pod-0/"));
    names.map(|(name, _)| name.to_owned()).collect()
}

fn failed(steps: &[Value]) -> Vec<&Value> {
    let failed = steps.iter().filter(|step| step.get("error").is_some());
    failed.collect()
}

#[test]
fn every_event_arrives_once_and_in_order() {
    for release in RELEASES {
        let mut runtime = every_event(release);
        let log = runtime.log().join("\n");
        assert!(log.contains(r#"configured "some text" under NRI 0.1"#), "{log}");
        assert!(log.contains("synchronized 3 pods, 2 containers"), "{log}");
        let steps = runtime.lifecycle();
        assert_eq!(failed(&steps), Vec::<&Value>::new(), "{release}");
        assert_eq!(logged(&mut runtime), life_of(release), "{release}");
    }
}

#[test]
fn adjustments_arrive() {
    for release in RELEASES {
        let module = module("nri-example-wasm", "pod-name");
        let mut runtime = runtime(release);
        runtime.install("10-pod-name", &module, "MY_POD");
        runtime.start();
        let created = runtime.fire("CreateContainer", json!({})).expect("no error");
        let text = created.to_string();
        assert!(text.contains("MY_POD") && text.contains("pod-0"), "{text}");
    }
}

#[test]
fn an_error_of_a_handler_reaches_the_caller_and_the_plugin_stays() {
    for release in RELEASES {
        let mut runtime = every_event(release);
        for (word, reason) in
            [("fail", "failed on request"), ("wait", "cannot happen in a WebAssembly module")]
        {
            let instruction = json!({"wasm.example.org/do": word});
            let error = runtime.fire("CreateContainer", instruction).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        runtime.log();
        assert!(runtime.fire("CreateContainer", json!({})).is_ok());
        assert!(logged(&mut runtime).contains(&"CreateContainer".to_owned()));
    }
}

#[test]
fn a_panic_is_logged() {
    for release in RELEASES {
        let mut runtime = every_event(release);
        let instruction = json!({"wasm.example.org/do": "panic"});
        assert!(runtime.fire("CreateContainer", instruction).is_err());
        let log = runtime.log().join("\n");
        assert!(log.contains("panicked on request"), "{log}");
    }
}

#[test]
fn a_state_of_several_messages_is_synchronized() {
    for release in RELEASES {
        let module = module("nri-tests-wasm", "every_event");
        let mut runtime = runtime(release);
        runtime.install("10-every-event", &module, "");
        // Twice the largest message of a connection. A busy machine may be slow.
        runtime.set_state(4_000, 4_000, 1_000);
        runtime.set_request_timeout(Duration::from_secs(60));
        runtime.start();
        let log = runtime.log().join("\n");
        assert!(log.contains("synchronized 4000 pods, 4000 containers"), "{log}");
    }
}
