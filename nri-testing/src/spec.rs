//! The effect of an adjustment on the OCI spec of a container.

use std::path::Path;

use nri::api::{
    Container, ContainerAdjustment, KeyValue, LinuxContainer, LinuxContainerAdjustment,
};
use nri_adaptation::oci::runtime::{self, LinuxBlockIo, LinuxIntelRdt};
use nri_adaptation::oci::{Error, Generator, Propagation};

/// Returns the spec of this container with the adjustment.
///
/// # Errors
///
/// Returns an error if the adjustment cannot be applied: a runtime fails the container then.
pub(super) fn adjusted(
    container: &Container,
    adjustment: &ContainerAdjustment,
) -> Result<runtime::Spec, Error> {
    let mut spec = empty();
    apply(&mut spec, &as_adjustment(container))?;
    apply(&mut spec, adjustment)?;
    Ok(spec)
}

/// Returns a spec that has nothing which an adjustment sets.
fn empty() -> runtime::Spec {
    let mut process = runtime::Process::default();
    process.set_args(None).set_env(None).set_rlimits(None);
    let mut linux = runtime::Linux::default();
    linux.set_resources(None).set_namespaces(None);
    linux.set_masked_paths(None).set_readonly_paths(None);
    let mut spec = runtime::Spec::default();
    spec.set_mounts(None).set_hostname(None);
    spec.set_process(Some(process)).set_linux(Some(linux));
    spec
}

/// Applies an adjustment as a runtime does that has no CDI devices, no block I/O classes, and an
/// RDT class of each name.
fn apply(spec: &mut runtime::Spec, adjustment: &ContainerAdjustment) -> Result<(), Error> {
    Generator::new(spec)
        .with_cdi(|_, _| Ok(()))
        .with_block_io(|_| Ok(LinuxBlockIo::default()))
        .with_rdt(|class| {
            let mut rdt = LinuxIntelRdt::default();
            rdt.set_clos_id(Some(class.to_owned()));
            Ok(rdt)
        })
        .with_mount_propagation(|_: &Path| Ok(Propagation::Shared))
        .apply(adjustment)
}

/// Returns the adjustment that turns an empty spec into that of this container.
fn as_adjustment(container: &Container) -> ContainerAdjustment {
    let env = container.env.iter().map(|entry| {
        let (key, value) = entry.split_once('=').unwrap_or((entry, ""));
        KeyValue { key: key.to_owned(), value: value.to_owned() }
    });
    ContainerAdjustment {
        annotations: container.annotations.clone(),
        mounts: container.mounts.clone(),
        env: env.collect(),
        hooks: container.hooks.as_deref().cloned(),
        linux: container.linux.as_deref().map(linux_part),
        rlimits: container.rlimits.clone(),
        cdi_devices: container.cdi_devices.clone(),
        args: container.args.clone(),
    }
}

fn linux_part(container: &LinuxContainer) -> LinuxContainerAdjustment {
    let LinuxContainer {
        namespaces,
        devices,
        resources,
        oom_score_adj,
        cgroups_path,
        io_priority,
        // The profile is where the policy comes from.
        seccomp_profile: _,
        seccomp_policy,
        sysctl,
        net_devices,
        scheduler,
        rdt,
    } = container.clone();
    LinuxContainerAdjustment {
        devices,
        resources,
        cgroups_path,
        oom_score_adj,
        io_priority,
        seccomp_policy,
        namespaces,
        sysctl,
        net_devices,
        scheduler,
        rdt,
        memory_policy: None,
    }
}
