//! Old and new plugins under real containerd with real pods.

use std::path::Path;
use std::process::Command;

use nri_tests::containerd;
use nri_tests::node::{Launched, Node};
use nri_tests::peers;
use nri_tests::plugin::Plugin;
use serde_json::Value;

const DEPRECATION: &str = "io.containerd.deprecation/nri-plugin-interface";

fn launched(full_name: &'static str, nri: &str, check: impl FnOnce(&mut Node), release: &str) {
    let executable = peers::plugin(nri);
    let mut containerd =
        containerd::start(release, &[Launched { full_name, executable: &executable, config: "" }]);
    containerd.lifecycle("first");
    check(&mut containerd);
}

fn warnings(containerd: &mut Node) -> Vec<String> {
    containerd
        .log()
        .iter()
        .filter(|line| line.contains("deprecated=StateChange"))
        .cloned()
        .collect()
}

/// Returns the verdicts of `nri-compat check` on what containerd says about plugins on its CRI
/// socket.
fn verdicts_by_cri(containerd: &Node) -> Vec<String> {
    let other = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_nri-compat-all"));
    command.arg("check").arg(other).arg("--cri").arg(containerd.socket());
    let output =
        command.args(["--format", "json", "--fail-on", "never"]).output().expect("it runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("the report is JSON");
    let subjects = report["subjects"].as_array().into_iter().flatten();
    let recorded = subjects
        .filter(|subject| subject["kind"] == "log" || subject["kind"] == "deprecation_list");
    let verdicts =
        recorded.flat_map(|subject| subject["verdicts"].as_array().into_iter().flatten());
    let words = verdicts.map(|verdict| {
        let word = |key: &str| verdict[key].as_str().unwrap_or_default().to_owned();
        format!("{}: {}", word("target"), word("verdict"))
    });
    words.collect()
}

#[test]
fn an_old_plugin_is_deprecated_on_a_runtime_that_has_dedicated_calls() {
    launched(
        "10-old",
        "v0.11.0",
        |containerd| {
            assert!(containerd::deprecation_ids(containerd).iter().any(|id| id == DEPRECATION));
            let warnings = warnings(containerd);
            assert!(
                warnings
                    .iter()
                    .any(|line| line.contains("RunPodSandbox") && line.ends_with("plugin=10-old"))
            );
            assert_eq!(warnings.len(), 8, "one for each event: {warnings:#?}");
            let words = verdicts_by_cri(containerd);
            assert_eq!(words, ["containerd@2.4.2: deprecated", "containerd@2.7: removed"]);
        },
        "v2.4.2",
    );
}

#[test]
fn a_new_plugin_is_not_deprecated() {
    launched(
        "10-new",
        "v0.12.5",
        |containerd| {
            assert!(!containerd::deprecation_ids(containerd).iter().any(|id| id == DEPRECATION));
            assert_eq!(warnings(containerd), Vec::<String>::new());
            assert_eq!(verdicts_by_cri(containerd), Vec::<String>::new());
        },
        "v2.4.2",
    );
}

#[test]
fn a_runtime_that_knows_only_state_changes_records_nothing() {
    launched(
        "10-old",
        "v0.11.0",
        |containerd| {
            assert!(!containerd::deprecation_ids(containerd).iter().any(|id| id == DEPRECATION));
            assert_eq!(warnings(containerd), Vec::<String>::new());
        },
        "v2.2.9",
    );
}

#[test]
fn an_external_plugin_sees_the_life_of_a_pod_in_order() {
    for release in peers::CONTAINERD_RELEASES {
        let mut containerd = containerd::start(release, &[]);
        let mut plugin =
            Plugin::external(&peers::plugin("v0.12.5"), &containerd.nri_socket(), "10-seen", &[]);
        plugin.wait_for("the state", |line| line["event"] == "Synchronize");
        containerd.wait_for_log("plugin \"10-seen\" connected and synchronized");
        let pod = containerd.run_pod("first", &[]);
        let container = containerd.create(&pod, "main", &[]);
        containerd.request("start", &container);
        let seen = containerd.exec(&container, &["/pause", "stat", "/dev/null"]);
        assert_eq!(seen, "/dev/null: char 1:3 mode 666");
        for verb in ["stop", "remove"] {
            containerd.request(verb, &container);
        }
        containerd.remove_pod(&pod);
        let last =
            plugin.wait_for("the end of the pod", |line| line["event"] == "RemovePodSandbox");
        assert_eq!(last["pod"], pod);
        let events = plugin.take_all(|line| line["pod"] == pod);
        let names: Vec<_> = events.iter().filter_map(|event| event["event"].as_str()).collect();
        let expected = [
            "RunPodSandbox",
            "CreateContainer",
            "ValidateContainerAdjustment",
            "PostCreateContainer",
            "StartContainer",
            "PostStartContainer",
            "StopContainer",
            "RemoveContainer",
            "StopPodSandbox",
        ];
        assert_eq!(names, expected, "{release}");
    }
}
