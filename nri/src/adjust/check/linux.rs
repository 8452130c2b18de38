//! The Linux part of an adjustment, and the resources of new and running containers.

use std::collections::BTreeMap;

use super::entries::Entries;
use crate::adjust::{NamespaceKind, ProblemKind, marker};
use crate::api::{
    HugepageLimit, IoPrioClass, LinuxContainerAdjustment, LinuxCpu, LinuxDevice, LinuxDeviceCgroup,
    LinuxIoPriority, LinuxMemory, LinuxMemoryPolicy, LinuxNamespace, LinuxNetDevice,
    LinuxResources, LinuxScheduler, LinuxSchedulerPolicy, MpolFlag, MpolMode,
};

pub(super) fn check(linux: &LinuxContainerAdjustment, entries: &mut Entries) {
    // Here and below without `..`, so that a new field cannot be forgotten.
    let LinuxContainerAdjustment {
        devices: asked_devices,
        resources: asked_resources,
        // Names of the host, which only the runtime can check.
        cgroups_path: _,
        oom_score_adj,
        io_priority: asked_io_priority,
        // Any profile may be what the kernel takes.
        seccomp_policy: _,
        namespaces: asked_namespaces,
        sysctl,
        net_devices,
        scheduler,
        // Classes of the host, which only the runtime can check.
        rdt: _,
        memory_policy: asked_memory_policy,
    } = linux;
    devices(asked_devices, entries);
    if let Some(asked) = asked_resources {
        resources(asked, entries);
    }
    if let Some(score) = oom_score_adj {
        entries.field("linux.oom_score_adj");
        // proc(5): the range of /proc/PID/oom_score_adj.
        entries.range("", *score, -1000, 1000);
    }
    if let Some(priority) = asked_io_priority {
        io_priority(priority, entries);
    }
    namespaces(asked_namespaces, entries);
    entries.field("linux.sysctl");
    for (name, value) in sysctl {
        entries.removable(name, !value.is_empty());
    }
    entries.field("linux.net_devices");
    for (host_name, LinuxNetDevice { name }) in net_devices {
        entries.removable(host_name, !name.is_empty());
    }
    if let Some(scheduler) = scheduler {
        check_scheduler(scheduler, entries);
    }
    if let Some(policy) = asked_memory_policy {
        memory_policy(policy, entries);
    }
}

fn devices(devices: &[LinuxDevice], entries: &mut Entries) {
    entries.field("linux.devices");
    for device in devices {
        // The kernel checks the numbers of the device, and any mode and owner is one.
        let LinuxDevice { path, r#type, major: _, minor: _, file_mode: _, uid: _, gid: _ } = device;
        if let Some(path) = entries.removable(path, !r#type.is_empty()) {
            entries.absolute(path, path);
            let known = matches!(r#type.as_str(), "b" | "c" | "u" | "p");
            entries.known(known, path, format!("type {type:?}"));
        }
    }
}

/// Checks I/O priorities against ioprio_set(2).
fn io_priority(priority: &LinuxIoPriority, entries: &mut Entries) {
    let LinuxIoPriority { class, priority } = priority;
    entries.field("linux.io_priority");
    let known = IoPrioClass::try_from(*class).is_ok();
    entries.known(known, "", format!("class {class}"));
    entries.range("", (*priority).into(), 0, 7);
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
    let LinuxMemoryPolicy { mode, nodes, flags } = policy;
    let Ok(mode) = MpolMode::try_from(*mode) else {
        return entries.known(false, "", format!("mode {mode}"));
    };
    let has_nodes = !nodes.is_empty();
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
    entries.list(nodes);
    let has = |flag: MpolFlag| flags.contains(&flag.into());
    let both = has(MpolFlag::MpolFStaticNodes) && has(MpolFlag::MpolFRelativeNodes);
    let fact = "MPOL_F_STATIC_NODES and MPOL_F_RELATIVE_NODES exclude each other";
    entries.consistent(!both, "flags", fact, "set one of them");
}

/// Checks the resources of a new or running container.
pub(super) fn resources(resources: &LinuxResources, entries: &mut Entries) {
    let LinuxResources {
        memory,
        cpu,
        hugepage_limits,
        // Classes of the host, which only the runtime can check.
        blockio_class: _,
        rdt_class: _,
        unified,
        devices,
        // Any number is a limit; one that is not above 0 means none.
        pids: _,
    } = resources;
    if let Some(memory) = memory {
        check_memory(memory, entries);
    }
    if let Some(cpu) = cpu {
        check_cpu(cpu, entries);
    }
    entries.field("linux.resources.hugepage_limits");
    for HugepageLimit { page_size, limit: _ } in hugepage_limits {
        entries.unique(page_size);
    }
    check_unified(unified, entries);
    check_device_rules(devices, entries);
}

fn check_memory(memory: &LinuxMemory, entries: &mut Entries) {
    let LinuxMemory {
        limit: asked_limit,
        reservation,
        swap,
        // Current kernels ignore these two.
        kernel: _,
        kernel_tcp: _,
        swappiness,
        disable_oom_killer: _,
        use_hierarchy: _,
    } = memory;
    for (field, value) in [
        ("linux.resources.memory.limit", asked_limit),
        ("linux.resources.memory.reservation", reservation),
        ("linux.resources.memory.swap", swap),
    ] {
        limit(field, *value, entries);
    }
    if let Some(swappiness) = swappiness {
        let value = i64::try_from(*swappiness).unwrap_or(i64::MAX);
        entries.field("linux.resources.memory.swappiness");
        entries.range("", value, 0, 100);
    }
}

fn check_cpu(cpu: &LinuxCpu, entries: &mut Entries) {
    let LinuxCpu {
        // The kernel moves shares into its range, and the valid times depend on its configuration.
        shares: _,
        quota,
        period: _,
        realtime_runtime: _,
        realtime_period: _,
        cpus,
        mems,
    } = cpu;
    limit("linux.resources.cpu.quota", *quota, entries);
    entries.field("linux.resources.cpu.cpus");
    entries.list(cpus);
    entries.field("linux.resources.cpu.mems");
    entries.list(mems);
}

/// Checks a limit: the kernel accepts no value below -1, which means "no limit".
fn limit(field: &'static str, value: Option<i64>, entries: &mut Entries) {
    if let Some(value) = value {
        entries.field(field);
        entries.range("", value, -1, i64::MAX);
    }
}

/// Checks unified resources: the key names a file of the cgroup and is not a path; runc rejects a
/// name with `/`.
fn check_unified(unified: &BTreeMap<String, String>, entries: &mut Entries) {
    entries.field("linux.resources.unified");
    for file in unified.keys() {
        entries.named(file);
        let holds = !file.contains('/');
        entries.require(holds, file, ProblemKind::ForbiddenCharacter('/'));
    }
}

fn check_device_rules(rules: &[LinuxDeviceCgroup], entries: &mut Entries) {
    entries.field("linux.resources.devices");
    for LinuxDeviceCgroup { allow: _, r#type, major: _, minor: _, access } in rules {
        let is_known_type = matches!(r#type.as_str(), "" | "a" | "b" | "c");
        entries.known(is_known_type, "", format!("type {type:?}"));
        let is_known_access = access.chars().all(|letter| "rwm".contains(letter));
        entries.known(is_known_access, "", format!("access {access:?}"));
    }
}
