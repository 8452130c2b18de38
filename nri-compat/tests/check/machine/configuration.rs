//! Configurations of runtimes, and the folders that they name.

use nri_compat::check::collect::{Collected, Request, collect};
use nri_compat::runtime_release::RuntimeRelease;

use super::{Machine, containerd};
use crate::common::{self, Marker, paths};

#[test]
fn without_a_configuration_the_default_folders_are_looked_at() {
    let machine = Machine::new()
        .with("opt/nri/plugins/10-a", "MARK a")
        .with("opt/nri/bin/old", "MARK b")
        .with("etc/nri/conf.json", "MARK c");
    let found = machine.collected(&[], false);
    assert_eq!(
        machine.bare(&paths(&found)),
        ["/etc/nri/conf.json", "/opt/nri/bin/old", "/opt/nri/plugins/10-a"]
    );
    assert_eq!(
        machine.places(&found),
        ["/opt/nri/plugins", "/etc/nri/conf.d (not there)", "/opt/nri/bin", "/etc/nri/conf.json",]
    );
    assert!(found.skipped.is_empty(), "{:?}", found.skipped);
}

const VERSION_3: &str = "version = 3\nimports = ['conf.d/*.toml', '/etc/containerd/more.toml']\n\
    [plugins.'io.containerd.nri.v1.nri']\ndisable = false\nplugin_path = '/srv/one'\n";

#[test]
fn a_configured_machine_is_looked_at_where_its_runtimes_look() {
    let nri = "version = 3\n[plugins.'io.containerd.nri.v1.nri']\n";
    let machine = Machine::new()
        .with("etc/containerd/config.toml", VERSION_3)
        .with("etc/containerd/conf.d/a.toml", &format!("{nri}plugin_path = '/srv/two'"))
        .with("etc/containerd/conf.d/b.toml", &format!("{nri}plugin_path = '/srv/three'"))
        .with("etc/containerd/conf.d/c.txt", "not imported")
        .with("etc/containerd/more.toml", &format!("{nri}disable = true"))
        .with("srv/one/10-a", "MARK a")
        .with("srv/two/10-b", "MARK b")
        .with("srv/three/10-c", "MARK c")
        .with("opt/nri/plugins/10-d", "MARK d")
        .with("etc/crio/crio.conf.d/10-x.conf", "[crio.nri]\nnri_plugin_dir = '/srv/crio'")
        .with("srv/crio/10-e", "MARK e");
    let found = machine.collected(&[], false);
    assert_eq!(machine.bare(&paths(&found)), ["/srv/crio/10-e", "/srv/three/10-c"]);
    assert_eq!(
        machine.places(&found),
        [
            "/etc/containerd/config.toml (containerd, NRI is off)",
            "/srv/three",
            "/etc/nri/conf.d (not there)",
            "/etc/crio/crio.conf (cri-o)",
            "/srv/crio",
            "/opt/nri/bin (not there)",
            "/etc/nri/conf.json (not there)",
        ]
    );
}

/// Version 1, which containerd 1.7 still reads, has short names of plugins; and CRI-O reads drop-in
/// files of any name.
#[test]
fn old_names_and_drop_ins_are_read() {
    for config in [
        "[plugins.nri]\nplugin_path = '/srv/one'\n",
        "version = 1\n[plugins]\n[plugins.nri]\nplugin_path = '/srv/one'\n",
        "[plugins.'io.containerd.nri.v1.nri']\nplugin_path = '/srv/one'\n",
        "version = 0x2\n[plugins.'io.containerd.nri.v1.nri']\nplugin_path = '/srv/one'\n[plugins.nri]\nplugin_path = '/srv/two'\n",
    ] {
        let machine = Machine::new()
            .with("etc/containerd/config.toml", config)
            .with("srv/one/10-a", "MARK a")
            .with("srv/two/10-b", "MARK b");
        assert_eq!(machine.found(&[]), ["/srv/one/10-a"], "{config}");
    }
    let nri = |folder: &str| format!("[crio.nri]\nnri_plugin_dir = '{folder}'\n");
    let machine = Machine::new()
        .with("etc/crio/crio.conf.d/10-a", &nri("/srv/one"))
        .with("etc/crio/crio.conf.d/20.txt", &nri("/srv/two"))
        .with("etc/crio/crio.conf.d/30/b.conf", &nri("/srv/three"))
        .with("srv/one/10-a", "MARK a")
        .with("srv/two/10-b", "MARK b")
        .with("srv/three/10-c", "MARK c");
    let found = machine.collected(&[], false);
    assert_eq!(machine.bare(&paths(&found)), ["/srv/two/10-b"]);
    let folder = "/etc/crio/crio.conf.d/30: not a regular file";
    assert_eq!(machine.bare(&common::skipped(&found)), [folder]);
}

