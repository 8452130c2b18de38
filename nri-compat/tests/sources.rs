//! The readers of sources: `go.mod` and its companions, Go files, `Cargo.lock`, and v0.1.0 configuration.

mod common;

use std::fs;

use common::Tree;
use nri_compat::check::evidence::READERS;
use nri_compat::sighting::{Certainty, FileKind, Interface, Role, Sighting};

fn look(files: &[(&str, &str)]) -> Vec<Sighting> {
    let tree = Tree::new();
    for (name, text) in files {
        tree.file(name, text.as_bytes());
    }
    let found = tree.look(READERS);
    assert_eq!(found.skipped, [], "{files:?}");
    tree.bare(found.sightings)
}

fn one(files: &[(&str, &str)]) -> Sighting {
    let mut found = look(files);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}

fn details(sighting: &Sighting) -> Vec<&str> {
    let details = sighting.evidence.iter().map(|seen| &*seen.detail);
    details.collect()
}

fn unknown(sighting: &Sighting) -> &str {
    match &sighting.interface {
        Interface::Unknown(why) => &why.reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_requirement_says_which_nri_and_no_more() {
    let go_mod = "// (c)\nmodule example.org/plugin\n\ngo 1.24\n\nrequire (\n\tgithub.com/x/y v1.0.0\n\t\"github.com/containerd/nri\" v0.11.0\n)\n";
    let found = one(&[("any-name", go_mod)]);
    assert_eq!((found.kind, found.role), (FileKind::GoMod, Role::Library));
    assert_eq!(found.nri.version.as_deref(), Some("v0.11.0"));
    assert_eq!(
        details(&found),
        ["requires github.com/containerd/nri v0.11.0 (line 8)"]
    );
    assert!(unknown(&found).starts_with("a requirement names an NRI release"));
}

#[test]
fn what_replaces_the_module_hides_its_version() {
    let base = "module x\nrequire github.com/containerd/nri v0.6.1 // indirect; why\n";
    for (replace, version, detail) in [
        (
            "replace github.com/containerd/nri => ../..",
            None,
            "replaces it by the folder ../.. (line 3)",
        ),
        (
            "replace github.com/containerd/nri v0.6.1 => github.com/me/nri v0.12.0",
            None,
            "replaces it by github.com/me/nri v0.12.0 (line 3)",
        ),
        (
            "replace (\n github.com/containerd/nri => github.com/containerd/nri v0.12.1\n)",
            Some("v0.12.1"),
            "replaces it by github.com/containerd/nri v0.12.1 (line 4)",
        ),
    ] {
        let found = one(&[("go.mod", &format!("{base}{replace}\n"))]);
        assert_eq!(found.nri.version.as_deref(), version, "{replace}");
        let requires = "requires, indirectly, github.com/containerd/nri v0.6.1 (line 2)";
        assert_eq!(details(&found), [requires, detail]);
    }
    let other = format!("{base}replace github.com/containerd/nri v0.5.0 => ../..");
    let found = one(&[("go.mod", &other)]);
    assert_eq!(found.nri.version.as_deref(), Some("v0.6.1"));
}

#[test]
fn modules_that_only_mention_nri_are_no_sighting() {
    for text in [
        "module github.com/containerd/nri\n",
        "module x\n// require github.com/containerd/nri v0.6.1\n",
        "module x\nexclude github.com/containerd/nri v0.6.1\n",
        "module x\nrequire github.com/containerd/nri/v2 v2.0.0\n",
        "module x\nreplace (\ngithub.com/containerd/nri => ../..\n)\n",
        "module x\nrequire (\n)\ngithub.com/containerd/nri v0.6.1\n",
    ] {
        assert_eq!(look(&[("go.mod", text)]), [], "{text}");
    }
}

#[test]
fn checksums_tell_versions_and_belong_to_their_module() {
    let sum = "github.com/containerd/nri v0.6.1/go.mod h1:abc=\n\
        github.com/containerd/nri v0.8.0 h1:abc=\ngithub.com/containerd/nri v0.8.0/go.mod h1:abc=\n";
    let found = one(&[("go.sum", sum)]);
    assert_eq!(found.kind, FileKind::GoSum);
    assert_eq!(found.nri.version.as_deref(), Some("v0.8.0"));

    let go_mod = "module x\nrequire github.com/containerd/nri v0.8.0\n";
    let found = one(&[("go.sum", sum), ("go.mod", go_mod)]);
    assert_eq!(found.kind, FileKind::GoMod);
    assert_eq!(
        details(&found)[1],
        "has the code of github.com/containerd/nri v0.8.0"
    );
}

#[test]
fn vendored_packages_tell_the_role() {
    let vendored = |version: &str, packages: &str| {
        let text = format!(
            "# github.com/a/b v1.0.0\n## explicit\ngithub.com/a/b/c\n\
            # github.com/containerd/nri {version}\n## explicit; go 1.24\n{packages}# github.com/z/z v1.0.0\ngithub.com/containerd/nri/pkg/adaptation\n"
        );
        one(&[("vendor/modules.txt", &text)])
    };
    let (api, stub) = (
        "github.com/containerd/nri/pkg/api\n",
        "github.com/containerd/nri/pkg/stub\n",
    );
    let plugin = vendored("v0.11.0", &format!("{api}{stub}"));
    assert_eq!(
        (plugin.kind, plugin.role),
        (FileKind::GoVendor, Role::Plugin)
    );
    assert_eq!(plugin.interface, Interface::StateChange);
    assert_eq!(plugin.events.certainty, Certainty::Unknown);

    let newer = vendored("v0.12.0", stub);
    assert!(unknown(&newer).contains("from this file alone"));
    let replaced = vendored("v0.6.1 => ../..", stub);
    assert!(unknown(&replaced).contains("hides the version"));
    let library = vendored("v0.11.0", api);
    assert_eq!(
        (library.role, library.interface),
        (Role::Library, Interface::None)
    );
    let runtime = vendored("v0.12.0", "github.com/containerd/nri/pkg/adaptation\n");
    assert_eq!(runtime.role, Role::Runtime);
    let old = vendored("v0.1.0", "github.com/containerd/nri/skel\n");
    assert_eq!(old.interface, Interface::OneShot);
}

const MAIN: &str = "package main\n\nimport (\n\t\"context\"\n\t\"github.com/containerd/nri/pkg/api\"\n\tnri \"github.com/containerd/nri/pkg/stub\"\n)\n\n\
    func (p *plugin) StopContainer(_ context.Context, _ *api.PodSandbox, _ *api.Container) ([]*api.ContainerUpdate, error) { return nil, nil }\n";
const HOOKS: &str = "package main\n\nimport \"context\"\nimport \"github.com/containerd/nri/pkg/api\"\n\n\
    func (p *plugin) RunPodSandbox(_ context.Context, pod *api.PodSandbox) error { return nil }\n\
    func (p *plugin) UpdatePodSandbox(_ context.Context, pod *api.PodSandbox, a, b *api.LinuxResources) error { return nil }\n";

#[test]
fn the_files_of_a_folder_are_one_package() {
    let found = one(&[
        ("cmd/a_hooks.go", HOOKS),
        ("cmd/main.go", MAIN),
        ("cmd/main_test.go", &HOOKS.replace("RunPod", "RemovePod")),
        (
            "lib/types.go",
            "package lib\nimport \"github.com/containerd/nri/pkg/api\"\n",
        ),
    ]);
    assert_eq!(found.place.file, "cmd/main.go");
    assert_eq!((found.kind, found.role), (FileKind::GoSource, Role::Plugin));
    assert_eq!(
        found.events.names,
        ["RunPodSandbox", "StopContainer", "UpdatePodSandbox"]
    );
    // Without a call of stub.New, there may be more.
    assert_eq!(found.events.certainty, Certainty::Observed);
    assert!(unknown(&found).contains("go.mod"));
    assert_eq!(
        details(&found),
        [
            "main.go: imports github.com/containerd/nri/pkg/api",
            "main.go: imports github.com/containerd/nri/pkg/stub",
            "main.go: type plugin has handler methods StopContainer",
            "a_hooks.go: imports github.com/containerd/nri/pkg/api",
            "a_hooks.go: type plugin has handler methods RunPodSandbox, UpdatePodSandbox",
            "stub.New is called elsewhere",
        ]
    );
}

#[test]
fn other_uses_of_nri_in_go_are_told_apart() {
    let skel = "package main\nimport \"github.com/containerd/nri/skel\"\nfunc main() { skel.Run(nil, nil) }";
    let found = one(&[("main.go", skel)]);
    assert_eq!(
        (found.role, found.interface),
        (Role::Plugin, Interface::OneShot)
    );
    let runtime = "package cri\nimport nri \"github.com/containerd/nri/pkg/adaptation\"\n";
    assert_eq!(one(&[("nri.go", runtime)]).role, Role::Runtime);
    let hooks_only = one(&[("hooks.go", HOOKS)]);
    assert_eq!(hooks_only.role, Role::None);
    assert!(unknown(&hooks_only).starts_with("has handler methods"));
    let in_text = "package x\nvar a = `import \"github.com/containerd/nri/pkg/stub\"`\n";
    assert_eq!(look(&[("x.go", in_text)]), []);
}

#[test]
fn crates_for_nri_are_told_from_cargo_lock() {
    let lock = "# generated\nversion = 4\n\n[[package]]\nname = \"nri\"\nversion = \"0.1.0\"\n\
        source = \"registry+https://example.org/index\"\ndependencies = [\n \"bytes\",\n \"nri-macros\",\n]\n\n\
        [[package]]\nname = \"nri-macros\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"my-nri-api\"\nversion = \"2.0.0\"\n\n\
        [[package]]\nname = \"ttrpc\"\nversion = \"0.8.0\"\n\n[[package]]\nname = \"country\"\nversion = \"1.0.0\"\n";
    let found = look(&[("Cargo.lock", lock)]);
    let [api, nri] = &found[..] else {
        panic!("{found:#?}")
    };
    assert_eq!(nri.name.as_deref(), Some("nri"));
    assert_eq!(details(nri), ["locks crate nri 0.1.0"]);
    assert!(unknown(nri).contains("traits"));
    assert_eq!(
        details(api),
        [
            "locks crate my-nri-api 2.0.0, not from a registry",
            "locks crate ttrpc"
        ]
    );
    assert_eq!(look(&[("Cargo.lock", &lock.replace("nri", "xyz"))]), []);
}

#[test]
fn one_shot_plugins_are_told_from_their_configuration() {
    let conf = r#"{"version": "0.1", "plugins": [{"type": "clearcfs", "conf": {"a": [1]}}, {"type": "x"}]}"#;
    let found = look(&[("conf.json", conf)]);
    let names: Vec<_> = found.iter().map(|seen| seen.name.as_deref()).collect();
    assert_eq!(names, [Some("clearcfs"), Some("x")]);
    for seen in &found {
        assert_eq!(
            (seen.kind, seen.role),
            (FileKind::OneShotConfig, Role::Plugin)
        );
        assert_eq!(seen.interface, Interface::OneShot);
    }
    let cni = r#"{"cniVersion": "1.0.0", "name": "x", "plugins": [{"type": "bridge"}]}"#;
    assert_eq!(look(&[("x.conflist", cni)]), []);
    let other = r#"{"plugins": {"type": "x"}}"#;
    assert_eq!(look(&[("other.json", other)]), []);
}

#[test]
fn broken_json_is_said() {
    let tree = Tree::new();
    tree.file("conf.json", br#"{"version": "0.1", "plugins": [{"type": "#);
    let found = tree.look(READERS);
    assert_eq!(found.sightings, []);
    assert!(found.skipped[0].reason.starts_with("not valid JSON: EOF"));
    fs::remove_file(tree.root.join("conf.json")).unwrap();
    assert_eq!(tree.look(READERS).skipped, []);
}
