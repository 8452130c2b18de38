//! The parts of a pod and its containers that are CRI-O's, with systemd as the manager of cgroups.
//! A pod has the annotations of the kubelet alone, and a container has all annotations of its OCI
//! spec. `tests/tests/containerd/samples.rs` compares it with recorded requests.

use nri::api::{Container, LinuxNamespace, LinuxPids, Mount, PodSandbox};
use serde_json::{Value, json};

use super::shared::{self, strings};

/// The folder of the files of every sandbox.
const STORAGE: &str = "/run/containers/storage/overlay-containers";

/// Completes a pod. It has no process, because CRI-O runs a pause process only for pods whose
/// containers share their processes.
pub(super) fn pod(pod: &mut PodSandbox) {
    pod.pid = 0;
    pod.labels.extend(strings([("io.kubernetes.container.name", "POD")]));
    let parent = slice(pod);
    let path = cgroup(&parent, &pod.id);
    let namespaces = namespaces(pod);
    let linux = pod.linux.get_or_insert_default();
    (linux.cgroup_parent, linux.cgroups_path) = (parent, path);
    linux.namespaces = namespaces;
}

/// Completes a container of a pod.
pub(super) fn container(pod: &PodSandbox, container: &mut Container) {
    container.labels.extend(strings([("io.kubernetes.container.name", &container.name)]));
    container.env.insert(1, "TERM=xterm".to_owned());
    container.mounts = mounts(pod, &container.name);
    let json = json_annotations(pod, container);
    container.annotations.extend(json);
    // The labels, and the annotations of the pod, are annotations of the OCI spec as well.
    container.annotations.extend(pod.annotations.clone());
    container.annotations.extend(container.labels.clone());
    container.annotations.extend(own_annotations(pod, container));
    let path = cgroup(&slice(pod), &container.id);
    let linux = container.linux.get_or_insert_default();
    linux.namespaces = namespaces(pod);
    linux.cgroups_path = path;
    let resources = linux.resources.get_or_insert_default();
    resources.pids = Some(LinuxPids { limit: -1 });
}

fn own_annotations(pod: &PodSandbox, container: &Container) -> shared::Map {
    let name = &container.name;
    let log = format!("{}/{name}/0.log", shared::log_folder(pod));
    let long_name = format!("k8s_{name}_{}_{}_{}_0", pod.name, pod.namespace, pod.uid);
    let sandbox_name = format!("k8s_{}_{}_{}_0", pod.name, pod.namespace, pod.uid);
    let resolv_conf = format!("{}/resolv.conf", files(pod));
    let mount_point = format!("/var/lib/containers/storage/overlay/{}/merged", container.id);
    let metadata = format!(r#"{{"name":"{name}"}}"#);
    let image_id = shared::CONFIG_DIGEST.trim_start_matches("sha256:");
    let image_digest = format!("docker.io/library/busybox@{}", shared::DIGEST);
    strings([
        ("io.container.manager", "cri-o"),
        ("io.kubernetes.cri-o.ContainerID", &container.id),
        ("io.kubernetes.cri-o.ContainerType", "container"),
        ("io.kubernetes.cri-o.Created", "2026-01-01T00:00:00.000000000Z"),
        ("io.kubernetes.cri-o.IP.0", shared::ADDRESS),
        ("io.kubernetes.cri-o.Image", image_id),
        ("io.kubernetes.cri-o.ImageName", shared::IMAGE),
        ("io.kubernetes.cri-o.ImageRef", image_id),
        ("io.kubernetes.cri-o.ImageRepoDigests", &image_digest),
        ("io.kubernetes.cri-o.LogPath", &log),
        ("io.kubernetes.cri-o.Metadata", &metadata),
        ("io.kubernetes.cri-o.MountPoint", &mount_point),
        ("io.kubernetes.cri-o.Name", &long_name),
        ("io.kubernetes.cri-o.ResolvPath", &resolv_conf),
        ("io.kubernetes.cri-o.SandboxID", &pod.id),
        ("io.kubernetes.cri-o.SandboxName", &sandbox_name),
        ("io.kubernetes.cri-o.SeccompProfilePath", "Unconfined"),
        ("io.kubernetes.cri-o.Stdin", "false"),
        ("io.kubernetes.cri-o.StdinOnce", "false"),
        ("io.kubernetes.cri-o.TTY", "false"),
        // runc takes properties of the unit of a container from these.
        ("org.systemd.property.After", "['crio.service']"),
        ("org.systemd.property.DefaultDependencies", "true"),
        ("org.systemd.property.TimeoutStopUSec", "uint64 30000000"),
        ("platform-runtime-path.crio.io", ""),
    ])
}

/// Returns the annotations that hold other parts of a container as JSON: its labels, its
/// annotations as the kubelet sent them, and the mounts that the kubelet asked for.
fn json_annotations(pod: &PodSandbox, container: &Container) -> shared::Map {
    let folder = shared::pod_folder(pod);
    let volumes: Vec<Value> = container
        .mounts
        .iter()
        .filter(|mount| mount.source.starts_with(&folder))
        .map(|mount| {
            json!({
                "container_path": mount.destination,
                "host_path": mount.source,
                "readonly": mount.options.iter().any(|option| option == "ro"),
                "recursive_read_only": false,
                "propagation": 0,
                "selinux_relabel": false,
            })
        })
        .collect();
    strings([
        ("io.kubernetes.cri-o.Annotations", &json!(container.annotations).to_string()),
        ("io.kubernetes.cri-o.Labels", &json!(container.labels).to_string()),
        ("io.kubernetes.cri-o.Volumes", &json!(volumes).to_string()),
    ])
}

/// Returns the mounts of a container: file systems, files of CRI-O, and files of the kubelet.
fn mounts(pod: &PodSandbox, container: &str) -> Vec<Mount> {
    const PLAIN: &str = "rw,bind";
    const SAFE: &str = "rw,bind,nodev,nosuid,noexec";
    let files = files(pod);
    let own = [
        ("shm", "/dev/shm", PLAIN),
        ("resolv.conf", "/etc/resolv.conf", SAFE),
        ("hostname", "/etc/hostname", PLAIN),
        (".containerenv", "/run/.containerenv", PLAIN),
    ]
    .map(|(file, destination, options)| {
        shared::mount("bind", format!("{files}/{file}"), destination, options)
    });
    let volumes = shared::volumes(pod, container, "rbind,rprivate,rw,bind");
    shared::file_systems().chain(own).chain(volumes).collect()
}

/// Returns the folder of the files of a sandbox.
fn files(pod: &PodSandbox) -> String {
    format!("{STORAGE}/{}/userdata", pod.id)
}

/// Returns the namespaces of a pod, which its containers join: CRI-O keeps each in a file that is
/// named after one UUID.
fn namespaces(pod: &PodSandbox) -> Vec<LinuxNamespace> {
    let file = |kind: &str| format!("/var/run/{kind}ns/{}", pod.uid);
    shared::namespaces([
        ("pid", String::new()),
        ("network", file("net")),
        ("ipc", file("ipc")),
        ("uts", file("uts")),
        ("mount", String::new()),
    ])
}

/// Returns the systemd slice that the kubelet creates for a burstable pod.
fn slice(pod: &PodSandbox) -> String {
    format!("kubepods-burstable-pod{}.slice", pod.uid.replace('-', "_"))
}

/// Returns the path of a cgroup as runc takes it for systemd: slice, prefix and name.
fn cgroup(slice: &str, id: &str) -> String {
    format!("{slice}:crio:{id}")
}
