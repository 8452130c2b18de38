//! Tests of each rule of the check, with values that pass and values that do not.

use super::*;
use crate::adjust::HookStage;
use crate::api::{
    IoPrioClass, LinuxDeviceCgroup, LinuxIoPriority, LinuxMemoryPolicy, LinuxScheduler, MpolFlag,
    MpolMode, PosixRlimit,
};

/// Checks that each adjustment has this one problem, as an author sees it.
#[track_caller]
fn fail<const N: usize>(cases: [(Adjustment, &str); N]) {
    for (adjustment, expected) in cases {
        assert_eq!(adjustment.check().unwrap_err().to_string(), expected);
    }
}

fn new() -> Adjustment {
    Adjustment::new()
}

#[test]
fn names() {
    fail([
        (new().env("", "1"), "env: name is empty"),
        (new().env("A\0", "1"), r#"env "A\0": name contains '\0'"#),
        (
            new().env("A", "1\0"),
            r#"env "A": value contains a NUL byte"#,
        ),
        (new().annotation("", ""), "annotations: name is empty"),
        (new().remove_annotation(""), "annotations: name is empty"),
        (
            new().update(ContainerUpdate::new("")),
            "update: name is empty",
        ),
    ]);
    let valid = new().env("A", "=").annotation("a/b", "").remove_env("B");
    assert_eq!(valid.check(), Ok(()));
}

#[test]
fn the_removal_marker_in_a_name() {
    for (adjustment, place) in [
        (new().env("-A", "1"), r#"env "-A""#),
        (new().sysctl("-a", "1"), r#"linux.sysctl "-a""#),
        (new().mount(Mount::tmpfs("-/a")), r#"mounts "-/a""#),
        (
            new().device(LinuxDevice::char("-/dev/a", 1, 1)),
            r#"linux.devices "-/dev/a""#,
        ),
        (new().net_device("-e", "f"), r#"linux.net_devices "-e""#),
    ] {
        let expected = format!("{place}: starts with '-', which marks a removal, but has a value");
        fail([(adjustment, &expected)]);
    }
}

#[test]
fn conflicts_with_oneself() {
    let namespaces = new()
        .remove_namespace(NamespaceKind::Ipc)
        .namespace(NamespaceKind::Ipc, "");
    let pages = new()
        .hugepage_limit("2MB", 1)
        .hugepage_limit("2MB", 2)
        .hugepage_limit("1GB", 1);
    fail([
        (new().env("A", "1").env("A", "2"), r#"env "A": set twice"#),
        (
            new().cdi_device("a/b=c").cdi_device("a/b=c"),
            r#"CDI_devices "a/b=c": set twice"#,
        ),
        (namespaces, r#"linux.namespaces "ipc": set twice"#),
        (pages, r#"linux.resources.hugepage_limits "2MB": set twice"#),
    ]);
    assert_eq!(new().sysctl("a", "1").sysctl("a", "2").check(), Ok(()));
}

#[test]
fn paths() {
    let hook = Hook::new("tell").timeout_seconds(0);
    fail([
        (
            new().device(LinuxDevice::fifo("p")),
            r#"linux.devices "p": path is not absolute"#,
        ),
        (
            new().hooks(Hooks::default().with(HookStage::Poststop, hook)),
            r#"hooks "tell": path is not absolute; hooks "tell": 0 is not in 1 to 9223372036854775807"#,
        ),
        (
            new().namespace(NamespaceKind::Network, "proc/1/ns/net"),
            r#"linux.namespaces "network": path is not absolute"#,
        ),
    ]);
}

#[test]
fn limits() {
    let limit = |soft, hard| new().rlimit(PosixRlimit::new("RLIMIT_NOFILE").soft(soft).hard(hard));
    fail([
        (
            limit(2, 1),
            r#"rlimits "RLIMIT_NOFILE": soft limit 2 is higher than hard limit 1"#,
        ),
        (
            new().oom_score_adj(-1001),
            "linux.oom_score_adj: -1001 is not in -1000 to 1000",
        ),
        (
            new().memory_swappiness(101),
            "linux.resources.memory.swappiness: 101 is not in 0 to 100",
        ),
        (
            new().update(ContainerUpdate::new("c").memory_limit(-2)),
            "linux.resources.memory.limit: -2 is not in -1 to 9223372036854775807",
        ),
    ]);
    for valid in [
        limit(1, PosixRlimit::INFINITY),
        limit(PosixRlimit::INFINITY, PosixRlimit::INFINITY),
        new().oom_score_adj(-1000).memory_limit(-1).cpu_quota(-1),
    ] {
        assert_eq!(valid.check(), Ok(()));
    }
}

#[test]
fn arguments_lists_and_devices() {
    let rule = LinuxDeviceCgroup::allow("d", None, Some(1), "rx");
    fail([
        (new().replace_args([""; 0]), "args: command line is empty"),
        (
            new().args(["a", "b\0"]),
            r#"args "b\0": value contains a NUL byte"#,
        ),
        (
            new().cpuset_cpus("0-"),
            r#"linux.resources.cpu.cpus: list "0-" is malformed"#,
        ),
        (
            new().cdi_device("gpu0"),
            r#"CDI_devices "gpu0": name is not qualified"#,
        ),
        (
            new().device_rule(rule),
            r#"linux.resources.devices: type "d" is not known; linux.resources.devices: access "rx" is not known"#,
        ),
        (
            new().unified("a/b", ""),
            r#"linux.resources.unified "a/b": name contains '/'"#,
        ),
    ]);
    assert_eq!(new().replace_args(["a", ""]).check(), Ok(()));
    assert_eq!(new().cpuset_cpus("0-3,7").cpuset_mems("0").check(), Ok(()));
}

#[test]
fn scheduling() {
    let unknown = LinuxScheduler {
        policy: 99,
        ..Default::default()
    };
    let priority = LinuxIoPriority::new(IoPrioClass::IoprioClassBe, 8);
    let scheduler = |scheduler| new().scheduler(scheduler);
    fail([
        (
            scheduler(LinuxScheduler::fifo(0)),
            r#"linux.scheduler "priority": 0 is not in 1 to 99"#,
        ),
        (
            scheduler(LinuxScheduler::other(20)),
            r#"linux.scheduler "nice": 20 is not in -20 to 19"#,
        ),
        (
            scheduler(LinuxScheduler::deadline_within(3, 2, 4)),
            "linux.scheduler: runtime 3, deadline 2 and period 4 are not in ascending order",
        ),
        (
            scheduler(unknown),
            "linux.scheduler: policy 99 is not known",
        ),
        (
            new().io_priority(priority),
            "linux.io_priority: 8 is not in 0 to 7",
        ),
    ]);
    for valid in [
        LinuxScheduler::deadline_within(1, 2, 0),
        LinuxScheduler::round_robin(99),
    ] {
        assert_eq!(scheduler(valid).check(), Ok(()));
    }
}

#[test]
fn memory_policies() {
    let policy = |mode, nodes: &str| new().memory_policy(LinuxMemoryPolicy::new(mode, nodes));
    let both = LinuxMemoryPolicy::new(MpolMode::MpolBind, "0")
        .flag(MpolFlag::MpolFStaticNodes)
        .flag(MpolFlag::MpolFRelativeNodes);
    fail([
        (
            policy(MpolMode::MpolBind, ""),
            "linux.memory_policy: mode needs nodes",
        ),
        (
            policy(MpolMode::MpolLocal, "0"),
            "linux.memory_policy: mode takes no nodes",
        ),
        (
            policy(MpolMode::MpolBind, "x"),
            r#"linux.memory_policy: list "x" is malformed"#,
        ),
        (
            new().memory_policy(both),
            r#"linux.memory_policy "flags": MPOL_F_STATIC_NODES and MPOL_F_RELATIVE_NODES exclude each other"#,
        ),
    ]);
    assert_eq!(policy(MpolMode::MpolPreferred, "").check(), Ok(()));
}
