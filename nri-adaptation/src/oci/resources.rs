//! Resources of the container: CPU, memory, huge pages, processes, device rules, cgroup v2 files,
//! and classes.

use oci_spec::runtime::{
    LinuxHugepageLimit, LinuxMemory as OciMemory, LinuxPids as OciPids,
    LinuxResources as OciResources, Spec,
};

use crate::oci::callbacks::{self, Callbacks, refused};
use crate::oci::devices;
use crate::oci::error::Error;
use crate::oci::parts::{self, filled};
use nri::api::{HugepageLimit, LinuxCpu, LinuxMemory, LinuxPids, LinuxResources};

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
    let resources = parts::resources(spec);
    if let Some(asked) = &asked.cpu {
        cpu(resources, asked);
    }
    if let Some(asked) = &asked.memory {
        memory(resources.memory_mut().get_or_insert_default(), asked);
    }
    hugepages(resources, &asked.hugepage_limits);
    if !asked.unified.is_empty() {
        let entries = asked.unified.iter().map(|(key, value)| (key.clone(), value.clone()));
        resources.unified_mut().get_or_insert_default().extend(entries);
    }
    if let Some(asked) = &asked.pids {
        resources.set_pids(Some(pids(asked)));
    }
    for (index, device) in asked.devices.iter().enumerate() {
        let rule = devices::rule(device, index)?;
        resources.devices_mut().get_or_insert_default().push(rule);
    }
    (callbacks.resource_check)(resources).map_err(refused("linux.resources"))?;
    if let Some(value) = &asked.blockio_class {
        let field = "linux.resources.blockio_class";
        let class = callbacks::resolve(&mut callbacks.block_io, value, field, "with_block_io")?;
        parts::resources(spec).set_block_io(class);
    }
    if let Some(value) = &asked.rdt_class {
        let field = "linux.resources.rdt_class";
        let class = callbacks::resolve(&mut callbacks.rdt, value, field, "with_rdt")?;
        parts::linux(spec).set_intel_rdt(class);
    }
    Ok(())
}

fn cpu(resources: &mut OciResources, asked: &LinuxCpu) {
    let cpu = resources.cpu_mut().get_or_insert_default();
    cpu.set_shares(asked.shares.or(cpu.shares()));
    cpu.set_quota(asked.quota.or(cpu.quota()));
    cpu.set_period(asked.period.or(cpu.period()));
    cpu.set_realtime_runtime(asked.realtime_runtime.or(cpu.realtime_runtime()));
    cpu.set_realtime_period(asked.realtime_period.or(cpu.realtime_period()));
    cpu.set_cpus(filled(&asked.cpus).or(cpu.cpus().clone()));
    cpu.set_mems(filled(&asked.mems).or(cpu.mems().clone()));
}

/// Sets the limits given. As in the reference and in the CRI, a limit of 0 means that it is not
/// set. If swap is not given, it is set to the limit.
fn memory(memory: &mut OciMemory, asked: &LinuxMemory) {
    let limit = asked.limit.filter(|limit| *limit != 0);
    memory.set_limit(limit.or(memory.limit()));
    memory.set_swap(asked.swap.or(limit).or(memory.swap()));
    memory.set_reservation(asked.reservation.or(memory.reservation()));
    if let Some(kernel) = asked.kernel {
        set_deprecated_kernel(memory, kernel);
    }
    memory.set_kernel_tcp(asked.kernel_tcp.or(memory.kernel_tcp()));
    memory.set_swappiness(asked.swappiness.or(memory.swappiness()));
    memory.set_disable_oom_killer(asked.disable_oom_killer.or(memory.disable_oom_killer()));
    memory.set_use_hierarchy(asked.use_hierarchy.or(memory.use_hierarchy()));
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
