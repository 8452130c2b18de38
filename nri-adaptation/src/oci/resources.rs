//! Resources of the container: CPU, memory, huge pages, processes, device rules, cgroup v2 files, and classes.

use oci_spec::runtime::{
    LinuxHugepageLimit, LinuxMemory as OciMemory, LinuxPids as OciPids,
    LinuxResources as OciResources, Spec,
};

use crate::oci::callbacks::Callbacks;
use crate::oci::devices;
use crate::oci::error::Error;
use crate::oci::names::filled;
use crate::oci::parts;
use nri::api::{HugepageLimit, LinuxCpu, LinuxMemory, LinuxPids, LinuxResources, OptionalString};
use nri::optional::Optional;

/// The value for an unlimited number of processes.
const UNLIMITED: i64 = -1;

pub(super) fn cgroups_path(spec: &mut Spec, asked: &str) {
    if let Some(path) = filled(asked) {
        parts::linux(spec).set_cgroups_path(Some(path));
    }
}

pub(super) fn apply(
    spec: &mut Spec,
    asked: &LinuxResources,
    callbacks: &mut Callbacks<'_>,
) -> Result<(), Error> {
    let LinuxResources {
        memory: asked_memory,
        cpu: asked_cpu,
        hugepage_limits,
        blockio_class,
        rdt_class,
        unified,
        devices,
        pids: asked_pids,
    } = asked;
    let resources = parts::resources(spec);
    if let Some(asked) = asked_cpu {
        cpu(resources, asked);
    }
    if let Some(asked) = asked_memory {
        memory(resources.memory_mut().get_or_insert_default(), asked);
    }
    hugepages(resources, hugepage_limits);
    if !unified.is_empty() {
        let entries = unified
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()));
        resources
            .unified_mut()
            .get_or_insert_default()
            .extend(entries);
    }
    if let Some(asked) = asked_pids {
        resources.set_pids(Some(pids(asked)));
    }
    for (index, device) in devices.iter().enumerate() {
        let rule = devices::rule(device, index)?;
        resources.devices_mut().get_or_insert_default().push(rule);
    }
    callbacks.check(resources)?;
    block_io(spec, blockio_class.as_ref(), callbacks)?;
    rdt(spec, rdt_class.as_ref(), callbacks)
}

fn cpu(resources: &mut OciResources, asked: &LinuxCpu) {
    let LinuxCpu {
        shares,
        quota,
        period,
        realtime_runtime,
        realtime_period,
        cpus,
        mems,
    } = asked;
    let cpu = resources.cpu_mut().get_or_insert_default();
    if let Some(shares) = shares.get() {
        cpu.set_shares(Some(shares));
    }
    if let Some(quota) = quota.get() {
        cpu.set_quota(Some(quota));
    }
    if let Some(period) = period.get() {
        cpu.set_period(Some(period));
    }
    if let Some(runtime) = realtime_runtime.get() {
        cpu.set_realtime_runtime(Some(runtime));
    }
    if let Some(period) = realtime_period.get() {
        cpu.set_realtime_period(Some(period));
    }
    if let Some(cpus) = filled(cpus) {
        cpu.set_cpus(Some(cpus));
    }
    if let Some(mems) = filled(mems) {
        cpu.set_mems(Some(mems));
    }
}

/// Sets the limits given. As in the reference and in the CRI, a limit of 0 means that it is not
/// set. If swap is not given, it is set to the limit.
fn memory(memory: &mut OciMemory, asked: &LinuxMemory) {
    let LinuxMemory {
        limit,
        reservation,
        swap,
        kernel,
        kernel_tcp,
        swappiness,
        disable_oom_killer,
        use_hierarchy,
    } = asked;
    let limit = limit.get().filter(|limit| *limit != 0);
    if limit.is_some() {
        memory.set_limit(limit);
    }
    if let Some(swap) = swap.get().or(limit) {
        memory.set_swap(Some(swap));
    }
    if let Some(reservation) = reservation.get() {
        memory.set_reservation(Some(reservation));
    }
    if let Some(kernel) = kernel.get() {
        set_deprecated_kernel(memory, kernel);
    }
    if let Some(kernel_tcp) = kernel_tcp.get() {
        memory.set_kernel_tcp(Some(kernel_tcp));
    }
    if let Some(swappiness) = swappiness.get() {
        memory.set_swappiness(Some(swappiness));
    }
    if let Some(is_disabled) = disable_oom_killer.get() {
        memory.set_disable_oom_killer(Some(is_disabled));
    }
    if let Some(is_used) = use_hierarchy.get() {
        memory.set_use_hierarchy(Some(is_used));
    }
}

#[allow(deprecated, reason = "plugins may still ask for this limit")]
fn set_deprecated_kernel(memory: &mut OciMemory, limit: i64) {
    memory.set_kernel(Some(limit));
}

/// Sets one limit per page size. The crate cannot represent limits above `i64::MAX`; the kernel
/// treats that value as no limit too.
fn hugepages(resources: &mut OciResources, asked: &[HugepageLimit]) {
    for HugepageLimit { page_size, limit } in asked {
        let limits = resources.hugepage_limits_mut().get_or_insert_default();
        let mut wanted = LinuxHugepageLimit::default();
        wanted
            .set_page_size(page_size.clone())
            .set_limit(i64::try_from(*limit).unwrap_or(i64::MAX));
        match limits.iter_mut().find(|it| it.page_size() == page_size) {
            Some(present) => *present = wanted,
            None => limits.push(wanted),
        }
    }
}

fn pids(asked: &LinuxPids) -> OciPids {
    let LinuxPids { limit } = *asked;
    let mut pids = OciPids::default();
    pids.set_limit(limit.max(UNLIMITED));
    pids
}

fn block_io(
    spec: &mut Spec,
    asked: Option<&OptionalString>,
    callbacks: &mut Callbacks<'_>,
) -> Result<(), Error> {
    let Some(OptionalString { value: class }) = asked else {
        return Ok(());
    };
    let settings = match class.as_str() {
        "" => None,
        class => Some(callbacks.block_io(class)?),
    };
    parts::resources(spec).set_block_io(settings);
    Ok(())
}

fn rdt(
    spec: &mut Spec,
    asked: Option<&OptionalString>,
    callbacks: &mut Callbacks<'_>,
) -> Result<(), Error> {
    let Some(OptionalString { value: class }) = asked else {
        return Ok(());
    };
    let settings = match class.as_str() {
        "" => None,
        class => Some(callbacks.rdt(class)?),
    };
    parts::linux(spec).set_intel_rdt(settings);
    Ok(())
}

#[cfg(test)]
mod tests;