#[test]
fn a_configuration_that_is_named_stands_for_its_folders() {
    let machine = Machine::new()
        .with("my.toml", "version = 2\n[plugins.'io.containerd.nri.v1.nri']\nplugin_path = '/p'")
        .with("p/10-a", "MARK a")
        .with("crio.conf", "[crio.nri]\nenable_nri = true\nnri_plugin_dir = '/q'")
        .with("crio.conf.d/z.conf", "[crio.nri]\nnri_plugin_config_dir = '/r'")
        .with("q/10-b", "MARK b")
        .with("r/10-b.conf", "MARK c");
    assert_eq!(machine.found(&["my.toml"]), ["/p/10-a"]);
    assert_eq!(machine.found(&["crio.conf"]), ["/q/10-b", "/r/10-b.conf"]);
    let found = machine.collected(&["crio.conf"], false);
    assert_eq!(
        machine.bare(&found.summary.looked_at),
        ["/crio.conf (cri-o, NRI is on)", "/q", "/r"]
    );
}

#[test]
fn imports_in_a_cycle_end_and_broken_ones_are_said() {
    let machine = Machine::new()
        .with("a.toml", "version = 3\nimports = ['./sub/../b.toml', 'absent.toml', 'bad.toml']")
        .with("b.toml", "version = 3\nimports = ['a.toml', 'deep/c*.toml']\n[plugins]")
        .with("bad.toml", "version = = 3")
        .with("deep/er/c.toml", "[plugins.'io.containerd.nri.v1.nri']\nplugin_path = '/never'")
        .with("deep/c.toml", "[plugins.'io.containerd.nri.v1.nri']\nplugin_path = '/p'")
        .with("p/10-a", "MARK a");
    let found = machine.collected(&["a.toml"], false);
    assert_eq!(machine.bare(&paths(&found)), ["/p/10-a"]);
    let skipped: Vec<_> = found.skipped.iter().map(|skip| skip.place.to_string()).collect();
    assert_eq!(machine.bare(&skipped), ["/absent.toml", "/bad.toml"]);
    assert!(found.skipped[1].reason.starts_with("line 1 is not valid: "));
}

#[test]
fn other_toml_is_no_configuration() {
    let machine = Machine::new()
        .with("Cargo.lock", "version = 4\n[[package]]\nname = 'x'")
        .with("deep.toml", &"[".repeat(100_000));
    let found = machine.collected(&["Cargo.lock", "deep.toml"], false);
    let reasons: Vec<_> = found.sightings.iter().map(|seen| &*seen.evidence[0].detail).collect();
    assert_eq!(reasons, ["not a kind of file that can be judged"; 2]);
}

#[test]
fn a_configured_folder_that_is_not_there_counts() {
    let machine = Machine::new().with("etc/containerd/config.toml", &containerd("/srv/gone"));
    let found = machine.collected(&[], false);
    let line = "/etc/containerd/config.toml:3: the folder /srv/gone does not exist: the runtime starts no plugins";
    assert_eq!(findings(&machine, &found), [line]);
    assert!(machine.places(&found).contains(&"/srv/gone (not there)".to_owned()));
}

