//! The readers of sources: Go packages, files that name NRI as a dependency, and v0.1.0
//! configuration.

use std::fs;
use std::path::PathBuf;

use crate::common::Tree;
use nri_compat::check::collect::{Request, collect};
use nri_compat::check::evidence::READERS;
use nri_compat::sighting::{Certainty, FileKind, Interface, Role, Sighting};

const MODULE: &str =
    "module example.org/agent\n\ngo 1.24\n\nrequire github.com/containerd/nri v0.11.0\n";
const PLUGIN: &str = "package main\n\nimport (\n\t\"context\"\n\t\"github.com/containerd/nri/pkg/api\"\n\t\"github.com/containerd/nri/pkg/stub\"\n)\n\n\
    func (p *plugin) RunPodSandbox(_ context.Context, _ *api.PodSandbox) error { return nil }\n";

/// Returns the sightings below the named paths of a tree.
fn named(files: &[(&str, &str)], paths: &[&str]) -> Vec<Sighting> {
    let tree = Tree::new();
    for (name, text) in files {
        tree.file(name, text.as_bytes());
    }
    let paths: Vec<PathBuf> = paths.iter().map(|path| tree.root.join(path)).collect();
    let request = Request { paths, ..Request::default() };
    let found = collect(&request, READERS);
    assert_eq!(found.skipped, [], "{files:?}");
    // Files that were named and are not plugins are listed too.
    let is_trace = |one: &Sighting| one.role != Role::None || one.interface != Interface::None;
    tree.bare(found.sightings.into_iter().filter(is_trace).collect())
}

fn collected(files: &[(&str, &str)]) -> Vec<Sighting> {
    named(files, &[""])
}

fn one(files: &[(&str, &str)]) -> Sighting {
    let mut found = collected(files);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}

