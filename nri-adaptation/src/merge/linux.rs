//! The Linux part of an adjustment.

use super::entries::{merge_list, merge_map};
use super::owners::{Claims, MergeError};
use super::resources;
use super::view::Unowned;
use nri::adjust::marker;
use nri::api::{
    Field, LinuxContainer, LinuxContainerAdjustment, LinuxNamespace, LinuxRdt, LinuxResources,
};

/// Merges the Linux part of one plugin's adjustment into the container and into the adjustments
/// collected before.
pub(super) fn merge(
    asked: LinuxContainerAdjustment,
    seen: &mut LinuxContainer,
    unowned: &mut Unowned,
    collected: &mut LinuxContainerAdjustment,
    claims: &mut Claims<'_>,
) -> Result<(), MergeError> {
    // Without `..`, so that a new field cannot be forgotten.
    let LinuxContainerAdjustment {
        devices,
        resources: asked_resources,
        cgroups_path,
        oom_score_adj,
        io_priority,
        seccomp_policy,
        namespaces: asked_namespaces,
        sysctl,
        net_devices,
        scheduler,
        rdt: asked_rdt,
        memory_policy,
    } = asked;
    // As in the reference, the removal of a device is not passed on to the runtime.
    merge_list(devices, &mut seen.devices, &mut unowned.devices, claims)?;
    if let Some(asked_resources) = asked_resources {
        adjusted_resources(asked_resources, seen, collected, claims)?;
    }
    if !cgroups_path.is_empty() {
        claims.claim(Field::CgroupsPath)?;
        seen.cgroups_path.clone_from(&cgroups_path);
        collected.cgroups_path = cgroups_path;
    }
    if oom_score_adj.is_some() {
        claims.claim(Field::OomScoreAdj)?;
        seen.oom_score_adj = oom_score_adj;
        collected.oom_score_adj = oom_score_adj;
    }
    if io_priority.is_some() {
        claims.claim(Field::IoPriority)?;
        seen.io_priority = io_priority;
        collected.io_priority = io_priority;
    }
    if seccomp_policy.is_some() {
        claims.claim(Field::SeccompPolicy)?;
        seen.seccomp_policy.clone_from(&seccomp_policy);
        collected.seccomp_policy = seccomp_policy;
    }
    namespaces(
        asked_namespaces,
        &mut seen.namespaces,
        &mut unowned.namespaces,
        &mut collected.namespaces,
        claims,
    )?;
    merge_map(Field::Sysctl, sysctl, &mut seen.sysctl, &mut collected.sysctl, claims)?;
    merge_map(
        Field::LinuxNetDevices,
        net_devices,
        &mut seen.net_devices,
        &mut collected.net_devices,
        claims,
    )?;
    if scheduler.is_some() {
        claims.claim(Field::LinuxSched)?;
        seen.scheduler.clone_from(&scheduler);
        collected.scheduler = scheduler;
    }
    // As in the reference, RDT settings are there, if only empty, as soon as any plugin adjusts the
    // Linux part.
    rdt(asked_rdt.unwrap_or_default(), collected, claims)?;
    if memory_policy.is_some() {
        claims.claim(Field::MemoryPolicy)?;
        collected.memory_policy = memory_policy;
    }
    Ok(())
}

/// Merges resources. Devices of the cgroup have no owner: every plugin may add some.
fn adjusted_resources(
    asked: LinuxResources,
    seen: &mut LinuxContainer,
    collected: &mut LinuxContainerAdjustment,
    claims: &mut Claims<'_>,
) -> Result<(), MergeError> {
    resources::claim(&asked, claims)?;
    if asked.pids.is_some() {
        claims.claim(Field::PidsLimit)?;
    }
    add_resources(asked.clone(), seen.resources.get_or_insert_default());
    add_resources(asked, collected.resources.get_or_insert_default());
    Ok(())
}

fn add_resources(mut asked: LinuxResources, target: &mut LinuxResources) {
    target.devices.append(&mut asked.devices);
    target.pids = asked.pids.or(target.pids);
    resources::set(asked, target);
}

/// Merges namespaces. A removal is claimed like a setting, so that no two plugins disagree about a
/// namespace.
fn namespaces(
    asked: Vec<LinuxNamespace>,
    seen: &mut Vec<LinuxNamespace>,
    unowned: &mut usize,
    collected: &mut Vec<LinuxNamespace>,
    claims: &mut Claims<'_>,
) -> Result<(), MergeError> {
    let mut kinds: Vec<_> = asked.iter().map(|it| marker::key(&it.r#type)).collect();
    kinds.sort_unstable();
    let is_touched = |known: &mut LinuxNamespace| kinds.binary_search(&&*known.r#type).is_ok();
    *unowned -= seen.extract_if(..*unowned, is_touched).count();
    for namespace in asked {
        claims.claim_entry(Field::Namespace, marker::key(&namespace.r#type))?;
        if marker::removed(&namespace.r#type).is_none() {
            seen.push(namespace.clone());
        }
        collected.push(namespace);
    }
    Ok(())
}

/// Merges RDT settings. A removal clears those of earlier plugins, and holds unless the same or a
/// later plugin sets one.
fn rdt(
    asked: LinuxRdt,
    collected: &mut LinuxContainerAdjustment,
    claims: &mut Claims<'_>,
) -> Result<(), MergeError> {
    // Without `..`, so that a new field cannot be forgotten.
    let LinuxRdt { clos_id, schemata, enable_monitoring, remove } = asked;
    let collected = collected.rdt.get_or_insert_default();
    if remove {
        claims.remove(Field::RdtClosId);
        claims.remove(Field::RdtSchemata);
        claims.remove(Field::RdtEnableMonitoring);
        *collected = LinuxRdt { remove: true, ..LinuxRdt::default() };
    }
    if clos_id.is_some() {
        claims.claim(Field::RdtClosId)?;
        collected.clos_id = clos_id;
        collected.remove = false;
    }
    if schemata.is_some() {
        claims.claim(Field::RdtSchemata)?;
        collected.schemata = schemata;
        collected.remove = false;
    }
    if enable_monitoring.is_some() {
        claims.claim(Field::RdtEnableMonitoring)?;
        collected.enable_monitoring = enable_monitoring;
        collected.remove = false;
    }
    Ok(())
}
