//! `refresh` on a separate repository, with a module proxy in a folder: what it adds, generates and
//! leaves out.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use nri_schema::History;
use nri_schema::history::Tables;
use tempfile::TempDir;

const CONTAINERD: &str = "github.com/containerd/containerd/v2";
const NRI: &str = "github.com/containerd/nri";

/// A repository with the tables and protos of this one, and all that is generated from them.
fn repository() -> TempDir {
    let root = tempfile::tempdir().expect("a temporary folder");
    for (path, content) in Tables::embedded().files(&root.path().join("protos")) {
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
        fs::write(path, content).expect("it can be written");
    }
    let events = include_str!("../../protos/events.toml");
    fs::write(root.path().join("protos/events.toml"), events).expect("it can be written");
    let generated = run(root.path(), "generate", "off");
    assert_eq!(generated.status.code(), Some(0));
    root
}

fn run(root: &Path, command: &str, proxy: &str) -> Output {
    let cache = tempfile::tempdir().expect("a temporary folder");
    let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
    xtask
        .arg(command)
        .arg("--root")
        .arg(root)
        .env("GOPROXY", proxy)
        .env("GOMODCACHE", cache.path())
        .env("GOSUMDB", "off");
    xtask.output().expect("the binary runs")
}

fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    String::from_utf8_lossy(&[out.as_slice(), err].concat()).into_owned()
}

/// Returns a proxy where containerd 2.4 has a release that the tables lack, NRI too, and CRI-O is
/// missing.
fn newer() -> TempDir {
    let go_mod = format!("module {CONTAINERD}\n\ngo 1.25\n\nrequire {NRI} v0.12.4\n");
    let info = r#"{"Version":"v2.4.99","Time":"2026-12-24T12:00:00Z"}"#;
    let unknown = go_mod.replace("v0.12.4", "v0.99.0");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in [
        (format!("{NRI}/@v/list"), "v0.12.0\nv0.99.0\n"),
        (format!("{NRI}/@v/v0.99.0.mod"), &format!("module {NRI}\n")),
        (format!("{NRI}/@v/v0.99.0.info"), &info.replace("2.4.99", "0.99.0")),
        (format!("{CONTAINERD}/@v/list"), "v2.4.98\nv2.4.99\n"),
        (format!("{CONTAINERD}/@v/v2.4.99.mod"), &go_mod),
        (format!("{CONTAINERD}/@v/v2.4.99.info"), info),
        (format!("{CONTAINERD}/@v/v2.4.98.mod"), &unknown),
        (format!("{CONTAINERD}/@v/v2.4.98.info"), &info.replace("99", "98")),
    ] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }
    folder
}

fn url(folder: &TempDir) -> String {
    format!("file://{}", folder.path().display())
}

#[test]
fn new_releases_are_added_and_what_depends_on_them_is_generated() {
    let root = repository();
    let output = run(root.path(), "refresh", &url(&newer()));
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for line in [
        "added containerd v2.4.99: links NRI v0.12.4, 2026-12-24",
        "left out NRI v0.99.0: add it with `cargo run -p xtask -- import`",
        "left out containerd v2.4.98: links NRI v0.99.0, which is not in versions.toml",
        "left out all of CRI-O: ",
        "wrote nri/src/context/runtime/releases.rs",
    ] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
    let history = History::read(&root.path().join("protos")).expect("the tables are whole");
    let newest = history.runtime("containerd@2.4").expect("it is known");
    assert_eq!(newest.release.name, "v2.4.99");
    let table = root.path().join("nri/src/context/runtime/releases.rs");
    let releases = fs::read_to_string(table).expect("it is written");
    assert!(releases.contains("((2, 4, 99), \"v0.12.4\")"), "{releases}");
    let check = run(root.path(), "generate", "off");
    assert_eq!(check.stdout, b"", "nothing is stale");

    let again = run(root.path(), "refresh", &url(&newer()));
    assert!(self::text(&again).contains("no new releases to add"));
}

fn add(root: &Path, release: &str, file: &str, content: &str) -> Output {
    let path = root.join(file);
    fs::write(&path, content).expect("it can be written");
    let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
    xtask.arg("refresh").arg(path).args(["--release", release, "--date", "2026-12-24", "--root"]);
    xtask.arg(root).env("GOPROXY", "off").output().expect("the binary runs")
}

#[test]
fn a_release_is_added_from_a_file_of_its_sources() {
    let root = repository();
    let root = root.path();
    let go_mod = format!("module github.com/cri-o/cri-o\n\ngo 1.26\n\nrequire {NRI} v0.12.4\n");
    let variables = "containerd_version = 2.3.2\n";
    let cri_o = "cri-o@v1.38.1";
    let k0s = "k0s@v1.37.4+k0s.0";
    for (release, file, content, line) in [
        (cri_o, "go.mod", &*go_mod, "added cri-o v1.38.1: links NRI v0.12.4, 2026-12-24"),
        (
            k0s,
            "variables",
            variables,
            "added k0s v1.37.4+k0s.0: ships containerd v2.3.2, 2026-12-24",
        ),
    ] {
        let output = add(root, release, file, content);
        assert!(text(&output).contains(line), "{}", text(&output));
        let history = History::read(&root.join("protos")).expect("the tables are whole");
        assert!(history.runtime(release).is_ok(), "{release}");
        let again = add(root, release, file, content);
        assert!(text(&again).contains("the tables have"), "{}", text(&again));
    }
    for (release, content, reason) in [
        ("k0s@v1.37.5+k0s.0", "nothing", "has no number after `containerd_version`"),
        ("k0s@v1.37.5+k0s.0", "containerd_version = 9.9.9", "is not in runtimes.toml"),
        ("k0s@1.37", variables, "is not a release such as"),
        ("k9s@v1.37.5", variables, "no table has"),
    ] {
        let output = add(root, release, "variables", content);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output).contains(reason), "{}", text(&output));
    }
}

#[test]
fn a_proxy_that_has_nothing_changes_nothing() {
    let root = repository();
    let tables = || fs::read(root.path().join("protos/runtimes.toml")).expect("it is there");
    let before = tables();
    let empty = tempfile::tempdir().expect("a temporary folder");
    for proxy in [url(&empty), "off".to_owned()] {
        let output = run(root.path(), "refresh", &proxy);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output).contains("no module of a runtime can be fetched"));
        assert_eq!(tables(), before);
    }
}
