//! The example plugins under real containerd, one release with dedicated calls and one without.

use std::fs;
use std::path::Path;

use nri_tests::containerd;
use nri_tests::examples::example;
use nri_tests::node::Launched;
use nri_tests::peers::{self, CONTAINERD_RELEASES};
use nri_tests::plugin::Plugin;
use serde_json::Value;

const DEPRECATION: &str = "io.containerd.deprecation/nri-plugin-interface";

/// Returns the names of a pod's events in the logger's file, in order.
fn logged(file: &Path, pod: &str) -> Vec<String> {
    let text = fs::read_to_string(file).expect("the logger writes its file");
    let lines =
        text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    let events = lines.filter(|line| line["pod"]["id"] == pod);
    events.filter_map(|line| Some(line["event"].as_str()?.to_owned())).collect()
}

#[test]
fn a_launched_logger_sees_the_life_of_a_pod_in_order() {
    for release in CONTAINERD_RELEASES {
        let folder = tempfile::tempdir().expect("temporary folder");
        let file = folder.path().join("events");
        let (logger, legacy) = (example("logger"), example("legacy"));
        let log_file = format!("logFile: {}", file.display());
        let plugins = [("10-logger", &logger, log_file.as_str()), ("20-legacy", &legacy, "")]
            .map(|(full_name, executable, config)| Launched { full_name, executable, config });
        let mut containerd = containerd::start(release, &plugins);
        let pod = containerd.run_pod("first", &[]);
        let container = containerd.create(&pod, "main", &[]);
        for verb in ["start", "update", "stop", "remove"] {
            containerd.request(verb, &container);
        }
        containerd.remove_pod(&pod);
        let expected = [
            "RunPodSandbox",
            "CreateContainer",
            "ValidateContainerAdjustment",
            "PostCreateContainer",
            "StartContainer",
            "PostStartContainer",
            "UpdateContainer",
            "PostUpdateContainer",
            "StopContainer",
            "RemoveContainer",
            "StopPodSandbox",
            "RemovePodSandbox",
        ];
        assert_eq!(logged(&file, &pod), expected, "{release}");
        // Nor is the plugin of the old kind held against us: the stub takes the dedicated calls for
        // it.
        let deprecations = containerd::deprecation_ids(&containerd);
        assert!(!deprecations.iter().any(|id| id == DEPRECATION), "{release}: {deprecations:?}");
        let warnings: Vec<_> = containerd
            .log()
            .iter()
            .filter(|line| line.contains("deprecated=StateChange"))
            .collect();
        assert_eq!(warnings, Vec::<&String>::new(), "{release}");
    }
}

#[test]
fn beside_an_old_go_plugin_only_that_one_is_deprecated() {
    let (logger, old) = (example("logger"), peers::plugin("v0.11.0"));
    let plugins = [("10-logger", &logger), ("20-old", &old)]
        .map(|(full_name, executable)| Launched { full_name, executable, config: "" });
    let mut containerd = containerd::start("v2.4.2", &plugins);
    containerd.lifecycle("first");
    assert!(containerd::deprecation_ids(&containerd).iter().any(|id| id == DEPRECATION));
    let log = containerd.log();
    let warnings: Vec<_> =
        log.iter().filter(|line| line.contains("deprecated=StateChange")).collect();
    assert!(!warnings.is_empty());
    assert!(warnings.iter().all(|line| line.ends_with("plugin=20-old")), "{warnings:#?}");
}

#[test]
fn what_the_device_injector_injects_is_in_the_container() {
    for release in CONTAINERD_RELEASES {
        let mut containerd = containerd::start(release, &[]);
        let mut injector = Plugin::external(
            &example("device-injector"),
            &containerd.nri_socket(),
            "10-injector",
            &[],
        );
        containerd.wait_for_log("plugin \"10-injector\" connected and synchronized");
        let annotation = "devices.noderesource.dev/container.main=[{path: /dev/injected, type: c, major: 1, minor: 3, file_mode: 0640}]";
        let pod = containerd.run_pod("first", &[annotation]);
        let container = containerd.create(&pod, "main", &[]);
        containerd.request("start", &container);
        let seen = containerd.exec(&container, &["/pause", "stat", "/dev/injected"]);
        assert_eq!(seen, "/dev/injected: char 1:3 mode 640", "{release}");
        let other = containerd.create(&pod, "other", &[]);
        containerd.request("start", &other);
        let beside = containerd.exec(&other, &["/pause", "stat", "/dev/injected"]);
        assert!(!beside.contains("char"), "{release}: {beside}");
        containerd.remove_pod(&pod);
        injector.terminate();
        assert_eq!(injector.wait(), Some(0), "{release}");
    }
}
