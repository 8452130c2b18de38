//! The Linux part of an adjustment.

use super::entries::Entries;
use super::list::is_list;
use super::resources;
use crate::adjust::{NamespaceKind, Problem, ProblemKind, marker};
use crate::api::{
    IoPrioClass, LinuxContainerAdjustment, LinuxIoPriority, LinuxMemoryPolicy, LinuxScheduler,
    LinuxSchedulerPolicy, MpolFlag, MpolMode,
};

pub(super) fn check(linux: &LinuxContainerAdjustment, problems: &mut Vec<Problem>) {
    devices(linux, problems);
    if let Some(of_container) = &linux.resources {
        resources::check(of_container, problems);
    }
    // proc(5): the range of /proc/PID/oom_score_adj.
    if let Some(score) = &linux.oom_score_adj {
        Entries::new("linux.oom_score_adj", problems).range("", score.value, -1000, 1000);
    }
    if let Some(priority) = &linux.io_priority {
        io_priority(priority, problems);
    }
    namespaces(linux, problems);
    sysctl(linux, problems);
    net_devices(linux, problems);
    if let Some(scheduler) = &linux.scheduler {
        check_scheduler(scheduler, problems);
    }
    if let Some(policy) = &linux.memory_policy {
        memory_policy(policy, problems);
    }
}

fn devices(linux: &LinuxContainerAdjustment, problems: &mut Vec<Problem>) {
    let mut entries = Entries::new("linux.devices", problems);
    for device in &linux.devices {
        if let Some(path) = entries.removable(&device.path, !device.r#type.is_empty()) {
            entries.absolute(path);
            let known = matches!(device.r#type.as_str(), "b" | "c" | "u" | "p");
            entries.require(
                known,
                path,
                ProblemKind::Unknown(format!("type {:?}", device.r#type)),
            );
        }
    }
}

/// Checks I/O priorities against ioprio_set(2).
fn io_priority(priority: &LinuxIoPriority, problems: &mut Vec<Problem>) {
    let mut entries = Entries::new("linux.io_priority", problems);
    let known = IoPrioClass::try_from(priority.class).is_ok();
    entries.require(
        known,
        "",
        ProblemKind::Unknown(format!("class {}", priority.class)),
    );
    entries.range("", priority.priority.into(), 0, 7);
}

/// Checks namespaces: the runtime treats removing one as setting it, so two entries of one kind are
/// a conflict.
fn namespaces(linux: &LinuxContainerAdjustment, problems: &mut Vec<Problem>) {
    let mut entries = Entries::new("linux.namespaces", problems);
    for namespace in &linux.namespaces {
        let kind = marker::key(&namespace.r#type);
        entries.unique(kind);
        let known = kind.is_empty() || NamespaceKind::from_name(kind).is_some();
        entries.require(known, kind, ProblemKind::Unknown("kind".to_owned()));
        let is_removal = marker::removed(&namespace.r#type).is_some();
        entries.require(
            !is_removal || namespace.path.is_empty(),
            kind,
            ProblemKind::RemovalWithValue,
        );
        entries.require(
            namespace.path.is_empty() || namespace.path.starts_with('/'),
            kind,
            ProblemKind::NotAbsolute,
        );
    }
}

fn sysctl(linux: &LinuxContainerAdjustment, problems: &mut Vec<Problem>) {
    let mut entries = Entries::new("linux.sysctl", problems);
    for (name, value) in &linux.sysctl {
        entries.removable(name, !value.is_empty());
    }
}

fn net_devices(linux: &LinuxContainerAdjustment, problems: &mut Vec<Problem>) {
    let mut entries = Entries::new("linux.net_devices", problems);
    for (host_name, device) in &linux.net_devices {
        entries.removable(host_name, !device.name.is_empty());
    }
}

/// Checks scheduling parameters against sched(7): the parameters that each policy takes, and their
/// ranges.
fn check_scheduler(scheduler: &LinuxScheduler, problems: &mut Vec<Problem>) {
    let mut entries = Entries::new("linux.scheduler", problems);
    let Ok(policy) = LinuxSchedulerPolicy::try_from(scheduler.policy) else {
        return entries.require(
            false,
            "",
            ProblemKind::Unknown(format!("policy {}", scheduler.policy)),
        );
    };
    match policy {
        LinuxSchedulerPolicy::SchedFifo | LinuxSchedulerPolicy::SchedRr => {
            entries.range("priority", scheduler.priority.into(), 1, 99);
        }
        LinuxSchedulerPolicy::SchedDeadline => deadline(scheduler, &mut entries),
        LinuxSchedulerPolicy::SchedNone
        | LinuxSchedulerPolicy::SchedOther
        | LinuxSchedulerPolicy::SchedBatch
        | LinuxSchedulerPolicy::SchedIso
        | LinuxSchedulerPolicy::SchedIdle => {
            entries.range("nice", scheduler.nice.into(), -20, 19);
        }
    }
}

fn deadline(scheduler: &LinuxScheduler, entries: &mut Entries<'_>) {
    let LinuxScheduler {
        runtime,
        deadline,
        period,
        ..
    } = *scheduler;
    // A period of 0 means that the period equals the deadline.
    let holds = 0 < runtime && runtime <= deadline && (period == 0 || deadline <= period);
    entries.require(
        holds,
        "",
        ProblemKind::DeadlineOrder {
            runtime,
            deadline,
            period,
        },
    );
}

/// Checks memory policies against set_mempolicy(2): the modes that take nodes, and the flags that
/// exclude each other.
fn memory_policy(policy: &LinuxMemoryPolicy, problems: &mut Vec<Problem>) {
    let mut entries = Entries::new("linux.memory_policy", problems);
    let Ok(mode) = MpolMode::try_from(policy.mode) else {
        return entries.require(
            false,
            "",
            ProblemKind::Unknown(format!("mode {}", policy.mode)),
        );
    };
    let has_nodes = !policy.nodes.is_empty();
    match mode {
        MpolMode::MpolDefault | MpolMode::MpolLocal => {
            entries.require(!has_nodes, "", ProblemKind::NodesGiven)
        }
        MpolMode::MpolPreferred => {}
        MpolMode::MpolBind
        | MpolMode::MpolInterleave
        | MpolMode::MpolPreferredMany
        | MpolMode::MpolWeightedInterleave => {
            entries.require(has_nodes, "", ProblemKind::NodesMissing);
        }
    }
    entries.require(
        !has_nodes || is_list(&policy.nodes),
        "",
        ProblemKind::MalformedList(policy.nodes.clone()),
    );
    let has = |flag: MpolFlag| policy.flags.contains(&flag.into());
    let both = has(MpolFlag::MpolFStaticNodes) && has(MpolFlag::MpolFRelativeNodes);
    entries.require(
        !both,
        "flags",
        ProblemKind::Exclusive("MPOL_F_STATIC_NODES", "MPOL_F_RELATIVE_NODES"),
    );
}
