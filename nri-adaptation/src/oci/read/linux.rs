//! The Linux part of a container.

use oci_spec::runtime::{
    Linux, LinuxDevice as OciDevice, LinuxIntelRdt, LinuxNamespace as OciNamespace, Process, Spec,
};

use crate::oci::namespaces::name;

use super::{each, map, process, resources, seccomp, text};
use nri::api::{LinuxContainer, LinuxDevice, LinuxNamespace, LinuxNetDevice, LinuxRdt};
use nri::optional::Optional;

/// Returns the Linux part, which also has the out-of-memory score, I/O priority and scheduler of the process.
pub(super) fn container(spec: &Spec) -> Option<LinuxContainer> {
    let (linux, process) = (spec.linux().as_ref(), spec.process().as_ref());
    let of_linux = linux.map_or_else(LinuxContainer::default, from_linux);
    let container = match process {
        Some(process) => with_process(of_linux, process),
        None => of_linux,
    };
    (linux.is_some() || container != LinuxContainer::default()).then_some(container)
}

fn from_linux(linux: &Linux) -> LinuxContainer {
    let net_devices = linux.net_devices().iter().flatten();
    let net_devices = net_devices.map(|(host, device)| {
        let name = device.name().clone().unwrap_or_default();
        (host.clone(), LinuxNetDevice { name })
    });
    LinuxContainer {
        namespaces: namespaces(linux),
        devices: each(linux.devices(), device),
        resources: linux.resources().as_ref().map(resources::resources),
        cgroups_path: text(linux.cgroups_path().as_deref()),
        seccomp_policy: linux.seccomp().as_ref().map(seccomp::policy),
        sysctl: map(linux.sysctl()),
        net_devices: net_devices.collect(),
        rdt: linux.intel_rdt().as_ref().map(rdt),
        ..LinuxContainer::default()
    }
}

fn with_process(container: LinuxContainer, process: &Process) -> LinuxContainer {
    LinuxContainer {
        oom_score_adj: Optional::of(process.oom_score_adj().map(i64::from)),
        io_priority: process.io_priority().as_ref().map(process::io_priority),
        scheduler: process.scheduler().as_ref().map(process::scheduler),
        ..container
    }
}

pub(super) fn namespaces(linux: &Linux) -> Vec<LinuxNamespace> {
    each(linux.namespaces(), namespace)
}

fn namespace(namespace: &OciNamespace) -> LinuxNamespace {
    LinuxNamespace {
        r#type: name(namespace.typ()).to_owned(),
        path: text(namespace.path().as_deref()),
    }
}

fn device(device: &OciDevice) -> LinuxDevice {
    LinuxDevice {
        path: text(Some(device.path())),
        r#type: device.typ().as_str().to_owned(),
        major: device.major(),
        minor: device.minor(),
        file_mode: Optional::of(device.file_mode()),
        uid: Optional::of(device.uid()),
        gid: Optional::of(device.gid()),
    }
}

fn rdt(rdt: &LinuxIntelRdt) -> LinuxRdt {
    LinuxRdt {
        clos_id: Optional::of(rdt.clos_id().clone()),
        schemata: Optional::of(rdt.schemata().clone()),
        enable_monitoring: Optional::of(*rdt.enable_monitoring()),
        remove: false,
    }
}
