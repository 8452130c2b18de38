//! The parts of a pod and a container that come from its OCI spec: mounts, namespaces, resources.

use super::kubelet;
use nri::api::{
    LinuxCpu, LinuxDeviceCgroup, LinuxMemory, LinuxNamespace, LinuxResources, Mount, OptionalInt64,
    OptionalUInt64, PodSandbox,
};

/// The network namespace of every pod that does not keep one in a file of its own.
pub(super) const NETWORK: &str = "/var/run/netns/conformance";

/// The address of every pod.
pub(super) const ADDRESS: &str = "10.88.0.7";

/// The mounts of every container: type, source, destination and options. The options of bind mounts are shared.
const FILE_SYSTEMS: [(&str, &str, &str, &[&str]); 6] = [
    ("proc", "proc", "/proc", &["nosuid", "noexec", "nodev"]),
    (
        "tmpfs",
        "tmpfs",
        "/dev",
        &["nosuid", "strictatime", "mode=755", "size=65536k"],
    ),
    (
        "devpts",
        "devpts",
        "/dev/pts",
        &[
            "nosuid",
            "noexec",
            "newinstance",
            "ptmxmode=0666",
            "mode=0620",
            "gid=5",
        ],
    ),
    (
        "mqueue",
        "mqueue",
        "/dev/mqueue",
        &["nosuid", "noexec", "nodev"],
    ),
    (
        "sysfs",
        "sysfs",
        "/sys",
        &["nosuid", "noexec", "nodev", "ro"],
    ),
    (
        "cgroup",
        "cgroup",
        "/sys/fs/cgroup",
        &["nosuid", "noexec", "nodev", "relatime", "ro"],
    ),
];

/// Returns the mounts of a container: file systems, shared memory, and files of the runtime and of the kubelet.
pub(super) fn mounts(
    pod: &PodSandbox,
    container: &str,
    files: &str,
    shared_memory: &str,
) -> Vec<Mount> {
    let kubelet = kubelet::pod_folder(pod);
    let systems = FILE_SYSTEMS.map(|(kind, source, destination, options)| {
        mount(kind, source.to_owned(), destination, options)
    });
    let bound = [
        (shared_memory.to_owned(), "/dev/shm"),
        (format!("{files}/hostname"), "/etc/hostname"),
        (format!("{files}/resolv.conf"), "/etc/resolv.conf"),
        (format!("{kubelet}/etc-hosts"), "/etc/hosts"),
        (
            format!("{kubelet}/containers/{container}/0a1b2c3d"),
            "/dev/termination-log",
        ),
    ]
    .map(|(source, destination)| mount("bind", source, destination, &["rbind", "rprivate", "rw"]));
    systems.into_iter().chain(bound).collect()
}

fn mount(kind: &str, source: String, destination: &str, options: &[&str]) -> Mount {
    Mount {
        r#type: kind.to_owned(),
        source,
        destination: destination.to_owned(),
        options: options.iter().map(ToString::to_string).collect(),
    }
}

/// Returns namespaces with these paths; one without a path is new.
pub(super) fn namespaces(ipc: &str, uts: &str, network: &str) -> Vec<LinuxNamespace> {
    [
        ("pid", ""),
        ("ipc", ipc),
        ("uts", uts),
        ("mount", ""),
        ("network", network),
    ]
    .map(|(kind, path)| LinuxNamespace {
        r#type: kind.to_owned(),
        path: path.to_owned(),
    })
    .into()
}

/// Returns the requests and limits of a container with half a CPU and 128 MiB.
pub(super) fn limits() -> LinuxResources {
    LinuxResources {
        cpu: Some(LinuxCpu {
            shares: Some(OptionalUInt64 { value: 512 }),
            quota: Some(OptionalInt64 { value: 50_000 }),
            period: Some(OptionalUInt64 { value: 100_000 }),
            ..LinuxCpu::default()
        }),
        memory: Some(LinuxMemory {
            limit: Some(OptionalInt64 { value: 128 << 20 }),
            swap: Some(OptionalInt64 { value: 128 << 20 }),
            ..LinuxMemory::default()
        }),
        ..LinuxResources::default()
    }
}

/// Returns the limits, with the access to devices that the OCI spec has beside them.
pub(super) fn resources() -> LinuxResources {
    LinuxResources {
        devices: vec![
            device("", None, "rwm", false),
            device("c", Some((1, 3)), "rwm", true),
        ],
        ..limits()
    }
}

fn device(kind: &str, number: Option<(i64, i64)>, access: &str, allow: bool) -> LinuxDeviceCgroup {
    LinuxDeviceCgroup {
        allow,
        r#type: kind.to_owned(),
        major: number.map(|(value, _)| OptionalInt64 { value }),
        minor: number.map(|(_, value)| OptionalInt64 { value }),
        access: access.to_owned(),
    }
}
