//! The parts that containerd 2.4 adds to a pod and its containers. `tests/tests/containerd/samples.rs` compares it with recorded
//! requests.

use nri::api::{Container, PodSandbox};

use super::kubelet::{self, strings};
use super::{image, spec};

/// The folder with the files of every sandbox.
const FILES: &str = "/var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes";
/// The folder with the shared memory of every sandbox.
const SHARED_MEMORY: &str = "/run/containerd/io.containerd.grpc.v1.cri/sandboxes";

/// Completes a pod.
pub(super) fn pod(pod: &mut PodSandbox, number: u64) {
    pod.labels = kubelet::labels(pod);
    pod.labels.extend(strings([
        ("io.cri-containerd.kind", "sandbox"),
        ("oci_runtime_type", "io.containerd.runc.v2"),
    ]));
    pod.annotations = kubelet::pod_annotations(number);
    pod.annotations.extend(strings([
        ("io.kubernetes.cri.container-type", "sandbox"),
        ("io.kubernetes.cri.podsandbox.image-name", image::PAUSE),
        ("io.kubernetes.cri.sandbox-cpu-period", "100000"),
        ("io.kubernetes.cri.sandbox-cpu-quota", "50000"),
        ("io.kubernetes.cri.sandbox-cpu-shares", "512"),
        ("io.kubernetes.cri.sandbox-id", &pod.id),
        (
            "io.kubernetes.cri.sandbox-log-directory",
            &kubelet::log_folder(pod),
        ),
        ("io.kubernetes.cri.sandbox-memory", "134217728"),
        ("io.kubernetes.cri.sandbox-name", &pod.name),
        ("io.kubernetes.cri.sandbox-namespace", &pod.namespace),
        ("io.kubernetes.cri.sandbox-uid", &pod.uid),
    ]));
    let parent = cgroup_parent(pod);
    let path = format!("{parent}/{}", pod.id);
    let linux = pod.linux.get_or_insert_default();
    (linux.cgroup_parent, linux.cgroups_path) = (parent, path);
    linux.namespaces = spec::namespaces("", "", spec::NETWORK);
}

/// Completes a container of a pod.
pub(super) fn container(pod: &PodSandbox, container: &mut Container) {
    container.labels = kubelet::labels(pod);
    container.labels.extend(strings([
        ("io.cri-containerd.kind", "container"),
        ("io.kubernetes.container.name", &container.name),
    ]));
    container.annotations = kubelet::container_annotations();
    container.annotations.extend(strings([
        ("io.kubernetes.cri.container-name", &container.name),
        ("io.kubernetes.cri.container-type", "container"),
        ("io.kubernetes.cri.image-name", image::NAME),
        ("io.kubernetes.cri.sandbox-id", &pod.id),
        ("io.kubernetes.cri.sandbox-name", &pod.name),
        ("io.kubernetes.cri.sandbox-namespace", &pod.namespace),
        ("io.kubernetes.cri.sandbox-uid", &pod.uid),
    ]));
    container.mounts = spec::mounts(
        pod,
        &container.name,
        &format!("{FILES}/{}", pod.id),
        &format!("{SHARED_MEMORY}/{}/shm", pod.id),
    );
    let (ipc, uts) = (
        format!("/proc/{}/ns/ipc", pod.pid),
        format!("/proc/{}/ns/uts", pod.pid),
    );
    let path = format!("{}/{}", cgroup_parent(pod), container.id);
    let linux = container.linux.get_or_insert_default();
    linux.namespaces = spec::namespaces(&ipc, &uts, spec::NETWORK);
    linux.cgroups_path = path;
}

/// Returns the cgroup that the kubelet creates for a burstable pod.
fn cgroup_parent(pod: &PodSandbox) -> String {
    format!("/kubepods/burstable/pod{}", pod.uid)
}
