//! Checks resources of new and running containers.

use super::entries::Entries;
use super::list::is_list;
use crate::adjust::{Problem, ProblemKind};
use crate::api::{LinuxCpu, LinuxMemory, LinuxResources, OptionalInt64};

pub(super) fn check(resources: &LinuxResources, problems: &mut Vec<Problem>) {
    if let Some(memory) = &resources.memory {
        check_memory(memory, problems);
    }
    if let Some(cpu) = &resources.cpu {
        check_cpu(cpu, problems);
    }
    let mut hugepages = Entries::new("linux.resources.hugepage_limits", problems);
    for limit in &resources.hugepage_limits {
        hugepages.unique(&limit.page_size);
    }
    check_unified(resources, problems);
    check_devices(resources, problems);
}

/// Checks memory limits: the kernel accepts no value below -1, which means "no limit".
fn check_memory(memory: &LinuxMemory, problems: &mut Vec<Problem>) {
    at_least_minus_one(
        "linux.resources.memory.limit",
        memory.limit.as_ref(),
        problems,
    );
    at_least_minus_one(
        "linux.resources.memory.reservation",
        memory.reservation.as_ref(),
        problems,
    );
    at_least_minus_one(
        "linux.resources.memory.swap",
        memory.swap.as_ref(),
        problems,
    );
    if let Some(swappiness) = &memory.swappiness {
        let value = i64::try_from(swappiness.value).unwrap_or(i64::MAX);
        Entries::new("linux.resources.memory.swappiness", problems).range("", value, 0, 100);
    }
}

fn check_cpu(cpu: &LinuxCpu, problems: &mut Vec<Problem>) {
    at_least_minus_one("linux.resources.cpu.quota", cpu.quota.as_ref(), problems);
    for (field, list) in [
        ("linux.resources.cpu.cpus", &cpu.cpus),
        ("linux.resources.cpu.mems", &cpu.mems),
    ] {
        let holds = list.is_empty() || is_list(list);
        Entries::new(field, problems).require(holds, "", ProblemKind::MalformedList(list.clone()));
    }
}

fn at_least_minus_one(
    field: &'static str,
    value: Option<&OptionalInt64>,
    problems: &mut Vec<Problem>,
) {
    if let Some(value) = value {
        Entries::new(field, problems).range("", value.value, -1, i64::MAX);
    }
}

/// Checks unified resources: the key names a file of the cgroup and is not a path; runc rejects a
/// name with `/`.
fn check_unified(resources: &LinuxResources, problems: &mut Vec<Problem>) {
    let mut entries = Entries::new("linux.resources.unified", problems);
    for file in resources.unified.keys() {
        entries.named(file);
        entries.require(
            !file.contains('/'),
            file,
            ProblemKind::ForbiddenCharacter('/'),
        );
    }
}

fn check_devices(resources: &LinuxResources, problems: &mut Vec<Problem>) {
    let mut entries = Entries::new("linux.resources.devices", problems);
    for rule in &resources.devices {
        let known = matches!(rule.r#type.as_str(), "" | "a" | "b" | "c");
        entries.require(
            known,
            "",
            ProblemKind::Unknown(format!("type {:?}", rule.r#type)),
        );
        let access = rule.access.chars().all(|letter| "rwm".contains(letter));
        entries.require(
            access,
            "",
            ProblemKind::Unknown(format!("access {:?}", rule.access)),
        );
    }
}
