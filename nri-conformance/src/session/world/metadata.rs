//! Labels and annotations that containerd, CRI-O and the kubelet add to a pod and its containers.
//!
//! Those of containerd 2.4.2 are compared with recorded requests in `tests/tests/containerd/samples.rs`; those of
//! CRI-O 1.36 are the annotations of its OCI specs, all of which it shows to plugins.

use std::collections::BTreeMap;

use super::image;
use nri::api::PodSandbox;

type Map = BTreeMap<String, String>;

/// Returns the labels of a pod.
pub(super) fn pod_labels(pod: &PodSandbox) -> Map {
    let mut labels = kubelet_labels(pod);
    labels.extend(strings([
        ("app", "conformance"),
        ("io.cri-containerd.kind", "sandbox"),
        ("oci_runtime_type", "io.containerd.runc.v2"),
    ]));
    labels
}

/// Returns the annotations of a pod. The number of the pod is one of them, so that no two pods have the same.
pub(super) fn pod_annotations(pod: &PodSandbox, number: u64) -> Map {
    let logs = log_folder(pod);
    let number = number.to_string();
    strings([
        ("conformance/pod", number.as_str()),
        (
            "kubernetes.io/config.seen",
            "2026-01-01T00:00:00.000000000Z",
        ),
        ("kubernetes.io/config.source", "api"),
        ("io.kubernetes.cri.container-type", "sandbox"),
        ("io.kubernetes.cri.podsandbox.image-name", image::PAUSE),
        ("io.kubernetes.cri.sandbox-cpu-period", "100000"),
        ("io.kubernetes.cri.sandbox-cpu-quota", "50000"),
        ("io.kubernetes.cri.sandbox-cpu-shares", "512"),
        ("io.kubernetes.cri.sandbox-id", &pod.id),
        ("io.kubernetes.cri.sandbox-log-directory", &logs),
        ("io.kubernetes.cri.sandbox-memory", "134217728"),
        ("io.kubernetes.cri.sandbox-name", &pod.name),
        ("io.kubernetes.cri.sandbox-namespace", &pod.namespace),
        ("io.kubernetes.cri.sandbox-uid", &pod.uid),
    ])
}

/// Returns the labels of a container.
pub(super) fn container_labels(pod: &PodSandbox, name: &str) -> Map {
    let mut labels = kubelet_labels(pod);
    labels.extend(strings([
        ("app", "conformance"),
        ("io.cri-containerd.kind", "container"),
        ("io.kubernetes.container.name", name),
    ]));
    labels
}

/// Returns the annotations of a container.
pub(super) fn container_annotations(pod: &PodSandbox, id: &str, name: &str) -> Map {
    let mut annotations = of_containerd(pod, name);
    annotations.extend(of_kubelet(pod, name));
    annotations.extend(of_crio(pod, id, name));
    annotations
}

fn of_containerd(pod: &PodSandbox, name: &str) -> Map {
    strings([
        ("io.kubernetes.cri.container-name", name),
        ("io.kubernetes.cri.container-type", "container"),
        ("io.kubernetes.cri.image-name", image::NAME),
        ("io.kubernetes.cri.sandbox-id", &pod.id),
        ("io.kubernetes.cri.sandbox-name", &pod.name),
        ("io.kubernetes.cri.sandbox-namespace", &pod.namespace),
        ("io.kubernetes.cri.sandbox-uid", &pod.uid),
    ])
}

fn of_kubelet(pod: &PodSandbox, name: &str) -> Map {
    strings([
        ("io.kubernetes.container.hash", "9c3e6f01"),
        ("io.kubernetes.container.name", name),
        ("io.kubernetes.container.restartCount", "0"),
        (
            "io.kubernetes.container.terminationMessagePath",
            "/dev/termination-log",
        ),
        ("io.kubernetes.container.terminationMessagePolicy", "File"),
        ("io.kubernetes.pod.name", &pod.name),
        ("io.kubernetes.pod.namespace", &pod.namespace),
        ("io.kubernetes.pod.terminationGracePeriod", "30"),
        ("io.kubernetes.pod.uid", &pod.uid),
    ])
}

fn of_crio(pod: &PodSandbox, id: &str, name: &str) -> Map {
    let log = format!("{}/{name}/0.log", log_folder(pod));
    let metadata = format!(r#"{{"name":"{name}"}}"#);
    strings([
        ("io.kubernetes.cri-o.ContainerID", id),
        ("io.kubernetes.cri-o.ContainerType", "container"),
        (
            "io.kubernetes.cri-o.Created",
            "2026-01-01T00:00:00.000000000Z",
        ),
        ("io.kubernetes.cri-o.Image", image::CONFIG_DIGEST),
        ("io.kubernetes.cri-o.ImageName", image::NAME),
        ("io.kubernetes.cri-o.ImageRef", image::CONFIG_DIGEST),
        ("io.kubernetes.cri-o.LogPath", &log),
        ("io.kubernetes.cri-o.Metadata", &metadata),
        ("io.kubernetes.cri-o.SandboxID", &pod.id),
        ("io.kubernetes.cri-o.SandboxName", &pod.name),
        ("io.kubernetes.cri-o.Stdin", "false"),
        ("io.kubernetes.cri-o.TTY", "false"),
    ])
}

fn kubelet_labels(pod: &PodSandbox) -> Map {
    strings([
        ("io.kubernetes.pod.name", pod.name.as_str()),
        ("io.kubernetes.pod.namespace", &pod.namespace),
        ("io.kubernetes.pod.uid", &pod.uid),
    ])
}

/// Returns the folder of a pod's logs, as the kubelet names it.
fn log_folder(pod: &PodSandbox) -> String {
    format!("/var/log/pods/{}_{}_{}", pod.namespace, pod.name, pod.uid)
}

fn strings<const N: usize>(entries: [(&str, &str); N]) -> Map {
    let owned = entries.map(|(key, value)| (key.to_owned(), value.to_owned()));
    owned.into()
}
