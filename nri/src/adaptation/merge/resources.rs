//! Resources of a container: in an adjustment and in an update.

use super::MergeError;
use super::owners::Claims;
use crate::api::{Field, LinuxCpu, LinuxMemory, LinuxResources};

/// Merges the resources that a plugin asks for into each of the targets.
///
/// Sets what is set in `asked` and leaves the rest as it is.
pub(super) fn merge(
    asked: &LinuxResources,
    targets: &mut [&mut LinuxResources],
    claims: &mut Claims<'_>,
) -> Result<(), MergeError> {
    if let Some(memory) = &asked.memory {
        merge_memory(memory, targets, claims)?;
    }
    if let Some(cpu) = &asked.cpu {
        merge_cpu(cpu, targets, claims)?;
    }
    for limit in &asked.hugepage_limits {
        claims.claim_entry(Field::HugepageLimits, &limit.page_size)?;
        each(targets, |target| target.hugepage_limits.push(limit.clone()));
    }
    for (key, value) in &asked.unified {
        claims.claim_entry(Field::CgroupsUnified, key)?;
        each(targets, |target| {
            target.unified.insert(key.clone(), value.clone());
        });
    }
    if asked.blockio_class.is_some() {
        claims.claim(Field::BlockioClass)?;
        each(targets, |target| {
            target.blockio_class.clone_from(&asked.blockio_class)
        });
    }
    if asked.rdt_class.is_some() {
        claims.claim(Field::RdtClass)?;
        each(targets, |target| {
            target.rdt_class.clone_from(&asked.rdt_class)
        });
    }
    Ok(())
}

/// Claims and sets each optional value of a message, in the order given.
macro_rules! merge_optional {
    ($asked:ident, $claims:ident, $targets:ident, $part:ident: $($name:ident => $field:ident),+ $(,)?) => {
        $(
            if $asked.$name.is_some() {
                $claims.claim(Field::$field)?;
                each($targets, |target| {
                    target.$part.get_or_insert_default().$name = $asked.$name;
                });
            }
        )+
    };
}

fn merge_memory(
    asked: &LinuxMemory,
    targets: &mut [&mut LinuxResources],
    claims: &mut Claims<'_>,
) -> Result<(), MergeError> {
    merge_optional!(asked, claims, targets, memory:
        limit => MemLimit,
        reservation => MemReservation,
        swap => MemSwapLimit,
        kernel => MemKernelLimit,
        kernel_tcp => MemTcpLimit,
        swappiness => MemSwappiness,
        disable_oom_killer => MemDisableOomKiller,
        use_hierarchy => MemUseHierarchy,
    );
    Ok(())
}

fn merge_cpu(
    asked: &LinuxCpu,
    targets: &mut [&mut LinuxResources],
    claims: &mut Claims<'_>,
) -> Result<(), MergeError> {
    merge_optional!(asked, claims, targets, cpu:
        shares => CpuShares,
        quota => CpuQuota,
        period => CpuPeriod,
        realtime_runtime => CpuRealtimeRuntime,
        realtime_period => CpuRealtimePeriod,
    );
    if !asked.cpus.is_empty() {
        claims.claim(Field::CpuSetCpUs)?;
        each(targets, |target| {
            target
                .cpu
                .get_or_insert_default()
                .cpus
                .clone_from(&asked.cpus);
        });
    }
    if !asked.mems.is_empty() {
        claims.claim(Field::CpuSetMems)?;
        each(targets, |target| {
            target
                .cpu
                .get_or_insert_default()
                .mems
                .clone_from(&asked.mems);
        });
    }
    Ok(())
}

fn each(targets: &mut [&mut LinuxResources], mut change: impl FnMut(&mut LinuxResources)) {
    for target in targets {
        change(target);
    }
}
