//! Tests of each rule of the check, with values that pass and values that do not.

use super::*;
use crate::adjust::HookStage;
use crate::api::{
    IoPrioClass, LinuxDeviceCgroup, LinuxIoPriority, LinuxMemoryPolicy, LinuxScheduler, MpolFlag,
    MpolMode, PosixRlimit,
};

/// Returns the problems as an author sees them.
fn problems(adjustment: Adjustment) -> Vec<String> {
    let found = adjustment
        .check()
        .err()
        .map(|invalid| invalid.problems().to_vec())
        .unwrap_or_default();
    found.iter().map(ToString::to_string).collect()
}

#[track_caller]
fn passes(adjustment: Adjustment) {
    assert_eq!(problems(adjustment), Vec::<String>::new());
}

#[test]
fn names() {
    assert_eq!(
        problems(Adjustment::new().env("", "1")),
        ["env: name is empty"]
    );
    assert_eq!(
        problems(Adjustment::new().env("A\0", "1")),
        [r#"env "A\0": name contains '\0'"#]
    );
    assert_eq!(
        problems(Adjustment::new().env("A", "1\0")),
        [r#"env "A": value contains a NUL byte"#]
    );
    assert_eq!(
        problems(Adjustment::new().annotation("", "")),
        ["annotations: name is empty"]
    );
    assert_eq!(
        problems(Adjustment::new().remove_annotation("")),
        ["annotations: name is empty"]
    );
    assert_eq!(
        problems(Adjustment::new().update(ContainerUpdate::new(""))),
        ["update: name is empty"]
    );
    passes(
        Adjustment::new()
            .env("A", "=")
            .annotation("a/b", "")
            .remove_env("B"),
    );
}

#[test]
fn the_removal_marker_in_a_name() {
    let expected = "starts with '-', which marks a removal, but has a value";
    assert_eq!(
        problems(Adjustment::new().env("-A", "1")),
        [format!(r#"env "-A": {expected}"#)]
    );
    assert_eq!(
        problems(Adjustment::new().sysctl("-a", "1")),
        [format!(r#"linux.sysctl "-a": {expected}"#)]
    );
    assert_eq!(
        problems(Adjustment::new().mount(Mount::tmpfs("-/a"))),
        [format!(r#"mounts "-/a": {expected}"#)]
    );
    let device = LinuxDevice::char("-/dev/a", 1, 1);
    assert_eq!(
        problems(Adjustment::new().device(device)),
        [format!(r#"linux.devices "-/dev/a": {expected}"#)]
    );
    assert_eq!(
        problems(Adjustment::new().net_device("-e", "f")),
        [format!(r#"linux.net_devices "-e": {expected}"#)]
    );
}

#[test]
fn conflicts_with_oneself() {
    assert_eq!(
        problems(Adjustment::new().env("A", "1").env("A", "2")),
        [r#"env "A": set twice"#]
    );
    assert_eq!(
        problems(Adjustment::new().cdi_device("a/b=c").cdi_device("a/b=c")),
        [r#"CDI_devices "a/b=c": set twice"#]
    );
    let both = Adjustment::new()
        .remove_namespace(NamespaceKind::Ipc)
        .namespace(NamespaceKind::Ipc, "");
    assert_eq!(problems(both), [r#"linux.namespaces "ipc": set twice"#]);
    let twice = Adjustment::new()
        .hugepage_limit("2MB", 1)
        .hugepage_limit("2MB", 2)
        .hugepage_limit("1GB", 1);
    assert_eq!(
        problems(twice),
        [r#"linux.resources.hugepage_limits "2MB": set twice"#]
    );
    passes(Adjustment::new().sysctl("a", "1").sysctl("a", "2"));
}

#[test]
fn paths() {
    assert_eq!(
        problems(Adjustment::new().device(LinuxDevice::fifo("p"))),
        [r#"linux.devices "p": path is not absolute"#]
    );
    let hooks = Hooks::default().with(HookStage::Poststop, Hook::new("tell").timeout_seconds(0));
    let expected = [
        r#"hooks "tell": path is not absolute"#,
        r#"hooks "tell": 0 is not in 1 to 9223372036854775807"#,
    ];
    assert_eq!(problems(Adjustment::new().hooks(hooks)), expected);
    let namespace = Adjustment::new().namespace(NamespaceKind::Network, "proc/1/ns/net");
    assert_eq!(
        problems(namespace),
        [r#"linux.namespaces "network": path is not absolute"#]
    );
}

#[test]
fn limits() {
    let limit = |soft, hard| {
        Adjustment::new().rlimit(PosixRlimit::new("RLIMIT_NOFILE").soft(soft).hard(hard))
    };
    assert_eq!(
        problems(limit(2, 1)),
        [r#"rlimits "RLIMIT_NOFILE": soft limit 2 is higher than hard limit 1"#]
    );
    passes(limit(1, PosixRlimit::INFINITY));
    passes(limit(PosixRlimit::INFINITY, PosixRlimit::INFINITY));
    assert_eq!(
        problems(Adjustment::new().oom_score_adj(-1001)),
        ["linux.oom_score_adj: -1001 is not in -1000 to 1000"]
    );
    passes(
        Adjustment::new()
            .oom_score_adj(-1000)
            .memory_limit(-1)
            .cpu_quota(-1),
    );
    assert_eq!(problems(Adjustment::new().memory_swappiness(101)).len(), 1);
    assert_eq!(
        problems(Adjustment::new().update(ContainerUpdate::new("c").memory_limit(-2))).len(),
        1
    );
}

#[test]
fn arguments() {
    assert_eq!(
        problems(Adjustment::new().replace_args([""; 0])),
        ["args: command line is empty"]
    );
    assert_eq!(
        problems(Adjustment::new().args(["a", "b\0"])),
        [r#"args "b\0": value contains a NUL byte"#]
    );
    passes(Adjustment::new().replace_args(["a", ""]));
}

#[test]
fn lists_and_devices() {
    assert_eq!(
        problems(Adjustment::new().cpuset_cpus("0-")),
        [r#"linux.resources.cpu.cpus: list "0-" is malformed"#]
    );
    passes(Adjustment::new().cpuset_cpus("0-3,7").cpuset_mems("0"));
    assert_eq!(
        problems(Adjustment::new().cdi_device("gpu0")),
        [r#"CDI_devices "gpu0": name is not qualified"#]
    );
    let rule = LinuxDeviceCgroup::allow("d", None, Some(1), "rx");
    assert_eq!(problems(Adjustment::new().device_rule(rule)).len(), 2);
    assert_eq!(
        problems(Adjustment::new().unified("a/b", "")),
        [r#"linux.resources.unified "a/b": name contains '/'"#]
    );
}

#[test]
fn scheduling() {
    let scheduler = |scheduler| problems(Adjustment::new().scheduler(scheduler));
    assert_eq!(
        scheduler(LinuxScheduler::fifo(0)),
        [r#"linux.scheduler "priority": 0 is not in 1 to 99"#]
    );
    assert_eq!(
        scheduler(LinuxScheduler::other(20)),
        [r#"linux.scheduler "nice": 20 is not in -20 to 19"#]
    );
    assert_eq!(scheduler(LinuxScheduler::deadline_within(3, 2, 4)).len(), 1);
    assert_eq!(
        scheduler(LinuxScheduler {
            policy: 99,
            ..Default::default()
        }),
        ["linux.scheduler: policy 99 is not known"]
    );
    passes(Adjustment::new().scheduler(LinuxScheduler::deadline_within(1, 2, 0)));
    passes(Adjustment::new().scheduler(LinuxScheduler::round_robin(99)));
    let priority =
        Adjustment::new().io_priority(LinuxIoPriority::new(IoPrioClass::IoprioClassBe, 8));
    assert_eq!(
        problems(priority),
        ["linux.io_priority: 8 is not in 0 to 7"]
    );
}

#[test]
fn memory_policies() {
    let policy = |mode, nodes: &str| {
        problems(Adjustment::new().memory_policy(LinuxMemoryPolicy::new(mode, nodes)))
    };
    assert_eq!(
        policy(MpolMode::MpolBind, ""),
        ["linux.memory_policy: mode needs nodes"]
    );
    assert_eq!(
        policy(MpolMode::MpolLocal, "0"),
        ["linux.memory_policy: mode takes no nodes"]
    );
    assert_eq!(
        policy(MpolMode::MpolBind, "x"),
        [r#"linux.memory_policy: list "x" is malformed"#]
    );
    assert!(policy(MpolMode::MpolPreferred, "").is_empty());
    let both = LinuxMemoryPolicy::new(MpolMode::MpolBind, "0")
        .flag(MpolFlag::MpolFStaticNodes)
        .flag(MpolFlag::MpolFRelativeNodes);
    assert_eq!(problems(Adjustment::new().memory_policy(both)).len(), 1);
}