fn unknown(sighting: &Sighting) -> String {
    match &sighting.interface {
        Interface::Unknown(why) => why.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_package_is_named_by_its_import_path_and_judged_by_its_module() {
    let found = one(&[("go.mod", MODULE), ("cmd/nri/main.go", PLUGIN)]);
    assert_eq!(found.name.as_deref(), Some("example.org/agent/cmd/nri"));
    assert_eq!(found.place.to_string(), "cmd/nri/main.go:9");
    assert_eq!((found.kind, found.role), (FileKind::GoSource, Role::Plugin));
    assert_eq!(found.interface, Interface::StateChange);
    assert_eq!(found.events.names, ["RunPodSandbox"]);
    assert_eq!(found.events.certainty, Certainty::Observed);
    assert_eq!(found.nri.version.as_deref(), Some("v0.11.0"));
}

#[test]
fn the_module_above_a_named_folder_or_file_counts() {
    let files = [("go.mod", MODULE), ("cmd/nri/main.go", PLUGIN)];
    for path in ["cmd/nri", "cmd/nri/main.go"] {
        let found = named(&files, &[path]);
        assert_eq!(found[0].interface, Interface::StateChange, "{path}");
    }
}

#[test]
fn what_is_not_shown_simply_is_unknown() {
    let replaced = |by: &str| format!("{MODULE}replace github.com/containerd/nri => {by}\n");
    let old_handler = PLUGIN.replace("_ context.Context, ", "");
    let in_other_builds = format!("//go:build other\n\n{PLUGIN}");
    let fork = PLUGIN.replace("containerd/nri/pkg/stub", "me/nri/pkg/stub");
    let early = MODULE.replace("v0.11.0", "v0.3.0");
    for (module, main, words) in [
        (MODULE.replace("v0.11.0", "v0.12.5"), PLUGIN, "only the built program"),
        (replaced("../nri"), PLUGIN, "replaces NRI"),
        (replaced("github.com/containerd/nri v0.12.0"), PLUGIN, "replaces NRI"),
        (
            MODULE.replace("v0.11.0", "v0.11.1-0.20260416000000-0123456789ab"),
            PLUGIN,
            "may or may not",
        ),
        ("module x\n".to_owned(), PLUGIN, "does not require NRI"),
        (MODULE.to_owned(), &old_handler, "no handler"),
        (early.clone(), PLUGIN, "no handler"),
        (MODULE.to_owned(), &in_other_builds, "no handler"),
        (MODULE.to_owned(), &fork, "no handler"),
    ] {
        let found = one(&[("go.mod", &module), ("main.go", main)]);
        assert!(unknown(&found).contains(words), "{words}: {found:#?}");
    }
    let accepted = one(&[("go.mod", &early), ("main.go", &old_handler)]);
    assert_eq!(accepted.interface, Interface::StateChange);
    let workspace = [("go.mod", MODULE), ("go.work", "use ."), ("main.go", PLUGIN)];
    assert!(unknown(&one(&workspace)).contains("go.work"));
    assert!(unknown(&one(&[("main.go", PLUGIN)])).contains("no go.mod"));
}

#[test]
fn users_of_the_types_runtimes_and_tests_are_silent() {
    let user = PLUGIN.replace("\t\"github.com/containerd/nri/pkg/stub\"\n", "");
    let runtime = PLUGIN.replace("pkg/stub", "pkg/adaptation");
    let in_text = "package x\nvar a = `import \"github.com/containerd/nri/pkg/stub\"`\n";
    for (name, text) in [
        ("main.go", user.as_str()),
        ("main.go", &runtime),
        ("main_test.go", PLUGIN),
        ("main.go", in_text),
    ] {
        assert_eq!(collected(&[("go.mod", MODULE), (name, text)]), [], "{text}");
    }
}

#[test]
fn handlers_may_be_in_any_file_of_the_package() {
    let main = "package main\nimport \"github.com/containerd/nri/pkg/stub\"\n";
    let hooks = PLUGIN.replace("\t\"github.com/containerd/nri/pkg/stub\"\n", "");
    let found = one(&[("go.mod", MODULE), ("main.go", main), ("hooks.go", &hooks)]);
    assert_eq!(found.interface, Interface::StateChange);
    assert_eq!(found.place.to_string(), "hooks.go:8");
}

#[test]
fn plugins_without_the_stub_are_unknown() {
    let wasm = "package main\nimport \"github.com/containerd/nri/pkg/api\"\nfunc main() { api.RegisterPlugin(nil) }\n";
    let found = one(&[("go.mod", MODULE), ("main.go", wasm)]);
    assert_eq!(found.role, Role::Plugin);
    assert!(unknown(&found).contains("no handler"));
    let skel = "package main\nimport \"github.com/containerd/nri/skel\"\nfunc main() { skel.Run(nil, nil) }\n";
    let one_shot = one(&[("go.mod", MODULE), ("main.go", skel)]);
    assert_eq!(one_shot.interface, Interface::OneShot);
}

#[test]
fn files_that_name_a_dependency_are_unknown_and_repeat_nothing() {
    let vendored =
        "# github.com/containerd/nri v0.11.0\n## explicit\ngithub.com/containerd/nri/pkg/stub\n";
    let lock = "version = 4\n\n[[package]]\nname = \"x\"\nversion = \"0.1.0\"\ndependencies = [\n \"nri\",\n]\n\n\
        [[package]]\nname = \"nri\"\nversion = \"0.1.0\"\nsource = \"registry+https://example.org/index\"\n";
    let manifest =
        "[package]\nname = \"x\"\n[dependencies]\nmine = { package = \"nri\", version = \"1\" }\n";
    let cyclonedx =
        r#"{"bomFormat": "CycloneDX", "components": [{"name": "github.com/containerd/nri"}]}"#;
    let spdx =
        r#"{"spdxVersion": "SPDX-2.3", "packages": [{"name": "github.com/containerd/nri"}]}"#;
    // The version is at the end of an SPDX document with sorted keys.
    let sorted = format!(
        r#"{{"SPDXID": "SPDXRef-DOCUMENT", "packages": [{{"name": "github.com/containerd/nri"}}{}],
        "spdxVersion": "SPDX-2.3"}}"#,
        r#", {"name": "other"}"#.repeat(10_000)
    );
    for (name, text) in [
        ("go.mod", MODULE),
        ("modules.txt", vendored),
        ("Cargo.lock", lock),
        ("Cargo.toml", manifest),
        ("bom.json", cyclonedx),
        ("a.spdx.json", spdx),
        ("sorted.spdx.json", sorted.as_str()),
    ] {
        let found = named(&[(name, text)], &[name]);
        assert_eq!(found.len(), 1, "{name}: {found:#?}");
        assert_eq!(found[0].role, Role::Library, "{name}");
        assert!(unknown(&found[0]).contains("dependency"), "{name}");
        let beside = collected(&[("m/go.mod", MODULE), ("m/main.go", PLUGIN), (name, text)]);
        let kinds: Vec<FileKind> = beside.iter().map(|one| one.kind).collect();
        assert_eq!(kinds, [FileKind::GoSource], "{name}");
    }
}

