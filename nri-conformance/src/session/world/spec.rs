//! The parts of a pod and a container that come from its OCI spec: mounts, namespaces, resources.

use super::kubelet;
use nri::api::{
    LinuxCpu, LinuxDeviceCgroup, LinuxMemory, LinuxNamespace, LinuxResources, Mount, OptionalInt64,
    OptionalUInt64, PodSandbox,
};

/// The address of every pod.
pub(super) const ADDRESS: &str = "10.88.0.7";

/// The file systems of every container: type, destination and options.
const FILE_SYSTEMS: [(&str, &str, &str); 6] = [
    ("proc", "/proc", "nosuid,noexec,nodev"),
    ("tmpfs", "/dev", "nosuid,strictatime,mode=755,size=65536k"),
    (
        "devpts",
        "/dev/pts",
        "nosuid,noexec,newinstance,ptmxmode=0666,mode=0620,gid=5",
    ),
    ("mqueue", "/dev/mqueue", "nosuid,noexec,nodev"),
    ("sysfs", "/sys", "nosuid,noexec,nodev,ro"),
    (
        "cgroup",
        "/sys/fs/cgroup",
        "nosuid,noexec,nodev,relatime,ro",
    ),
];

/// Returns the file systems of a container.
pub(super) fn file_systems() -> impl Iterator<Item = Mount> {
    let systems = FILE_SYSTEMS.into_iter();
    systems.map(|(kind, destination, options)| mount(kind, kind.to_owned(), destination, options))
}

/// Returns the files of the kubelet in a container.
pub(super) fn volumes(pod: &PodSandbox, container: &str, options: &str) -> [Mount; 2] {
    let folder = kubelet::pod_folder(pod);
    let log = format!("{folder}/containers/{container}/0a1b2c3d");
    [
        bound(format!("{folder}/etc-hosts"), "/etc/hosts", options),
        bound(log, "/dev/termination-log", options),
    ]
}

/// Returns the mount of a file or folder of the node.
pub(super) fn bound(source: String, destination: &str, options: &str) -> Mount {
    mount("bind", source, destination, options)
}

/// Returns a mount with options that commas separate.
fn mount(kind: &str, source: String, destination: &str, options: &str) -> Mount {
    Mount {
        r#type: kind.to_owned(),
        source,
        destination: destination.to_owned(),
        options: options.split(',').map(str::to_owned).collect(),
    }
}

/// Returns namespaces of these types with their paths; one without a path is new.
pub(super) fn namespaces(namespaces: [(&str, String); 5]) -> Vec<LinuxNamespace> {
    let namespaces = namespaces.map(|(kind, path)| LinuxNamespace {
        r#type: kind.to_owned(),
        path,
    });
    namespaces.into()
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

/// Returns the resources of a container: its limits, and no access to devices but those that the spec lists.
pub(super) fn resources() -> LinuxResources {
    LinuxResources {
        devices: vec![no_devices()],
        ..limits()
    }
}

/// Returns the resources of the pause process of a pod, which CRI-O specifies even if it does not run the process.
pub(super) fn pause_resources() -> LinuxResources {
    LinuxResources {
        cpu: Some(LinuxCpu {
            shares: Some(OptionalUInt64 { value: 2 }),
            ..LinuxCpu::default()
        }),
        devices: vec![no_devices()],
        ..LinuxResources::default()
    }
}

/// Returns resources as runtimes pass them on if the kubelet requests them for a pod: with zeros, and without a limit for swap.
pub(super) fn requested(resources: LinuxResources) -> LinuxResources {
    let (cpu, memory) = (
        resources.cpu.unwrap_or_default(),
        resources.memory.unwrap_or_default(),
    );
    LinuxResources {
        cpu: Some(LinuxCpu {
            shares: Some(cpu.shares.unwrap_or_default()),
            quota: Some(cpu.quota.unwrap_or_default()),
            period: Some(cpu.period.unwrap_or_default()),
            ..cpu
        }),
        memory: Some(LinuxMemory {
            limit: Some(memory.limit.unwrap_or_default()),
            swap: None,
            ..memory
        }),
        ..resources
    }
}

fn no_devices() -> LinuxDeviceCgroup {
    LinuxDeviceCgroup {
        access: "rwm".to_owned(),
        ..LinuxDeviceCgroup::default()
    }
}
