//! Our WebAssembly modules under real containerd.

use nri_tests::containerd;
use nri_tests::node::Launched;
use nri_tests::wasm::module;

const DEPRECATION: &str = "io.containerd.deprecation/nri-plugin-interface";

#[test]
fn containerd_runs_a_module_from_its_plugin_directory() {
    let every_event = module("nri-tests-wasm", "every_event");
    let pod_name = module("nri-example-wasm", "pod-name");
    let plugins =
        [("10-every-event.wasm", &every_event, "some text"), ("20-pod-name", &pod_name, "")]
            .map(|(full_name, executable, config)| Launched { full_name, executable, config });
    let mut containerd = containerd::start("v2.4.2", &plugins);
    let pod = containerd.run_pod("first", &[]);
    let container = containerd.create(&pod, "main", &[]);
    containerd.request("start", &container);
    let spec = containerd::ctr(&containerd, &["-n", "k8s.io", "container", "info", &container]);
    assert!(spec.contains("POD_NAME=first"), "{spec}");
    for verb in ["update", "stop", "remove"] {
        containerd.request(verb, &container);
    }
    containerd.remove_pod(&pod);
    let log = containerd.log().to_vec();
    let events = log.iter().filter_map(|line| line.split_once("event "));
    let names: Vec<_> =
        events.filter_map(|(_, event)| event.split_once(" first/")).map(|(name, _)| name).collect();
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
    assert_eq!(names, expected);
    let deprecations = containerd::deprecation_ids(&containerd);
    assert!(!deprecations.iter().any(|id| id == DEPRECATION), "{deprecations:?}");
}
