//! Tests of the builder and the check, before and after encoding.

mod checks;
mod random;

use super::*;
use crate::adjust::HookStage;
use crate::api::{Hook, Hooks, LinuxDevice, LinuxRdt, Mount};

#[test]
fn nothing_is_recorded_unasked() {
    assert_eq!(Adjustment::new(), Adjustment::from(()));
    assert_eq!(
        Adjustment::new().container(),
        &ContainerAdjustment::default()
    );
}

#[test]
fn a_replacement_is_a_removal_and_an_addition() {
    let adjustment = Adjustment::new()
        .replace_env("A", "1")
        .replace_annotation("b", "2")
        .replace_mount(Mount::tmpfs("/c"))
        .replace_device(LinuxDevice::char("/dev/d", 1, 2))
        .replace_sysctl("e.f", "3")
        .replace_net_device("eth0", "net0");
    let container = adjustment.container();
    let env: Vec<_> = container
        .env
        .iter()
        .map(|pair| (pair.key.as_str(), pair.value.as_str()))
        .collect();
    assert_eq!(env, [("-A", ""), ("A", "1")]);
    assert_eq!(
        container.annotations.get("-b").map(String::as_str),
        Some("")
    );
    assert_eq!(
        container.annotations.get("b").map(String::as_str),
        Some("2")
    );
    let mounts: Vec<_> = container
        .mounts
        .iter()
        .map(|mount| mount.destination.as_str())
        .collect();
    assert_eq!(mounts, ["-/c", "/c"]);
    let linux = container.linux.as_ref().unwrap();
    assert_eq!(linux.devices[0].path, "-/dev/d");
    assert!(linux.sysctl.contains_key("-e.f") && linux.sysctl.contains_key("e.f"));
    assert!(linux.net_devices.contains_key("-eth0") && linux.net_devices.contains_key("eth0"));
    assert_eq!(adjustment.check(), Ok(()));
}

#[test]
fn replaced_arguments_begin_with_an_empty_one() {
    assert_eq!(
        Adjustment::new()
            .replace_args(["sh", "-c"])
            .container()
            .args,
        ["", "sh", "-c"]
    );
    assert_eq!(
        Adjustment::new().args(["sh"]).args(["ls"]).container().args,
        ["ls"]
    );
}

#[test]
fn hooks_of_several_calls_are_kept_in_order() {
    let hooks = |path: &str| Hooks::default().with(HookStage::Poststop, Hook::new(path));
    let adjustment = Adjustment::new()
        .hooks(hooks("/a"))
        .hooks(hooks("/b").with(HookStage::Prestart, Hook::new("/c")));
    let all: Vec<_> = adjustment
        .container()
        .hooks
        .as_ref()
        .unwrap()
        .iter()
        .map(|(name, hook)| (name, &*hook.path))
        .collect();
    assert_eq!(
        all,
        [
            (HookStage::Prestart, "/c"),
            (HookStage::Poststop, "/a"),
            (HookStage::Poststop, "/b")
        ]
    );
}

#[test]
fn removing_rdt_keeps_what_is_set_beside_it() {
    let adjustment = Adjustment::new()
        .remove_rdt()
        .rdt_clos("gold")
        .rdt_monitoring(false);
    let expected = LinuxRdt {
        clos_id: Some("gold".into()),
        enable_monitoring: Some(false.into()),
        remove: true,
        ..LinuxRdt::default()
    };
    assert_eq!(
        adjustment.container().linux.as_ref().unwrap().rdt,
        Some(expected)
    );
}

#[test]
fn resources_are_the_same_for_a_new_container_and_a_running_one() {
    fn all<T: SetResources>(target: T) -> T {
        target
            .memory_limit(1)
            .memory_swap(2)
            .cpu_quota(-1)
            .cpu_period(100_000)
            .pids_limit(5)
            .unified("memory.high", "9")
    }
    let adjustment = all(Adjustment::new());
    let update = all(ContainerUpdate::new("c"));
    let of_new = adjustment
        .container()
        .linux
        .as_ref()
        .unwrap()
        .resources
        .clone();
    assert_eq!(of_new, update.linux.unwrap().resources);
    assert_eq!(of_new, Some(all(crate::api::LinuxResources::default())));
}

#[test]
fn updates_and_evictions_reach_the_response() {
    let eviction = ContainerEviction::new("d", "too big");
    let adjustment = Adjustment::new()
        .update(ContainerUpdate::new("c"))
        .evict(eviction.clone());
    let response = CreateContainerResponse::from(adjustment);
    assert_eq!(
        (response.update.len(), response.evict),
        (1, vec![eviction.clone()])
    );
    let request = crate::api::UpdateContainersRequest::from(Updates::new().evict(eviction.clone()));
    assert_eq!(request.evict, [eviction]);
}

#[test]
fn an_invalid_answer_becomes_the_handlers_error() {
    let error = crate::Error::from(
        Adjustment::new()
            .mount(Mount::tmpfs("tmp"))
            .check()
            .unwrap_err(),
    );
    assert_eq!(
        error.to_string(),
        r#"invalid answer: mounts "tmp": path is not absolute"#
    );
    assert_eq!(error.help(), Some("start the path with '/'"));
}

#[test]
fn what_an_old_runtime_skips_is_named_once() {
    let adjustment = Adjustment::new()
        .args(["a", "b"])
        .pids_limit(1)
        .sysctl("a", "1")
        .device(LinuxDevice::char("/dev/a", 1, 1))
        .update(ContainerUpdate::new("c").pids_limit(1).cpu_shares(2))
        .update(ContainerUpdate::new("d").pids_limit(1));
    let names = |release| {
        adjustment
            .newer_than(release)
            .into_iter()
            .map(|newer| newer.field)
            .collect::<Vec<_>>()
    };
    let from_args = ["adjust.linux.sysctl", "adjust.args"];
    let from_pids = [
        "adjust.linux.resources.pids",
        "adjust.linux.sysctl",
        "adjust.args",
        "update.linux.resources.pids",
    ];
    assert_eq!(names("v0.6.1"), from_pids);
    assert_eq!(names("0.9.0"), from_args);
    assert_eq!(names("v0.10.0"), ["adjust.linux.sysctl"]);
    assert_eq!(names("v0.12.5"), [""; 0]);
    assert_eq!(names("devel"), [""; 0]);
    let updates = Updates::new().update(ContainerUpdate::new("c").pids_limit(1));
    assert_eq!(
        updates.newer_than("v0.6.1")[0].field,
        "update.linux.resources.pids"
    );
}

#[test]
fn stripping_leaves_out_what_says_nothing_and_keeps_what_says_something() {
    let resources = crate::api::LinuxResources {
        memory: Some(Default::default()),
        ..Default::default()
    };
    let mut update = ContainerUpdate::new("c").resources(resources.clone());
    assert_eq!(update.clone().strip(), ContainerUpdate::new("c"));
    update = update.cpu_shares(0);
    assert_eq!(
        update.clone().strip(),
        ContainerUpdate::new("c").cpu_shares(0)
    );

    let mut adjustment = Adjustment::new()
        .resources(resources)
        .hooks(Hooks::default());
    adjustment.linux().rdt = Some(LinuxRdt::default());
    assert!(adjustment.is_empty() && adjustment != Adjustment::new());
    assert!(
        !Adjustment::new()
            .memory_policy(Default::default())
            .is_empty()
    );
    assert!(
        !Adjustment::new()
            .evict(ContainerEviction::new("c", ""))
            .is_empty()
    );
}
