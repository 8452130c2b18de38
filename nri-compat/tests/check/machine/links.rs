//! Links on the machine, which lead where they lead there, and never out of its root.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use nri_compat::check::collect::{Request, collect};
use nri_compat::skipped::SkipKind;

use super::{Machine, containerd};
use crate::common::{self, Marker, paths};

#[test]
fn a_named_path_is_not_taken_below_the_root() {
    let request = Request {
        paths: vec![Path::new("/no/such/thing").to_owned()],
        root: Some(PathBuf::from("/also/absent")),
        ..Request::default()
    };
    let found = collect(&request, &[&Marker]);
    assert_eq!(found.missing, ["/also/absent", "/no/such/thing"]);
}

#[test]
fn a_configuration_leads_nowhere_outside_the_root() {
    let machine = Machine::new()
        .with(
            "host/etc/containerd/config.toml",
            "[plugins.'io.containerd.nri.v1.nri']\nplugin_path = '/../../outside'\nplugin_config_path = 'in'",
        )
        .with("outside/10-a", "MARK a")
        .with("host/outside/10-b", "MARK b")
        .with("host/in/10-c", "MARK c");
    let request = Request { root: Some(machine.root.join("host")), ..Request::default() };
    let found = collect(&request, &[&Marker]);
    assert_eq!(machine.bare(&paths(&found)), ["/host/in/10-c", "/host/outside/10-b"]);
}

#[test]
fn links_lead_to_where_they_lead_on_the_machine() {
    for (what, link, target) in [
        ("plugin", "srv/plugins/10-a", "/data/elsewhere/10-a"),
        ("relative plugin", "srv/plugins/10-a", "../../data/elsewhere/10-a"),
        ("plugin above the root", "srv/plugins/10-a", "../../../../../data/elsewhere/10-a"),
        ("dots", "srv/plugins/10-a", "/../data/./up/../elsewhere/10-a"),
        ("folder", "srv/plugins", "/data/elsewhere"),
        ("parent", "srv", "/data/up"),
        ("etc/containerd/config.toml", "etc/containerd/config.toml", "/data/config.toml"),
    ] {
        let machine = linked(what, link, target);
        fs::create_dir_all(machine.root.join("data/up")).unwrap();
        if what == "parent" {
            symlink("/data/elsewhere", machine.root.join("data/up/plugins")).unwrap();
        }
        let found = machine.collected(&[], false);
        assert_eq!(machine.bare(&paths(&found)), ["/srv/plugins/10-a"], "{what}: {found:?}");
    }
}

/// Returns a machine with this link, which leads to a configuration if `what` is its path.
fn linked(what: &str, link: &str, target: &str) -> Machine {
    let config = containerd("/srv/plugins");
    let plain = Machine::new().with("data/elsewhere/10-a", "MARK a");
    let machine = if what == "etc/containerd/config.toml" {
        plain.with("data/config.toml", &config).with("srv/plugins/10-a", "MARK a")
    } else {
        plain.with("etc/containerd/config.toml", &config)
    };
    let place = machine.root.join(link);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    symlink(target, place).unwrap();
    machine
}

#[test]
fn links_out_of_the_root_or_in_circles_are_reported() {
    for (target, reason) in [
        ("/etc/hostname", "no such file or folder"),
        ("10-a", "a circular link"),
        ("/proc/self/exe", "no such file or folder"),
    ] {
        let machine = Machine::new()
            .with("srv/plugins/keep", "x")
            .with("etc/containerd/config.toml", &containerd("/srv/plugins"));
        symlink(target, machine.root.join("srv/plugins/10-a")).unwrap();
        let found = machine.collected(&[], false);
        let expected = format!("/srv/plugins/10-a: a link that cannot be followed: {reason}");
        assert_eq!(machine.bare(&common::answers(&found)), [expected], "{target}");
    }
}

#[test]
fn what_no_runtime_can_start_is_skipped_in_its_folder() {
    let machine = Machine::new()
        .with("srv/plugins/keep", "x")
        .with("etc/containerd/config.toml", &containerd("/srv/plugins"));
    let socket = machine.root.join("srv/plugins/10-a");
    let _socket = UnixListener::bind(socket).expect("a socket");
    symlink("/srv", machine.root.join("srv/plugins/11-b")).expect("a link");
    let found = machine.collected(&[], false);
    let special = found.skipped.iter().filter(|skipped| skipped.kind == SkipKind::SpecialFile);
    let mut places: Vec<String> = special.map(|skipped| skipped.place.to_string()).collect();
    places.sort();
    assert_eq!(machine.bare(&places), ["/srv/plugins/10-a", "/srv/plugins/11-b"]);
}
