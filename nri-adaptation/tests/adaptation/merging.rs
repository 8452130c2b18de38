//! Merged answers to CreateContainer: what the next plugin sees, what the runtime gets, and who
//! owns what.
//!
//! The merge is compared with the Go adaptation in `tests/adaptation/go_merge.rs` of the workspace.
//! Here is one example of each rule.

use nri::adjust::{Adjustment, NamespaceKind, SetResources as _};
use nri::api::{
    Container, ContainerEviction, ContainerUpdate, Field, LinuxContainer, LinuxNamespace, Mount,
};
use nri_adaptation::merge::{CreateCollector, MergeError};

/// Returns a container with an entry in each list that plugins change.
fn container() -> Container {
    let namespace = LinuxNamespace { r#type: "network".to_owned(), path: "/old".to_owned() };
    Container {
        id: "new".to_owned(),
        args: vec!["/old".to_owned()],
        env: vec!["OLD=1".to_owned(), "KEPT=1".to_owned()],
        mounts: vec![Mount::tmpfs("/old"), Mount::tmpfs("/kept")],
        linux: Some(Box::new(LinuxContainer { namespaces: vec![namespace], ..Default::default() })),
        ..Container::default()
    }
}

/// Merges the answers of `10-a`, `20-b` and so on.
fn merged(answers: impl IntoIterator<Item = Adjustment>) -> Result<CreateCollector, MergeError> {
    let mut collector = CreateCollector::new(container());
    for (name, answer) in ["10-a", "20-b", "30-c"].into_iter().zip(answers) {
        collector.apply(name, answer.into())?;
    }
    Ok(collector)
}

fn conflict(answers: [Adjustment; 2]) -> String {
    merged(answers).expect_err("both set it").to_string()
}

fn destinations(collector: &CreateCollector) -> Vec<&str> {
    collector.container().mounts.iter().map(|mount| mount.destination.as_str()).collect()
}

#[test]
fn arguments_have_one_owner_unless_they_are_replaced() {
    let args = |arg: &str| Adjustment::new().args([arg]);
    assert_eq!(merged([args("/a")]).unwrap().container().args, ["/a"]);
    assert!(conflict([args("/a"), args("/b")]).contains("Args"));
    let replaced = Adjustment::new().replace_args(["/b"]);
    let merged = merged([args("/a"), replaced]).unwrap();
    assert_eq!(merged.container().args, ["/b"]);
}

#[test]
fn entries_of_lists_are_told_apart_by_their_keys() {
    let mount = |to: &str| Adjustment::new().mount(Mount::tmpfs(to));
    let two = merged([mount("/a"), mount("/b")]).unwrap();
    assert_eq!(destinations(&two), ["/old", "/kept", "/a", "/b"]);
    assert!(conflict([mount("/a"), mount("/a")]).contains("/a"));
    let removed = merged([Adjustment::new().remove_mount("/old")]).unwrap();
    assert_eq!(destinations(&removed), ["/kept"]);
    let again = Adjustment::new().remove_mount("/a").mount(Mount::tmpfs("/a"));
    let replaced = merged([mount("/a"), again]).unwrap();
    assert_eq!(destinations(&replaced), ["/old", "/kept", "/a"]);
}

#[test]
fn an_entry_that_the_container_has_is_replaced_by_one_that_is_set() {
    let set = merged([Adjustment::new().env("OLD", "2")]).unwrap();
    assert_eq!(set.container().env, ["KEPT=1", "OLD=2"]);
    let removed = merged([Adjustment::new().remove_env("OLD")]).unwrap();
    assert_eq!(removed.container().env, ["KEPT=1"]);
}

#[test]
fn a_plugin_may_set_what_it_has_removed() {
    let both = || Adjustment::new().remove_env("OLD").env("OLD", "2");
    assert_eq!(merged([both()]).unwrap().container().env, ["KEPT=1", "OLD=2"]);
    assert!(conflict([both(), Adjustment::new().env("OLD", "3")]).contains("OLD"));
}

#[test]
fn parts_that_are_specific_to_linux_are_merged() {
    let asked = Adjustment::new()
        .cgroups_path("/a")
        .cpu_shares(7)
        .namespace(NamespaceKind::Network, "/new");
    let merged = merged([asked]).unwrap();
    let linux = merged.container().linux.as_ref().unwrap();
    assert_eq!(linux.cgroups_path, "/a");
    let paths: Vec<&str> = linux.namespaces.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(paths, ["/new"]);
    let resources = linux.resources.as_ref().unwrap();
    let shares = resources.cpu.as_ref().unwrap().shares.unwrap();
    assert_eq!(shares, 7);
    let both = [(); 2].map(|()| Adjustment::new().cpu_shares(7));
    assert!(conflict(both).contains("CPUShares"));
}

#[test]
fn a_removed_class_of_cache_is_removed_and_may_be_set_anew() {
    let removed = merged([Adjustment::new().rdt_clos("a"), Adjustment::new().remove_rdt()]);
    let adjusted = removed.unwrap().finish().adjust;
    assert!(adjusted.linux.unwrap().rdt.unwrap().remove);
    let anew = Adjustment::new().remove_rdt().rdt_clos("b");
    let merged = merged([Adjustment::new().rdt_clos("a"), anew]).unwrap();
    let rdt = merged.finish().adjust.linux.unwrap().rdt.unwrap();
    assert_eq!(rdt.clos_id.unwrap(), "b");
}

#[test]
fn updates_and_evictions_of_other_containers_are_collected() {
    let asked = Adjustment::new()
        .update(ContainerUpdate::new("other").cpu_shares(7))
        .evict(ContainerEviction::new("other", "first"))
        .evict(ContainerEviction::new("other", "second"));
    let collector = merged([asked]).unwrap();
    let validated = collector.validation();
    let resources = |update: &ContainerUpdate| update.linux.clone().unwrap().resources.unwrap();
    assert!(resources(&validated.update[0]).memory.is_some());
    let merged = collector.finish();
    assert!(resources(&merged.updates[0]).memory.is_none());
    let reasons: Vec<&str> = merged.evictions.iter().map(|one| one.reason.as_str()).collect();
    assert_eq!(reasons, ["first"]);
}

#[test]
fn the_conflict_of_an_update_that_may_fail_is_ignored() {
    let update = || ContainerUpdate::new("other").cpu_shares(7);
    let both =
        [Adjustment::new().update(update()), Adjustment::new().update(update().ignore_failure())];
    let merged = merged(both).unwrap().finish();
    assert_eq!(merged.ignored.len(), 1);
    let strict = [(); 2].map(|()| Adjustment::new().update(update()));
    assert!(conflict(strict).contains("CPUShares"));
}

#[test]
fn validators_see_the_owner_of_each_field_and_entry() {
    let answers = [
        Adjustment::new().env("A", "1").env("B", "1"),
        Adjustment::new().remove_env("B").args(["/b"]),
    ];
    let owners = merged(answers).unwrap().validation().owners.unwrap();
    let fields = &owners.owners["new"];
    let env = &fields.compound[&(Field::Env as i32)].owners;
    assert_eq!(env["A"], "10-a");
    assert_eq!(env["B"], "-20-b");
    assert_eq!(fields.simple[&(Field::Args as i32)], "20-b");
}
