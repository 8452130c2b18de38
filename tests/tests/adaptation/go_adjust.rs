//! The builder of adjustments against the helpers of the Go API, case by case, in both directions.

use std::collections::BTreeMap;
use std::path::PathBuf;

use nri::adjust::HookStage;
use nri::adjust::{Adjustment, NamespaceKind, SetResources};
use nri::api::{
    ContainerEviction, ContainerUpdate, CreateContainerResponse, Hook, Hooks, IoPrioClass,
    LinuxDevice, LinuxIoPriority, LinuxMemoryPolicy, LinuxScheduler, LinuxSchedulerFlag,
    LinuxSeccomp, LinuxSeccompArg, LinuxSyscall, Mount, MpolFlag, MpolMode, PosixRlimit,
};
use nri::codec::Message;
use nri_tests::{hex, peers};

/// Messages that are equal and still encoded in other bytes, with the reason.
const OTHER_BYTES: [(&str, &str); 2] = [
    ("annotation-replaced", "the order of entries of a map is free"),
    ("net-device-removed", "an empty message as value of a map may be left out, and Go writes it"),
];

fn cases() -> BTreeMap<&'static str, Adjustment> {
    let new = Adjustment::new;
    BTreeMap::from([
        ("empty", new()),
        ("annotations", new().annotation("example.com/one", "1")),
        (
            "annotation-replaced",
            new().replace_annotation("example.com/one", "2").remove_annotation("example.com/two"),
        ),
        ("mounts", mounts()),
        (
            "env",
            new().env("PLAIN", "a=b").env("EMPTY", "").remove_env("GONE").replace_env("AGAIN", "1"),
        ),
        ("args", new().args(["sh", "-c", "true"])),
        ("args-replaced", new().replace_args(["sh"])),
        ("hooks", hooks()),
        (
            "rlimits",
            new()
                .rlimit(PosixRlimit::new("RLIMIT_NOFILE").soft(1024).hard(4096))
                .rlimit(PosixRlimit::new("RLIMIT_CORE").soft(0).hard(PosixRlimit::INFINITY)),
        ),
        ("cdi", new().cdi_device("vendor.com/gpu=0")),
        ("devices", devices()),
        (
            "namespaces",
            new()
                .namespace(NamespaceKind::Network, "/run/netns/x")
                .remove_namespace(NamespaceKind::Ipc),
        ),
        ("sysctl", new().sysctl("net.core.somaxconn", "1024")),
        ("net-device", new().net_device("eth1", "net0")),
        ("net-device-removed", new().remove_net_device("eth1")),
        (
            "memory-policy",
            new().memory_policy(
                LinuxMemoryPolicy::new(MpolMode::MpolInterleave, "0-1")
                    .flag(MpolFlag::MpolFStaticNodes),
            ),
        ),
        ("memory", memory()),
        ("cpu", cpu()),
        ("resources", resources()),
        ("rdt", new().rdt_clos("gold").rdt_schemata(["L3:0=ff", "MB:0=50"]).rdt_monitoring(false)),
        ("rdt-removed", new().remove_rdt()),
        ("process", process()),
        ("seccomp", seccomp()),
        ("updates", updates()),
    ])
}

fn mounts() -> Adjustment {
    Adjustment::new()
        .mount(Mount::bind("/srv", "/data").read_only())
        .remove_mount("/old")
        .replace_mount(Mount::tmpfs("/tmp").option("size=1m"))
}

fn hooks() -> Adjustment {
    let hook = |path: &str| Hook::new(path).arg("x").env("A", "1").timeout_seconds(3);
    let early = Hooks::default()
        .with(HookStage::Prestart, hook("/a"))
        .with(HookStage::CreateRuntime, hook("/b"))
        .with(HookStage::CreateContainer, hook("/c"));
    let late = Hooks::default()
        .with(HookStage::StartContainer, hook("/d"))
        .with(HookStage::Poststart, hook("/e"))
        .with(HookStage::Poststop, hook("/f"));
    Adjustment::new()
        .hooks(early)
        .hooks(late)
        .hooks(Hooks::default().with(HookStage::Poststop, hook("/g")))
}

fn devices() -> Adjustment {
    Adjustment::new()
        .device(LinuxDevice::char("/dev/fuse", 10, 229).mode(0o666).owner(0, 5))
        .remove_device("/dev/kvm")
        .device(LinuxDevice::block("/dev/sdx", 8, 0))
}

