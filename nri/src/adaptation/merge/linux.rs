//! The Linux part of an adjustment.

use super::entries::{ListChange, merge_map};
use super::owners::Claims;
use super::{MergeError, resources};
use crate::adjust::marker;
use crate::api::{
    Field, LinuxContainer, LinuxContainerAdjustment, LinuxDevice, LinuxNamespace, LinuxRdt,
    LinuxResources,
};

/// Merges the Linux part of one plugin's adjustment into the container and into what was collected before.
pub(super) fn merge(
    asked: LinuxContainerAdjustment,
    container: &mut LinuxContainer,
    collected: &mut LinuxContainerAdjustment,
    claims: &mut Claims<'_>,
) -> Result<(), MergeError> {
    // Without `..`, so that a new field cannot be forgotten.
    let LinuxContainerAdjustment {
        devices: asked_devices,
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
    devices(asked_devices, container, collected, claims)?;
    if let Some(asked) = asked_resources {
        adjusted_resources(&asked, container, collected, claims)?;
    }
    if !cgroups_path.is_empty() {
        claims.claim(Field::CgroupsPath)?;
        container.cgroups_path.clone_from(&cgroups_path);
        collected.cgroups_path = cgroups_path;
    }
    if oom_score_adj.is_some() {
        claims.claim(Field::OomScoreAdj)?;
        container.oom_score_adj = oom_score_adj;
        collected.oom_score_adj = oom_score_adj;
    }
    if io_priority.is_some() {
        claims.claim(Field::IoPriority)?;
        container.io_priority = io_priority;
        collected.io_priority = io_priority;
    }
    if seccomp_policy.is_some() {
        claims.claim(Field::SeccompPolicy)?;
        container.seccomp_policy.clone_from(&seccomp_policy);
        collected.seccomp_policy = seccomp_policy;
    }
    namespaces(asked_namespaces, container, collected, claims)?;
    let (known, asked) = (&mut container.sysctl, &mut collected.sysctl);
    merge_map(Field::Sysctl, sysctl, known, asked, claims)?;
    let (known, asked) = (&mut container.net_devices, &mut collected.net_devices);
    merge_map(Field::LinuxNetDevices, net_devices, known, asked, claims)?;
    if scheduler.is_some() {
        claims.claim(Field::LinuxSched)?;
        container.scheduler.clone_from(&scheduler);
        collected.scheduler = scheduler;
    }
    if let Some(asked) = asked_rdt {
        rdt(asked, collected, claims)?;
    }
    if memory_policy.is_some() {
        claims.claim(Field::MemoryPolicy)?;
        collected.memory_policy = memory_policy;
    }
    Ok(())
}

/// Merges devices. As in the reference, a removal is not passed on to the runtime.
fn devices(
    asked: Vec<LinuxDevice>,
    container: &mut LinuxContainer,
    collected: &mut LinuxContainerAdjustment,
    claims: &mut Claims<'_>,
) -> Result<(), MergeError> {
    let change = ListChange::new(asked);
    change.merge(&mut collected.devices, claims)?;
    container
        .devices
        .retain(|device| !change.touches(&device.path));
    container.devices.extend(change.into_added());
    Ok(())
}

fn adjusted_resources(
    asked: &LinuxResources,
    container: &mut LinuxContainer,
    collected: &mut LinuxContainerAdjustment,
    claims: &mut Claims<'_>,
) -> Result<(), MergeError> {
    let container = container.resources.get_or_insert_default();
    let collected = collected.resources.get_or_insert_default();
    resources::merge(asked, &mut [container, collected], claims)?;
    container.devices.extend_from_slice(&asked.devices);
    collected.devices.extend_from_slice(&asked.devices);
    if asked.pids.is_some() {
        claims.claim(Field::PidsLimit)?;
        container.pids = asked.pids;
        collected.pids = asked.pids;
    }
    Ok(())
}

/// Merges namespaces. A removal is claimed like a setting, so that no two plugins disagree about a namespace.
fn namespaces(
    asked: Vec<LinuxNamespace>,
    container: &mut LinuxContainer,
    collected: &mut LinuxContainerAdjustment,
    claims: &mut Claims<'_>,
) -> Result<(), MergeError> {
    for namespace in asked {
        let kind = marker::key(&namespace.r#type);
        claims.claim_entry(Field::Namespace, kind)?;
        container.namespaces.retain(|known| known.r#type != kind);
        if marker::removed(&namespace.r#type).is_none() {
            container.namespaces.push(namespace.clone());
        }
        collected.namespaces.push(namespace);
    }
    Ok(())
}

/// Merges RDT settings. A removal clears those of earlier plugins, and holds unless the same or a later plugin sets one.
fn rdt(
    asked: LinuxRdt,
    collected: &mut LinuxContainerAdjustment,
    claims: &mut Claims<'_>,
) -> Result<(), MergeError> {
    let collected = collected.rdt.get_or_insert_default();
    if asked.remove {
        claims.remove(Field::RdtClosId);
        claims.remove(Field::RdtSchemata);
        claims.remove(Field::RdtEnableMonitoring);
        *collected = LinuxRdt {
            remove: true,
            ..LinuxRdt::default()
        };
    }
    if asked.clos_id.is_some() {
        claims.claim(Field::RdtClosId)?;
        collected.clos_id = asked.clos_id;
        collected.remove = false;
    }
    if asked.schemata.is_some() {
        claims.claim(Field::RdtSchemata)?;
        collected.schemata = asked.schemata;
        collected.remove = false;
    }
    if asked.enable_monitoring.is_some() {
        claims.claim(Field::RdtEnableMonitoring)?;
        collected.enable_monitoring = asked.enable_monitoring;
        collected.remove = false;
    }
    Ok(())
}
