//! The Linux part of an adjustment, and the resources of new and running containers.

use super::entries::Entries;
use crate::adjust::{NamespaceKind, ProblemKind, marker};
use crate::api::{
    IoPrioClass, LinuxContainerAdjustment, LinuxCpu, LinuxDevice, LinuxIoPriority, LinuxMemory,
    LinuxMemoryPolicy, LinuxNamespace, LinuxResources, LinuxScheduler, LinuxSchedulerPolicy,
    MpolFlag, MpolMode, OptionalInt64,
};

pub(super) fn check(linux: &LinuxContainerAdjustment, entries: &mut Entries) {
    devices(&linux.devices, entries);
    if let Some(of_container) = &linux.resources {
        resources(of_container, entries);
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
    let fact = format!(
        "runtime {runtime}, deadline {deadline} and period {period} are not in ascending order"
    );
    let help = "let runtime be at most the deadline, and the deadline at most the period";
    entries.consistent(holds, "", fact, help);
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
            let help = "leave the nodes out, or choose a mode that takes them";
            entries.consistent(!has_nodes, "", "mode takes no nodes", help);
        }
        MpolMode::MpolPreferred => {}
        MpolMode::MpolBind
        | MpolMode::MpolInterleave
        | MpolMode::MpolPreferredMany
        | MpolMode::MpolWeightedInterleave => {
            entries.consistent(has_nodes, "", "mode needs nodes", "list the nodes");
        }
    }
    entries.list(&policy.nodes);
    let has = |flag: MpolFlag| policy.flags.contains(&flag.into());
    let both = has(MpolFlag::MpolFStaticNodes) && has(MpolFlag::MpolFRelativeNodes);
    let fact = "MPOL_F_STATIC_NODES and MPOL_F_RELATIVE_NODES exclude each other";
    entries.consistent(!both, "flags", fact, "set one of them");
}

/// Checks the resources of a new or running container.
pub(super) fn resources(resources: &LinuxResources, entries: &mut Entries) {
    if let Some(memory) = &resources.memory {
        check_memory(memory, entries);
    }
    if let Some(cpu) = &resources.cpu {
        check_cpu(cpu, entries);
    }
    entries.field("linux.resources.hugepage_limits");
    for limit in &resources.hugepage_limits {
        entries.unique(&limit.page_size);
    }
    check_unified(resources, entries);
    check_device_rules(resources, entries);
}

fn check_memory(memory: &LinuxMemory, entries: &mut Entries) {
    for (field, value) in [
        ("linux.resources.memory.limit", &memory.limit),
        ("linux.resources.memory.reservation", &memory.reservation),
        ("linux.resources.memory.swap", &memory.swap),
    ] {
        limit(field, value.as_ref(), entries);
    }
    if let Some(swappiness) = &memory.swappiness {
        let value = i64::try_from(swappiness.value).unwrap_or(i64::MAX);
        entries.field("linux.resources.memory.swappiness");
        entries.range("", value, 0, 100);
    }
}

fn check_cpu(cpu: &LinuxCpu, entries: &mut Entries) {
    limit("linux.resources.cpu.quota", cpu.quota.as_ref(), entries);
    entries.field("linux.resources.cpu.cpus");
    entries.list(&cpu.cpus);
    entries.field("linux.resources.cpu.mems");
    entries.list(&cpu.mems);
}

/// Checks a limit: the kernel accepts no value below -1, which means "no limit".
fn limit(field: &'static str, value: Option<&OptionalInt64>, entries: &mut Entries) {
    if let Some(value) = value {
        entries.field(field);
        entries.range("", value.value, -1, i64::MAX);
    }
}

/// Checks unified resources: the key names a file of the cgroup and is not a path; runc rejects a
/// name with `/`.
fn check_unified(resources: &LinuxResources, entries: &mut Entries) {
    entries.field("linux.resources.unified");
    for file in resources.unified.keys() {
        entries.named(file);
        let holds = !file.contains('/');
        entries.require(holds, file, ProblemKind::ForbiddenCharacter('/'));
    }
}

fn check_device_rules(resources: &LinuxResources, entries: &mut Entries) {
    entries.field("linux.resources.devices");
    for rule in &resources.devices {
        let known = matches!(rule.r#type.as_str(), "" | "a" | "b" | "c");
        entries.known(known, "", format!("type {:?}", rule.r#type));
        let known = rule.access.chars().all(|letter| "rwm".contains(letter));
        entries.known(known, "", format!("access {:?}", rule.access));
    }
}
