//! Tests of each rule of the check, with values that pass and values that do not.

use super::*;
use crate::adjust::HookStage;
use crate::api::{
    IoPrioClass, LinuxDeviceCgroup, LinuxIoPriority, LinuxMemoryPolicy, LinuxScheduler, MpolFlag,
    MpolMode, PosixRlimit,
};

/// Checks that the adjustment has these problems, as an author sees them.
#[track_caller]
fn fail<const N: usize>(adjustment: Adjustment, expected: [&str; N]) {
    let invalid = adjustment.check().unwrap_err();
    let problems = invalid.problems().iter().map(ToString::to_string);
    assert_eq!(problems.collect::<Vec<_>>(), expected);
}

fn new() -> Adjustment {
    Adjustment::new()
}

#[test]
fn values_at_the_limits_are_valid() {
    let limit = |soft| new().rlimit(PosixRlimit::new("RLIMIT_NOFILE").soft(soft));
    let scheduler = |scheduler| new().scheduler(scheduler);
    let preferred = LinuxMemoryPolicy::new(MpolMode::MpolPreferred, "");
    for valid in [
        new().env("A", "=").annotation("a/b", "").remove_env("B"),
        new().sysctl("a", "1").sysctl("a", "2"),
        limit(1),
        limit(PosixRlimit::INFINITY),
        new().oom_score_adj(-1000).memory_limit(-1).cpu_quota(-1),
        new().replace_args(["a", ""]),
        new().cpuset_cpus("0-3,7").cpuset_mems("0"),
        scheduler(LinuxScheduler::deadline_within(1, 2, 0)),
        scheduler(LinuxScheduler::round_robin(99)),
        new().memory_policy(preferred),
    ] {
        assert_eq!(valid.check(), Ok(()));
    }
}

#[test]
fn every_problem_is_reported_in_the_order_of_the_fields() {
    let hook = Hook::new("tell").timeout_seconds(0);
    let adjustment = new()
        .annotation("", "")
        .remove_annotation("")
        .mount(Mount::tmpfs("-/a"))
        .env("", "1")
        .env("A\0", "1")
        .env("B", "1\0")
        .env("C", "1")
        .env("C", "2")
        .env("-D", "1")
        .args(["a", "b\0"])
        .hooks(Hooks::default().with(HookStage::Poststop, hook))
        .rlimit(PosixRlimit::new("RLIMIT_NOFILE").soft(2).hard(1))
        .cdi_device("a/b=c")
        .cdi_device("a/b=c")
        .cdi_device("gpu0")
        .update(ContainerUpdate::new("").memory_limit(-2));
    let expected = [
        "annotations: name is empty",
        "annotations: name is empty",
        r#"mounts "-/a": starts with '-', which marks a removal, but has a value"#,
        "env: name is empty",
        r#"env "A\0": name contains '\0'"#,
        r#"env "B": value contains a NUL byte"#,
        r#"env "C": set twice"#,
        r#"env "-D": starts with '-', which marks a removal, but has a value"#,
        r#"args "b\0": value contains a NUL byte"#,
        r#"hooks "tell": path is not absolute"#,
        r#"hooks "tell": 0 is not in 1 to 9223372036854775807"#,
        r#"rlimits "RLIMIT_NOFILE": soft limit 2 is higher than hard limit 1"#,
        r#"CDI_devices "a/b=c": set twice"#,
        r#"CDI_devices "gpu0": name is not qualified"#,
        "update: name is empty",
        "linux.resources.memory.limit: -2 is not in -1 to 9223372036854775807",
    ];
    fail(adjustment, expected);
    let no_args = new().replace_args([""; 0]);
    fail(no_args, ["args: command line is empty"]);
}

#[test]
fn every_problem_of_the_linux_part_is_reported() {
    let adjustment = new()
        .device(LinuxDevice::fifo("p"))
        .device(LinuxDevice::char("-/dev/a", 1, 1))
        .memory_swappiness(101)
        .cpuset_cpus("0-")
        .hugepage_limit("2MB", 1)
        .hugepage_limit("2MB", 2)
        .hugepage_limit("1GB", 1)
        .unified("a/b", "")
        .device_rule(LinuxDeviceCgroup::allow("d", None, Some(1), "rx"))
        .oom_score_adj(-1001)
        .io_priority(LinuxIoPriority::new(IoPrioClass::IoprioClassBe, 8))
        .remove_namespace(NamespaceKind::Ipc)
        .namespace(NamespaceKind::Ipc, "")
        .namespace(NamespaceKind::Network, "proc/1/ns/net")
        .sysctl("-a", "1")
        .net_device("-e", "f");
    let expected = [
        r#"linux.devices "p": path is not absolute"#,
        r#"linux.devices "-/dev/a": starts with '-', which marks a removal, but has a value"#,
        "linux.resources.memory.swappiness: 101 is not in 0 to 100",
        r#"linux.resources.cpu.cpus: list "0-" is malformed"#,
        r#"linux.resources.hugepage_limits "2MB": set twice"#,
        r#"linux.resources.unified "a/b": name contains '/'"#,
        r#"linux.resources.devices: type "d" is not known"#,
        r#"linux.resources.devices: access "rx" is not known"#,
        "linux.oom_score_adj: -1001 is not in -1000 to 1000",
        "linux.io_priority: 8 is not in 0 to 7",
        r#"linux.namespaces "ipc": set twice"#,
        r#"linux.namespaces "network": path is not absolute"#,
        r#"linux.sysctl "-a": starts with '-', which marks a removal, but has a value"#,
        r#"linux.net_devices "-e": starts with '-', which marks a removal, but has a value"#,
    ];
    fail(adjustment, expected);
}

#[test]
fn scheduling() {
    let unknown = LinuxScheduler { policy: 99, ..Default::default() };
    let order = ": runtime 3, deadline 2 and period 4 are not in ascending order";
    for (scheduler, expected) in [
        (LinuxScheduler::fifo(0), r#" "priority": 0 is not in 1 to 99"#),
        (LinuxScheduler::other(20), r#" "nice": 20 is not in -20 to 19"#),
        (LinuxScheduler::deadline_within(3, 2, 4), order),
        (unknown, ": policy 99 is not known"),
    ] {
        let expected = format!("linux.scheduler{expected}");
        fail(new().scheduler(scheduler), [&expected]);
    }
}

#[test]
fn memory_policies() {
    let both = LinuxMemoryPolicy::new(MpolMode::MpolBind, "0")
        .flag(MpolFlag::MpolFStaticNodes)
        .flag(MpolFlag::MpolFRelativeNodes);
    let exclusive = r#" "flags": MPOL_F_STATIC_NODES and MPOL_F_RELATIVE_NODES exclude each other"#;
    for (policy, expected) in [
        (LinuxMemoryPolicy::new(MpolMode::MpolBind, ""), ": mode needs nodes"),
        (LinuxMemoryPolicy::new(MpolMode::MpolLocal, "0"), ": mode takes no nodes"),
        (LinuxMemoryPolicy::new(MpolMode::MpolBind, "x"), r#": list "x" is malformed"#),
        (both, exclusive),
    ] {
        let expected = format!("linux.memory_policy{expected}");
        fail(new().memory_policy(policy), [&expected]);
    }
}
