//! The parts of a pod and a container that come from its OCI spec: mounts, namespaces, resources.

use nri::api::{
    LinuxCpu, LinuxDeviceCgroup, LinuxMemory, LinuxNamespace, LinuxResources, Mount, OptionalInt64,
    OptionalUInt64, PodSandbox,
};

/// The mounts of every container: type, source, destination and options. The options of bind mounts are shared.
const FILE_SYSTEMS: [(&str, &str, &str, &[&str]); 7] = [
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
    (
        "tmpfs",
        "shm",
        "/dev/shm",
        &["nosuid", "noexec", "nodev", "mode=1777"],
    ),
];

/// The files that the runtime or the kubelet binds into every container: file in the folder of the pod, destination.
const FILES: [(&str, &str); 4] = [
    ("hostname", "/etc/hostname"),
    ("etc-hosts", "/etc/hosts"),
    ("resolv.conf", "/etc/resolv.conf"),
    ("termination-log", "/dev/termination-log"),
];

/// Returns the mounts of a container.
pub(super) fn mounts(pod: &PodSandbox) -> Vec<Mount> {
    let systems = FILE_SYSTEMS.map(|(kind, source, destination, options)| {
        mount(kind, source.to_owned(), destination, options)
    });
    let files = FILES.map(|(file, destination)| {
        let source = format!("/var/lib/kubelet/pods/{}/{file}", pod.uid);
        mount("bind", source, destination, &["rbind", "rprivate", "rw"])
    });
    systems.into_iter().chain(files).collect()
}

fn mount(kind: &str, source: String, destination: &str, options: &[&str]) -> Mount {
    Mount {
        r#type: kind.to_owned(),
        source,
        destination: destination.to_owned(),
        options: options.iter().map(ToString::to_string).collect(),
    }
}

/// Returns the namespaces of a pod: all are new, except for the network, which has a path.
pub(super) fn pod_namespaces(network: &str) -> Vec<LinuxNamespace> {
    namespaces(&[
        ("pid", ""),
        ("ipc", ""),
        ("uts", ""),
        ("mount", ""),
        ("network", network),
    ])
}

/// Returns the namespaces of a container, which shares three with its pod.
pub(super) fn container_namespaces(pod: &PodSandbox, network: &str) -> Vec<LinuxNamespace> {
    let ipc = format!("/proc/{}/ns/ipc", pod.pid);
    let uts = format!("/proc/{}/ns/uts", pod.pid);
    namespaces(&[
        ("pid", ""),
        ("ipc", &ipc),
        ("uts", &uts),
        ("mount", ""),
        ("network", network),
    ])
}

fn namespaces(list: &[(&str, &str)]) -> Vec<LinuxNamespace> {
    let namespace = |(kind, path): &(&str, &str)| LinuxNamespace {
        r#type: (*kind).to_owned(),
        path: (*path).to_owned(),
    };
    list.iter().map(namespace).collect()
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
