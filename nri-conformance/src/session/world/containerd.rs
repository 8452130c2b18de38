//! The parts that containerd 2.4 adds to a pod and its containers.
//! `tests/tests/containerd/samples.rs` compares it with recorded requests.

use nri::api::{Container, LinuxNamespace, Mount, PodSandbox};

use super::shared::{self, strings};

/// The folder with the files of every sandbox.
const FILES: &str = "/var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes";
/// The folder with the shared memory of every sandbox.
const SHARED_MEMORY: &str = "/run/containerd/io.containerd.grpc.v1.cri/sandboxes";
/// The network namespace of every pod.
const NETWORK: &str = "/var/run/netns/conformance";

/// Completes a pod.
pub(super) fn pod(pod: &mut PodSandbox) {
    pod.labels.extend(strings([
        ("io.cri-containerd.kind", "sandbox"),
        ("oci_runtime_type", "io.containerd.runc.v2"),
    ]));
    pod.annotations.extend(strings([
        ("io.kubernetes.cri.container-type", "sandbox"),
        ("io.kubernetes.cri.podsandbox.image-name", shared::PAUSE),
        ("io.kubernetes.cri.sandbox-cpu-period", "100000"),
        ("io.kubernetes.cri.sandbox-cpu-quota", "50000"),
        ("io.kubernetes.cri.sandbox-cpu-shares", "512"),
        ("io.kubernetes.cri.sandbox-id", &pod.id),
        ("io.kubernetes.cri.sandbox-log-directory", &shared::log_folder(pod)),
        ("io.kubernetes.cri.sandbox-memory", "134217728"),
        ("io.kubernetes.cri.sandbox-name", &pod.name),
        ("io.kubernetes.cri.sandbox-namespace", &pod.namespace),
        ("io.kubernetes.cri.sandbox-uid", &pod.uid),
    ]));
    let parent = cgroup_parent(pod);
    let path = format!("{parent}/{}", pod.id);
    let linux = pod.linux.get_or_insert_default();
    (linux.cgroup_parent, linux.cgroups_path) = (parent, path);
    linux.namespaces = namespaces("", "");
}

/// Completes a container of a pod.
pub(super) fn container(pod: &PodSandbox, container: &mut Container) {
    container.image = Some(shared::image());
    container.labels.extend(strings([
        ("io.cri-containerd.kind", "container"),
        ("io.kubernetes.container.name", &container.name),
    ]));
    container.annotations.extend(strings([
        ("io.kubernetes.cri.container-name", &container.name),
        ("io.kubernetes.cri.container-type", "container"),
        ("io.kubernetes.cri.image-name", shared::IMAGE),
        ("io.kubernetes.cri.sandbox-id", &pod.id),
        ("io.kubernetes.cri.sandbox-name", &pod.name),
        ("io.kubernetes.cri.sandbox-namespace", &pod.namespace),
        ("io.kubernetes.cri.sandbox-uid", &pod.uid),
    ]));
    container.mounts = mounts(pod, &container.name);
    let (ipc, uts) = (format!("/proc/{}/ns/ipc", pod.pid), format!("/proc/{}/ns/uts", pod.pid));
    let path = format!("{}/{}", cgroup_parent(pod), container.id);
    let linux = container.linux.get_or_insert_default();
    linux.namespaces = namespaces(&ipc, &uts);
    linux.cgroups_path = path;
}

/// Returns the mounts of a container: file systems, files of containerd, and files of the kubelet.
fn mounts(pod: &PodSandbox, container: &str) -> Vec<Mount> {
    const OPTIONS: &str = "rbind,rprivate,rw";
    let files = |file: &str| format!("{FILES}/{}/{file}", pod.id);
    let own = [
        (format!("{SHARED_MEMORY}/{}/shm", pod.id), "/dev/shm"),
        (files("hostname"), "/etc/hostname"),
        (files("resolv.conf"), "/etc/resolv.conf"),
    ]
    .map(|(source, destination)| shared::mount("bind", source, destination, OPTIONS));
    let volumes = shared::volumes(pod, container, OPTIONS);
    shared::file_systems().chain(own).chain(volumes).collect()
}

/// Returns the namespaces of a pod or container, with these paths of those for IPC and for the host
/// name.
fn namespaces(ipc: &str, uts: &str) -> Vec<LinuxNamespace> {
    shared::namespaces([
        ("pid", String::new()),
        ("ipc", ipc.to_owned()),
        ("uts", uts.to_owned()),
        ("mount", String::new()),
        ("network", NETWORK.to_owned()),
    ])
}

/// Returns the cgroup that the kubelet creates for a burstable pod.
fn cgroup_parent(pod: &PodSandbox) -> String {
    format!("/kubepods/burstable/pod{}", pod.uid)
}