#[test]
fn a_setting_of_the_wrong_type_is_reported() {
    for (setting, reason) in [
        (
            "[plugins.'io.containerd.nri.v1.nri']\nplugin_path = 5",
            "line 3 is not valid: invalid type: integer `5`, expected a string",
        ),
        (
            "imports = '/etc/containerd/conf.d/*.toml'",
            "line 2 is not valid: invalid type: string \"/etc/containerd/conf.d/*.toml\", expected a sequence",
        ),
    ] {
        let text = format!("version = 3\n{setting}\n");
        let machine = Machine::new().with("etc/containerd/config.toml", &text);
        let line = format!("/etc/containerd/config.toml: {reason}");
        assert_eq!(machine.bare(&common::skipped(&machine.collected(&[], false))), [line]);
    }
}

/// Returns the findings about configurations: each with its place.
fn findings(machine: &Machine, found: &Collected) -> Vec<String> {
    let findings = found.sightings.iter().flat_map(|seen| &seen.incidents);
    let lines: Vec<String> =
        findings.map(|finding| format!("{}: {}", finding.place, finding.detail)).collect();
    machine.bare(&lines)
}

#[test]
fn settings_without_effect_are_named_in_all_files() {
    let machine = Machine::new()
        .with("etc/containerd/config.toml", "version = 2\nimports = ['more.toml']\n")
        .with(
            "etc/containerd/more.toml",
            "version = 2\n[plugins.'io.containerd.nri.v1.nri']\nplugin_pth = '/x'\n",
        )
        .with(
            "etc/crio/crio.conf.d/10-nri.conf",
            "[crio.nri.default_validator]\nnri_enable_default_validator = true\nnri_validator_required_plugins = ['10-a', '20-b', 'c']\n",
        )
        .with("opt/nri/plugins/10-a", "MARK a")
        .with("opt/nri/plugins/20-b", "MARK b");
    let found = machine.collected(&[], false);
    assert_eq!(
        findings(&machine, &found),
        [
            "/etc/containerd/more.toml:3: containerd has no setting `plugin_pth` for NRI, and ignores it; did you mean `plugin_path`?",
            "/etc/crio/crio.conf.d/10-nri.conf:3: `c` is required, and no plugin that was found has this name: no container can be created without it; plugins that connect on their own were not looked for (check --proc on the live node finds them)",
        ]
    );
}

#[test]
fn the_release_that_reads_a_configuration_decides_about_defaults() {
    let machine = || Machine::new().with("etc/containerd/config.toml", "version = 2\n");
    for (version, state) in [
        (None, ""),
        (Some("1.7.27"), ", NRI is off by default"),
        (Some("2.0.0"), ", NRI is on by default"),
    ] {
        let line = format!("/etc/containerd/config.toml (containerd{state})");
        assert_eq!(first_place(&machine(), version), line);
    }
}

/// Returns the first place that was looked at on a machine with this release of containerd.
fn first_place(machine: &Machine, version: Option<&str>) -> String {
    let releases = version.map(|version| RuntimeRelease {
        runtime: "containerd".to_owned(),
        version: version.parse().unwrap(),
    });
    let request = Request {
        root: Some(machine.root.clone()),
        releases: releases.into_iter().collect(),
        ..Request::default()
    };
    let found = collect(&request, &[&Marker]);
    machine.places(&found)[0].clone()
}

#[test]
fn a_folder_of_drop_in_files_that_cannot_be_listed_is_reported() {
    let machine = Machine::new()
        .with("etc/crio/crio.conf", "[crio.runtime]\n")
        .with("etc/crio/crio.conf.d", "a file");
    let line = "/etc/crio/crio.conf.d: not a directory (os error 20)";
    assert_eq!(machine.bare(&common::skipped(&machine.collected(&[], false))), [line]);
}
