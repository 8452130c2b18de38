//! The parts of pods and containers that come from the kubelet, under every runtime.

use std::collections::BTreeMap;

use nri::api::PodSandbox;

/// Labels or annotations.
pub(super) type Map = BTreeMap<String, String>;

/// Returns the labels of a pod, which its containers have as well.
pub(super) fn labels(pod: &PodSandbox) -> Map {
    strings([
        ("app", "conformance"),
        ("io.kubernetes.pod.name", &pod.name),
        ("io.kubernetes.pod.namespace", &pod.namespace),
        ("io.kubernetes.pod.uid", &pod.uid),
    ])
}

/// Returns the annotations of a pod. The number of the pod is one of them, so that no two pods have the same.
pub(super) fn pod_annotations(number: u64) -> Map {
    let number = number.to_string();
    strings([
        ("conformance/pod", number.as_str()),
        (
            "kubernetes.io/config.seen",
            "2026-01-01T00:00:00.000000000Z",
        ),
        ("kubernetes.io/config.source", "api"),
    ])
}

/// Returns the annotations of a container.
pub(super) fn container_annotations() -> Map {
    strings([
        ("io.kubernetes.container.hash", "9c3e6f01"),
        ("io.kubernetes.container.restartCount", "0"),
        (
            "io.kubernetes.container.terminationMessagePath",
            "/dev/termination-log",
        ),
        ("io.kubernetes.container.terminationMessagePolicy", "File"),
        ("io.kubernetes.pod.terminationGracePeriod", "30"),
    ])
}

/// Returns the folder of a pod's logs.
pub(super) fn log_folder(pod: &PodSandbox) -> String {
    format!("/var/log/pods/{}_{}_{}", pod.namespace, pod.name, pod.uid)
}

/// Returns the folder of a pod's files.
pub(super) fn pod_folder(pod: &PodSandbox) -> String {
    format!("/var/lib/kubelet/pods/{}", pod.uid)
}

/// Returns owned copies of keys and values.
pub(super) fn strings<const N: usize>(entries: [(&str, &str); N]) -> Map {
    let owned = entries.map(|(key, value)| (key.to_owned(), value.to_owned()));
    owned.into()
}
