//! Rust plugins under Go runtimes of four NRI releases: what they answer arrives as sent.

use crate::interop::{external, is_old, launched, peer, started};
use nri_tests::examples::example;
use nri_tests::peers::{self, NRI_RELEASES};
use nri_tests::plugin::Plugin;
use nri_tests::runtime::Runtime;
use serde_json::{Value, json};

const DEVICES: &str = "
- path: /dev/null-too
  type: c
  major: 1
  minor: 3
  file_mode: 0666
- {path: /dev/other, type: b, major: 7, minor: 0, uid: 1, gid: 2}
";

const MOUNTS: &str = "
- source: /srv/models
  destination: /models
  type: bind
  options: [bind, ro]
";

fn injected(runtime: &mut Runtime, domain: &str) -> Value {
    let annotations = json!({
        format!("devices.{domain}/container.ctr-0"): DEVICES,
        format!("mounts.{domain}/pod"): MOUNTS,
        format!("cdi-devices.{domain}/container.ctr-0"): r#"["example.com/accelerator=0"]"#,
    });
    let mut answer = runtime.fire("CreateContainer", annotations).expect("is created");
    answer["response"]["adjust"].take()
}

fn assert_injected(adjust: &Value, release: &str) {
    let devices = json!([
        {"path": "/dev/null-too", "type": "c", "major": "1", "minor": "3", "file_mode": {"value": 0o666}},
        {"path": "/dev/other", "type": "b", "major": "7", "uid": {"value": 1}, "gid": {"value": 2}},
    ]);
    assert_eq!(adjust["linux"]["devices"], devices, "{release}");
    let mounts = json!([
        {"source": "/srv/models", "destination": "/models", "type": "bind", "options": ["bind", "ro"]},
    ]);
    assert_eq!(adjust["mounts"], mounts, "{release}");
    // CDI devices are newer than this release, which skips them.
    let cdi = if release == "v0.6.1" {
        json!(null)
    } else {
        json!([{"name": "example.com/accelerator=0"}])
    };
    assert_eq!(adjust["CDI_devices"], cdi, "{release}");
}

#[test]
fn the_device_injector_injects_what_annotations_ask_for() {
    for release in NRI_RELEASES {
        let mut runtime = started(release);
        let _injector = external(&mut runtime, &example("device-injector"), &[]);
        assert_injected(&injected(&mut runtime, "noderesource.dev"), release);
        assert_injected(&injected(&mut runtime, "nri.io"), release);
    }
}

#[test]
fn a_launched_device_injector_does_so_as_well() {
    for release in NRI_RELEASES {
        let mut runtime = launched(release, &example("device-injector"), "");
        assert_injected(&injected(&mut runtime, "noderesource.dev"), release);
        let adjust = runtime.fire("CreateContainer", json!({})).expect("is created");
        assert_eq!(adjust["response"]["adjust"]["mounts"], json!(null), "{release}");
    }
}

#[test]
fn an_annotation_that_cannot_be_read_fails_the_container() {
    for release in NRI_RELEASES {
        let mut runtime = started(release);
        let _injector = external(&mut runtime, &example("device-injector"), &[]);
        let annotations = json!({"devices.noderesource.dev/pod": "- path: 1\n  - x"});
        let error = runtime.fire("CreateContainer", annotations).expect_err("is refused");
        assert!(
            error.contains("annotation devices.noderesource.dev/pod of default/pod-0 is invalid"),
            "{release}: {error}"
        );
        runtime.fire("CreateContainer", json!({})).expect("the plugin is still there");
    }
}

#[test]
fn answers_arrive_intact_at_every_size() {
    for release in NRI_RELEASES {
        let mut runtime = started(release);
        let _plugin = external(&mut runtime, peer(), &["--events", "CreateContainer"]);
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
fn updates_arrive_with_the_answers_and_on_their_own() {
    for release in NRI_RELEASES {
        let mut runtime = started(release);
        let mut plugin = external(&mut runtime, peer(), &[]);
        for event in ["CreateContainer", "UpdateContainer", "StopContainer"] {
            let answer = runtime.fire(event, json!({"peer/update": "other"})).expect("is relayed");
            let updates = answer["response"]["update"].as_array().expect("updates");
            let update =
                updates.iter().find(|it| it["container_id"] == "other").expect("the update");
            assert_eq!(
                update["linux"]["resources"]["cpu"]["shares"]["value"], "123",
                "{release}, {event}"
            );
        }
        for (id, failed) in [("container-1", 0), ("unknown-1", 1)] {
            runtime.fire("PostStartContainer", json!({"peer/unsolicited": id})).expect("started");
            let request = runtime.wait_for("the update", |line| {
                line["method"] == "/nri.pkg.api.v1alpha1.Runtime/UpdateContainers"
            });
            assert_eq!(request["request"]["update"][0]["container_id"], id, "{release}");
            let answered = plugin.wait_for("the answer", |line| line["event"] == "updated");
            assert_eq!(answered["failed"], failed, "{release}");
        }
    }
}

#[test]
fn the_validator_refuses_what_another_plugin_did() {
    for release in NRI_RELEASES.into_iter().filter(|release| !is_old(release)) {
        let mut runtime = started(release);
        let _injector = external(&mut runtime, &example("device-injector"), &[]);
        let flags = ["--deny", "devices,mounts"];
        let _validator =
            Plugin::external(&example("validator"), &runtime.socket(), "90-validator", &flags);
        runtime.wait_for_plugin("90-validator");
        let annotations = json!({"mounts.noderesource.dev/pod": MOUNTS});
        let error = runtime.fire("CreateContainer", annotations).expect_err("is refused");
        assert!(error.contains("mounts"), "{release}: {error}");
        runtime.fire("CreateContainer", json!({})).expect("nothing to refuse");
    }
}

#[test]
fn the_validator_refuses_to_run_where_it_would_never_be_asked() {
    for release in NRI_RELEASES.into_iter().filter(|release| is_old(release)) {
        let runtime = started(release);
        let mut validator =
            Plugin::external(&example("validator"), &runtime.socket(), "90-validator", &[]);
        assert_eq!(validator.wait(), Some(1), "{release}");
        let stderr = validator.aside();
        assert!(
            stderr.contains("ValidateContainerAdjustment (since NRI v0.10.0)"),
            "{release}: {stderr}"
        );
    }
}

#[test]
fn go_and_rust_plugins_adjust_the_same_container() {
    for release in NRI_RELEASES {
        let mut runtime = started(release);
        let _injector = external(&mut runtime, &example("device-injector"), &[]);
        let flags = ["--events", "CreateContainer", "--annotate", "2"];
        let _go = Plugin::external(&peers::plugin(release), &runtime.socket(), "20-go", &flags);
        runtime.wait_for_plugin("20-go");
        let adjust = injected(&mut runtime, "noderesource.dev");
        assert_injected(&adjust, release);
        assert_eq!(adjust["annotations"]["example.org/added-1"], "value-1", "{release}");
    }
}
