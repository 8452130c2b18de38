//! Checks resources of new and running containers.

use super::entries::Entries;
use crate::adjust::ProblemKind;
use crate::api::{LinuxCpu, LinuxMemory, LinuxResources, OptionalInt64};

pub(super) fn check(resources: &LinuxResources, entries: &mut Entries) {
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
    check_devices(resources, entries);
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

fn check_devices(resources: &LinuxResources, entries: &mut Entries) {
    entries.field("linux.resources.devices");
    for rule in &resources.devices {
        let known = matches!(rule.r#type.as_str(), "" | "a" | "b" | "c");
        entries.known(known, "", format!("type {:?}", rule.r#type));
        let known = rule.access.chars().all(|letter| "rwm".contains(letter));
        entries.known(known, "", format!("access {:?}", rule.access));
    }
}
