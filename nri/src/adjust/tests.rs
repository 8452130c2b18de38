//! Tests of the builder and the check, before and after encoding.

mod checks;

use super::*;
use crate::api::{Hook, Hooks, LinuxDevice, LinuxRdt, Mount};

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
    let env = container.env.iter();
    assert!(env.map(|pair| (&*pair.key, &*pair.value)).eq([("-A", ""), ("A", "1")]));
    let annotations = [("-b", ""), ("b", "2")].map(|(key, value)| (key.into(), value.into()));
    assert_eq!(container.annotations, annotations.into());
    let mounts = container.mounts.iter();
    assert!(mounts.map(|mount| &*mount.destination).eq(["-/c", "/c"]));
    let linux = container.linux.as_ref().unwrap();
    assert_eq!(linux.devices[0].path, "-/dev/d");
    assert!(linux.sysctl.keys().eq(["-e.f", "e.f"]));
    assert!(linux.net_devices.keys().eq(["-eth0", "eth0"]));
    assert_eq!(adjustment.check(), Ok(()));
}

#[test]
fn removing_rdt_keeps_what_is_set_beside_it() {
    let adjustment = Adjustment::new().remove_rdt().rdt_clos("gold").rdt_monitoring(false);
    let expected = LinuxRdt {
        clos_id: Some("gold".into()),
        enable_monitoring: Some(false),
        remove: true,
        ..LinuxRdt::default()
    };
    let linux = adjustment.container().linux.as_ref().unwrap();
    assert_eq!(linux.rdt, Some(expected));
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
    let mut expected = all(crate::api::LinuxResources::default());
    assert_eq!(all(Adjustment::new()).resources_mut(), &mut expected);
    assert_eq!(all(ContainerUpdate::new("c")).resources_mut(), &mut expected);
}

#[test]
fn updates_and_evictions_reach_the_response() {
    let eviction = ContainerEviction::new("d", "too big");
    let adjustment = Adjustment::new().update(ContainerUpdate::new("c")).evict(eviction.clone());
    let response = CreateContainerResponse::from(adjustment);
    assert_eq!(response.update.len(), 1);
    assert_eq!(response.evict, std::slice::from_ref(&eviction));
    let request = crate::api::UpdateContainersRequest::from(Updates::new().evict(eviction.clone()));
    assert_eq!(request.evict, [eviction]);
}

#[test]
fn an_invalid_answer_becomes_the_handlers_error() {
    let answer = Adjustment::new().mount(Mount::tmpfs("tmp"));
    let error = crate::Error::from(answer.check().unwrap_err());
    let expected = r#"invalid answer: mounts "tmp": path is not absolute"#;
    assert_eq!(error.to_string(), expected);
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
    let from_0_10 = ["adjust.linux.sysctl", "adjust.args"];
    let from_0_7 = [
        "adjust.linux.resources.pids",
        "adjust.linux.sysctl",
        "adjust.args",
        "update.linux.resources.pids",
    ];
    for (release, expected) in [
        ("v0.6.1", &from_0_7[..]),
        ("0.9.0", &from_0_10),
        ("v0.10.0", &from_0_10[..1]),
        ("v0.12.5", &[]),
        ("devel", &[]),
    ] {
        let newer = adjustment.newer_than(release);
        assert!(newer.iter().map(|newer| &newer.field).eq(expected), "{release}");
    }
    let updates = Updates::new().update(ContainerUpdate::new("c").pids_limit(1));
    assert_eq!(updates.newer_than("v0.6.1")[0].field, from_0_7[3]);
}

#[test]
fn stripping_leaves_out_what_says_nothing_and_keeps_what_says_something() {
    let resources =
        crate::api::LinuxResources { memory: Some(Default::default()), ..Default::default() };
    let update = ContainerUpdate::new("c").resources(resources.clone());
    assert_eq!(update.clone().strip(), ContainerUpdate::new("c"));
    let shares = ContainerUpdate::new("c").cpu_shares(0);
    assert_eq!(update.cpu_shares(0).strip(), shares);

    let mut adjustment = Adjustment::new().resources(resources).hooks(Hooks::default());
    adjustment.linux().rdt = Some(LinuxRdt::default());
    assert!(adjustment.is_empty() && adjustment != Adjustment::new());
    for meaningful in [
        Adjustment::new().memory_policy(Default::default()),
        Adjustment::new().evict(ContainerEviction::new("c", "")),
    ] {
        assert!(!meaningful.is_empty());
    }
}
