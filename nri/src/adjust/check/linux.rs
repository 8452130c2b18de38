//! The Linux part of an adjustment.

use super::entries::Entries;
use super::resources;
use crate::adjust::{NamespaceKind, ProblemKind, marker};
use crate::api::{
    IoPrioClass, LinuxContainerAdjustment, LinuxDevice, LinuxIoPriority, LinuxMemoryPolicy,
    LinuxNamespace, LinuxScheduler, LinuxSchedulerPolicy, MpolFlag, MpolMode,
};

pub(super) fn check(linux: &LinuxContainerAdjustment, entries: &mut Entries) {
    devices(&linux.devices, entries);
    if let Some(of_container) = &linux.resources {
        resources::check(of_container, entries);
    }
    if let Some(score) = &linux.oom_score_adj {
        entries.field("linux.oom_score_adj");
        // proc(5): the range of /proc/PID/oom_score_adj.
        entries.range("", score.value, -1000, 1000);
    }
    if let Some(priority) = &linux.io_priority {
        io_priority(priority, entries);
    }
    namespaces(&linux.namespaces, entries);
    entries.field("linux.sysctl");
    for (name, value) in &linux.sysctl {
        entries.removable(name, !value.is_empty());
    }
    entries.field("linux.net_devices");
    for (host_name, device) in &linux.net_devices {
        entries.removable(host_name, !device.name.is_empty());
    }
    if let Some(scheduler) = &linux.scheduler {
        check_scheduler(scheduler, entries);
    }
    if let Some(policy) = &linux.memory_policy {
        memory_policy(policy, entries);
    }
}

fn devices(devices: &[LinuxDevice], entries: &mut Entries) {
    entries.field("linux.devices");
    for device in devices {
        let kind = device.r#type.as_str();
        if let Some(path) = entries.removable(&device.path, !kind.is_empty()) {
            entries.absolute(path, path);
            let known = matches!(kind, "b" | "c" | "u" | "p");
            entries.known(known, path, format!("type {kind:?}"));
        }
    }
}

/// Checks I/O priorities against ioprio_set(2).
fn io_priority(priority: &LinuxIoPriority, entries: &mut Entries) {
    entries.field("linux.io_priority");
    let known = IoPrioClass::try_from(priority.class).is_ok();
    entries.known(known, "", format!("class {}", priority.class));
    entries.range("", priority.priority.into(), 0, 7);
}

/// Checks namespaces: the runtime treats removing one as setting it, so two entries of one kind are
/// a conflict.
fn namespaces(namespaces: &[LinuxNamespace], entries: &mut Entries) {
    entries.field("linux.namespaces");
    for LinuxNamespace { r#type, path } in namespaces {
        let kind = marker::key(r#type);
        entries.unique(kind);
        let known = kind.is_empty() || NamespaceKind::from_name(kind).is_some();
        entries.known(known, kind, "kind");
        let is_removal = marker::removed(r#type).is_some();
        let holds = !is_removal || path.is_empty();
        entries.require(holds, kind, ProblemKind::RemovalWithValue);
        entries.absolute(kind, path);
    }
}

/// Checks scheduling parameters against sched(7): the parameters that each policy takes, and their
/// ranges.
fn check_scheduler(scheduler: &LinuxScheduler, entries: &mut Entries) {
    entries.field("linux.scheduler");
    let Ok(policy) = LinuxSchedulerPolicy::try_from(scheduler.policy) else {
        return entries.known(false, "", format!("policy {}", scheduler.policy));
    };
    match policy {
        LinuxSchedulerPolicy::SchedFifo | LinuxSchedulerPolicy::SchedRr => {
            entries.range("priority", scheduler.priority.into(), 1, 99);
        }
        LinuxSchedulerPolicy::SchedDeadline => deadline(scheduler, entries),
        LinuxSchedulerPolicy::SchedNone
        | LinuxSchedulerPolicy::SchedOther
        | LinuxSchedulerPolicy::SchedBatch
        | LinuxSchedulerPolicy::SchedIso
        | LinuxSchedulerPolicy::SchedIdle => {
            entries.range("nice", scheduler.nice.into(), -20, 19);
        }
    }
}

fn deadline(scheduler: &LinuxScheduler, entries: &mut Entries) {
    let (runtime, deadline, period) = (scheduler.runtime, scheduler.deadline, scheduler.period);
    // A period of 0 means that the period equals the deadline.
    let holds = 0 < runtime && runtime <= deadline && (period == 0 || deadline <= period);
    let kind = ProblemKind::DeadlineOrder {
        runtime,
        deadline,
        period,
    };
    entries.require(holds, "", kind);
}

/// Checks memory policies against set_mempolicy(2): the modes that take nodes, and the flags that
/// exclude each other.
fn memory_policy(policy: &LinuxMemoryPolicy, entries: &mut Entries) {
    entries.field("linux.memory_policy");
    let Ok(mode) = MpolMode::try_from(policy.mode) else {
        return entries.known(false, "", format!("mode {}", policy.mode));
    };
    let has_nodes = !policy.nodes.is_empty();
    match mode {
        MpolMode::MpolDefault | MpolMode::MpolLocal => {
            entries.require(!has_nodes, "", ProblemKind::NodesGiven);
        }
        MpolMode::MpolPreferred => {}
        MpolMode::MpolBind
        | MpolMode::MpolInterleave
        | MpolMode::MpolPreferredMany
        | MpolMode::MpolWeightedInterleave => {
            entries.require(has_nodes, "", ProblemKind::NodesMissing);
        }
    }
    entries.list(&policy.nodes);
    let has = |flag: MpolFlag| policy.flags.contains(&flag.into());
    let both = has(MpolFlag::MpolFStaticNodes) && has(MpolFlag::MpolFRelativeNodes);
    let kind = ProblemKind::Exclusive("MPOL_F_STATIC_NODES", "MPOL_F_RELATIVE_NODES");
    entries.require(!both, "flags", kind);
}
