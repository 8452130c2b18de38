//! The parts of pods and containers that are the same under every runtime: those from the kubelet,
//! the image, and mounts, namespaces and resources of the OCI spec.

use std::collections::BTreeMap;

use nri::api::{
    Image, LinuxCpu, LinuxDeviceCgroup, LinuxMemory, LinuxNamespace, LinuxResources, Mount,
    PodSandbox,
};

/// The image of the sandbox.
pub(super) const PAUSE: &str = "registry.k8s.io/pause:3.10";
/// The image of the container.
pub(super) const IMAGE: &str = "docker.io/library/busybox:1.37";
/// The digest of its configuration.
pub(super) const CONFIG_DIGEST: &str =
    "sha256:7c1c2a9be0d83e1d4f31f0b1c6f4de1b1f5d0a3a8e5c2f4b6d9e0a1b2c3d4e5f";
/// The digest of its index.
pub(super) const DIGEST: &str =
    "sha256:1d2e3f405162738495a6b7c8d9eafb0c1d2e3f405162738495a6b7c8d9eafb0c";

/// The address of every pod.
pub(super) const ADDRESS: &str = "10.88.0.7";

/// The file systems of every container: type, destination and options.
const FILE_SYSTEMS: [(&str, &str, &str); 6] = [
    ("proc", "/proc", "nosuid,noexec,nodev"),
    ("tmpfs", "/dev", "nosuid,strictatime,mode=755,size=65536k"),
    ("devpts", "/dev/pts", "nosuid,noexec,newinstance,ptmxmode=0666,mode=0620,gid=5"),
    ("mqueue", "/dev/mqueue", "nosuid,noexec,nodev"),
    ("sysfs", "/sys", "nosuid,noexec,nodev,ro"),
    ("cgroup", "/sys/fs/cgroup", "nosuid,noexec,nodev,relatime,ro"),
];

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

/// Returns the annotations of a pod. The number of the pod is one of them, so that no two pods have
/// the same.
pub(super) fn pod_annotations(number: u64) -> Map {
    let number = number.to_string();
    strings([
        ("conformance/pod", number.as_str()),
        ("kubernetes.io/config.seen", "2026-01-01T00:00:00.000000000Z"),
        ("kubernetes.io/config.source", "api"),
    ])
}

/// Returns the annotations of a container.
pub(super) fn container_annotations() -> Map {
    strings([
        ("io.kubernetes.container.hash", "9c3e6f01"),
        ("io.kubernetes.container.restartCount", "0"),
        ("io.kubernetes.container.terminationMessagePath", "/dev/termination-log"),
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

/// Returns the image.
pub(super) fn image() -> Image {
    Image {
        name: IMAGE.to_owned(),
        digest: DIGEST.to_owned(),
        config_digest: CONFIG_DIGEST.to_owned(),
    }
}

/// Returns the file systems of a container.
pub(super) fn file_systems() -> impl Iterator<Item = Mount> {
    FILE_SYSTEMS
        .into_iter()
        .map(|(kind, destination, options)| mount(kind, kind.to_owned(), destination, options))
}

/// Returns the files of the kubelet in a container.
pub(super) fn volumes(pod: &PodSandbox, container: &str, options: &str) -> [Mount; 2] {
    let folder = pod_folder(pod);
    let log = format!("{folder}/containers/{container}/0a1b2c3d");
    [
        mount("bind", format!("{folder}/etc-hosts"), "/etc/hosts", options),
        mount("bind", log, "/dev/termination-log", options),
    ]
}

/// Returns a mount with options that commas separate.
pub(super) fn mount(kind: &str, source: String, destination: &str, options: &str) -> Mount {
    Mount {
        r#type: kind.to_owned(),
        source,
        destination: destination.to_owned(),
        options: options.split(',').map(str::to_owned).collect(),
    }
}

/// Returns namespaces of these types with their paths; one without a path is new.
pub(super) fn namespaces(namespaces: [(&str, String); 5]) -> Vec<LinuxNamespace> {
    let namespaces =
        namespaces.map(|(kind, path)| LinuxNamespace { r#type: kind.to_owned(), path });
    namespaces.into()
}

/// Returns requests and limits as the kubelet sends them, in shares, microseconds and bytes.
pub(super) fn limits(shares: u64, quota: i64, period: u64, memory: i64) -> LinuxResources {
    LinuxResources {
        cpu: Some(LinuxCpu {
            shares: Some(shares),
            quota: Some(quota),
            period: Some(period),
            ..LinuxCpu::default()
        }),
        memory: Some(LinuxMemory { limit: Some(memory), ..LinuxMemory::default() }),
        ..LinuxResources::default()
    }
}

/// Returns the requests and limits of a container with half a CPU and 128 MiB.
pub(super) fn container_limits() -> LinuxResources {
    limits(512, 50_000, 100_000, 128 << 20)
}

/// Returns the resources of a container: its limits, no swap, and no access to devices but those
/// that the spec lists.
pub(super) fn resources() -> LinuxResources {
    let mut resources = container_limits();
    let memory = resources.memory.get_or_insert_default();
    memory.swap = memory.limit;
    resources.devices = vec![no_devices()];
    resources
}

/// Returns the resources of the pause process of a pod, which CRI-O specifies even if it does not
/// run the process.
pub(super) fn pause_resources() -> LinuxResources {
    LinuxResources {
        cpu: Some(LinuxCpu { shares: Some(2), ..LinuxCpu::default() }),
        devices: vec![no_devices()],
        ..LinuxResources::default()
    }
}

fn no_devices() -> LinuxDeviceCgroup {
    LinuxDeviceCgroup { access: "rwm".to_owned(), ..LinuxDeviceCgroup::default() }
}