fn memory() -> Adjustment {
    Adjustment::new()
        .memory_limit(1 << 30)
        .memory_reservation(0)
        .memory_swap(-1)
        .memory_kernel(4096)
        .memory_kernel_tcp(8192)
        .memory_swappiness(60)
        .disable_oom_killer()
        .use_hierarchy()
}

fn cpu() -> Adjustment {
    Adjustment::new()
        .cpu_shares(512)
        .cpu_quota(-1)
        .cpu_period(100_000)
        .cpu_realtime_runtime(0)
        .cpu_realtime_period(1000)
        .cpuset_cpus("0-3")
        .cpuset_mems("0")
}

fn resources() -> Adjustment {
    Adjustment::new()
        .pids_limit(64)
        .hugepage_limit("2MB", 4 << 20)
        .hugepage_limit("1GB", 0)
        .blockio_class("fast")
        .rdt_class("")
        .unified("memory.high", "1G")
}

fn process() -> Adjustment {
    Adjustment::new()
        .cgroups_path("/custom/c")
        .oom_score_adj(-5)
        .io_priority(LinuxIoPriority::new(IoPrioClass::IoprioClassBe, 4))
        .scheduler(LinuxScheduler::fifo(10).flag(LinuxSchedulerFlag::SchedFlagResetOnFork))
}

fn seccomp() -> Adjustment {
    let arg = LinuxSeccompArg { index: 1, value: 2, value_two: 3, op: "SCMP_CMP_EQ".into() };
    let rule = LinuxSyscall::new("SCMP_ACT_ERRNO", ["mount"]).errno(1).arg(arg);
    let policy = LinuxSeccomp::new("SCMP_ACT_ALLOW")
        .architecture("SCMP_ARCH_X86_64")
        .flag("SECCOMP_FILTER_FLAG_LOG")
        .rule(rule);
    Adjustment::new().seccomp_policy(policy)
}

fn updates() -> Adjustment {
    let update = ContainerUpdate::new("other")
        .cpu_shares(2)
        .memory_limit(-1)
        .pids_limit(1)
        .hugepage_limit("2MB", 0)
        .unified("cpu.weight", "1")
        .ignore_failure();
    Adjustment::new().update(update).evict(ContainerEviction::new("third", "too big"))
}

fn peer() -> PathBuf {
    let mut build = peers::nri_build("v0.12.5");
    build.name = "adjust".into();
    build.packages = vec!["./adjust".into()];
    build.build().join("adjust")
}

#[test]
fn what_go_builds_is_what_we_build() {
    let ours = cases();
    let theirs = lines(&peers::run(&mut std::process::Command::new(peer())));
    assert_eq!(
        theirs.keys().map(String::as_str).collect::<Vec<_>>(),
        ours.keys().copied().collect::<Vec<_>>()
    );
    for (name, adjustment) in ours {
        let bytes = hex::decode(&theirs[name]);
        let response = CreateContainerResponse::from(adjustment);
        assert_eq!(CreateContainerResponse::decode(&*bytes).as_ref(), Ok(&response), "{name}");
        let same_bytes = response.encode_to_vec() == bytes;
        let excepted = OTHER_BYTES.iter().any(|(other, _)| *other == name);
        assert!(
            same_bytes || excepted,
            "{name}: {} instead of {}",
            hex::encode(&response.encode_to_vec()),
            theirs[name]
        );
    }
}

#[test]
fn what_we_build_is_what_go_builds() {
    let cases = cases();
    let count = cases.len();
    let mut input = tempfile::NamedTempFile::new().unwrap();
    for (name, adjustment) in cases {
        let encoded = CreateContainerResponse::from(adjustment).encode_to_vec();
        std::io::Write::write_all(
            &mut input,
            format!("{name} {}\n", hex::encode(&encoded)).as_bytes(),
        )
        .unwrap();
    }
    let answers =
        lines(&peers::run(std::process::Command::new(peer()).stdin(input.reopen().unwrap())));
    assert_eq!(answers.len(), count);
    for (name, answer) in answers {
        assert_eq!(answer, "equal", "{name}");
    }
}

#[test]
fn every_case_passes_the_check() {
    for (name, adjustment) in cases() {
        assert_eq!(adjustment.check(), Ok(()), "{name}");
    }
}

fn lines(output: &str) -> BTreeMap<String, String> {
    let pairs = output.lines().map(|line| line.split_once(' ').unwrap_or((line, "")));
    pairs.map(|(name, rest)| (name.to_owned(), rest.to_owned())).collect()
}
