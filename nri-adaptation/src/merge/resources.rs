//! Resources of a container: in an adjustment and in an update.
//!
//! All resources that a plugin asks for are claimed before any of them is set, so that a conflict
//! changes nothing but owners.

use super::owners::{Claims, MergeError};
use nri::api::{Field, HugepageLimit, LinuxCpu, LinuxMemory, LinuxResources};

/// Claims the resources that a plugin asks for, except devices and the limit of processes.
pub(super) fn claim(asked: &LinuxResources, claims: &mut Claims<'_>) -> Result<(), MergeError> {
    // Without `..`, so that a new field cannot be forgotten.
    let LinuxResources {
        memory,
        cpu,
        hugepage_limits,
        blockio_class,
        rdt_class,
        unified,
        devices: _,
        pids: _,
    } = asked;
    if let Some(memory) = memory {
        claim_memory(memory, claims)?;
    }
    if let Some(cpu) = cpu {
        claim_cpu(cpu, claims)?;
    }
    for HugepageLimit { page_size, limit: _ } in hugepage_limits {
        claims.claim_entry(Field::HugepageLimits, page_size)?;
    }
    for key in unified.keys() {
        claims.claim_entry(Field::CgroupsUnified, key)?;
    }
    if blockio_class.is_some() {
        claims.claim(Field::BlockioClass)?;
    }
    if rdt_class.is_some() {
        claims.claim(Field::RdtClass)?;
    }
    Ok(())
}

/// Copies the values that are set in `asked`, except devices and the limit of processes.
pub(super) fn set(asked: LinuxResources, target: &mut LinuxResources) {
    // Without `..`, so that a new field cannot be forgotten.
    let LinuxResources {
        memory,
        cpu,
        hugepage_limits,
        blockio_class,
        rdt_class,
        unified,
        devices: _,
        pids: _,
    } = asked;
    if let Some(memory) = memory {
        set_memory(memory, &mut target.memory);
    }
    if let Some(cpu) = cpu {
        set_cpu(cpu, &mut target.cpu);
    }
    target.hugepage_limits.extend(hugepage_limits);
    target.unified.extend(unified);
    if blockio_class.is_some() {
        target.blockio_class = blockio_class;
    }
    if rdt_class.is_some() {
        target.rdt_class = rdt_class;
    }
}

/// Defines how the values of one part are claimed, in the order given, and how they are set.
macro_rules! part {
    (
        $part:ident, $claim:ident, $set:ident:
        $($value:ident => $field:ident),+;
        $($list:ident => $list_field:ident),*
    ) => {
        fn $claim(asked: &$part, claims: &mut Claims<'_>) -> Result<(), MergeError> {
            // Without `..`, so that a new field cannot be forgotten.
            let $part { $($value,)+ $($list),* } = asked;
            $(
                if $value.is_some() {
                    claims.claim(Field::$field)?;
                }
            )+
            $(
                if !$list.is_empty() {
                    claims.claim(Field::$list_field)?;
                }
            )*
            Ok(())
        }

        fn $set(asked: $part, target: &mut Option<$part>) {
            // Without `..`, so that a new field cannot be forgotten.
            let $part { $($value,)+ $($list),* } = asked;
            $(
                if $value.is_some() {
                    target.get_or_insert_default().$value = $value;
                }
            )+
            $(
                if !$list.is_empty() {
                    target.get_or_insert_default().$list = $list;
                }
            )*
        }
    };
}

part!(LinuxMemory, claim_memory, set_memory:
    limit => MemLimit,
    reservation => MemReservation,
    swap => MemSwapLimit,
    kernel => MemKernelLimit,
    kernel_tcp => MemTcpLimit,
    swappiness => MemSwappiness,
    disable_oom_killer => MemDisableOomKiller,
    use_hierarchy => MemUseHierarchy;
);

part!(LinuxCpu, claim_cpu, set_cpu:
    shares => CpuShares,
    quota => CpuQuota,
    period => CpuPeriod,
    realtime_runtime => CpuRealtimeRuntime,
    realtime_period => CpuRealtimePeriod;
    cpus => CpuSetCpUs,
    mems => CpuSetMems
);