#[test]
fn indirect_dependencies_are_silent() {
    let indirect = MODULE.replace("v0.11.0", "v0.11.0 // indirect");
    let runtime = "# github.com/containerd/nri v0.11.0\n## explicit\ngithub.com/containerd/nri/pkg/adaptation\ngithub.com/containerd/nri/pkg/stub\n";
    let lock = "[[package]]\nname = \"x\"\nversion = \"0.1.0\"\ndependencies = [\"other\"]\n\n\
        [[package]]\nname = \"other\"\nversion = \"1.0.0\"\nsource = \"registry+x\"\ndependencies = [\"nri\"]\n";
    let bom = r#"{"bomFormat": "CycloneDX", "metadata": {"component": {"bom-ref": "a"}},
        "components": [{"name": "github.com/containerd/nri", "bom-ref": "n"}, {"name": "b", "bom-ref": "b"}],
        "dependencies": [{"ref": "a", "dependsOn": ["b"]}, {"ref": "b", "dependsOn": ["n"]}]}"#;
    for (name, text) in [
        ("go.mod", indirect.as_str()),
        ("modules.txt", runtime),
        ("Cargo.lock", lock),
        ("bom.json", bom),
    ] {
        assert_eq!(named(&[(name, text)], &[name]), [], "{name}");
    }
}

#[test]
fn one_shot_plugins_are_told_from_their_configuration() {
    let conf = r#"{"version": "0.1", "plugins": [{"type": "clearcfs", "conf": {"a": [1]}}, {"type": "x"}]}"#;
    let found = collected(&[("conf.json", conf)]);
    let names: Vec<_> = found.iter().map(|seen| seen.name.as_deref()).collect();
    assert_eq!(names, [Some("clearcfs"), Some("x")]);
    for seen in &found {
        assert_eq!((seen.kind, seen.role), (FileKind::OneShotConfig, Role::Plugin));
        assert_eq!(seen.interface, Interface::OneShot);
    }
    let cni = r#"{"cniVersion": "1.0.0", "name": "x", "plugins": [{"type": "bridge"}]}"#;
    assert_eq!(collected(&[("x.conflist", cni)]), []);
    let other = r#"{"plugins": {"type": "x"}}"#;
    assert_eq!(collected(&[("other.json", other)]), []);
}

#[test]
fn broken_json_is_said() {
    let tree = Tree::new();
    tree.file("conf.json", br#"{"version": "0.1", "plugins": [{"type": "#);
    let found = tree.collected(READERS);
    assert_eq!(found.sightings, []);
    assert!(found.skipped[0].reason.starts_with("not valid JSON: EOF"));
    fs::remove_file(tree.root.join("conf.json")).unwrap();
    assert_eq!(tree.collected(READERS).skipped, []);
}
