//! Folders as people lay them out: workspaces of buf, links beside protos, folders with one proto.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

const TYPES: &str = "syntax = \"proto3\"; package types.v1; message T { int32 a = 1; }";
const API: &str = "syntax = \"proto3\"; package api.v1; import \"types/v1/types.proto\"; message A { types.v1.T t = 1; }";
const CHANGED: &str = "syntax = \"proto3\"; package types.v1; message T { string a = 1; }";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, content) in files {
        write(folder.path(), name, content);
    }
    folder
}

fn write(folder: &Path, name: &str, content: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
    std::fs::write(path, content).expect("a folder that can be written to");
}

/// Returns the exit code of `diff`, and what it says.
fn diff(folder: &Path, from: &str, to: &str) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_nri-compat"))
        .current_dir(folder)
        .args(["diff", from, to])
        .output()
        .expect("the tool starts");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

fn git(folder: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
    let status = Command::new("git").current_dir(folder).args(identity).args(arguments).status();
    assert!(status.expect("git is installed").success());
}

/// The configurations with which buf finds `types/v1/types.proto` in another folder.
const WORKSPACES: [(&str, &str); 4] = [
    ("buf.work.yaml", "version: v1\ndirectories:\n  - proto\n  - vendor/types\n"),
    (
        "buf.yaml",
        "version: v2\nmodules:\n  - path: proto\n    name: buf.build/acme/api\n  - path: vendor/types\nbreaking:\n  use: [FILE]\n",
    ),
    (
        "buf.yaml",
        "version: v2\nmodules:\n  - path: proto\n    excludes: [proto/broken]\n  - path: vendor/types\n",
    ),
    ("buf.yaml", "version: v1beta1\nbuild:\n  roots: [proto, vendor/types]\n"),
];

#[test]
fn workspaces_of_buf_name_the_roots_of_imports() {
    for (name, configuration) in WORKSPACES {
        let folder = folder(&[
            (name, configuration),
            ("proto/api/v1/api.proto", API),
            ("vendor/types/types/v1/types.proto", TYPES),
            ("README.md", "# Protos"),
        ]);
        let path = folder.path();
        if configuration.contains("excludes") {
            write(path, "proto/broken/x.proto", "broken");
        }
        git(path, &["init", "-q", "-b", "main"]);
        git(path, &["add", "."]);
        git(path, &["commit", "-qm", "first"]);
        let unchanged = diff(path, "main:", ".");
        assert_eq!(unchanged.0, Some(0), "{configuration}: {}", unchanged.1);
        write(path, "vendor/types/types/v1/types.proto", CHANGED);
        let (code, text) = diff(path, ".git#branch=main", ".");
        assert_eq!(code, Some(100), "{configuration}: {text}");
        assert!(text.contains("FIELD_SAME_TYPE"), "{text}");
        assert!(text.contains("vendor/types/types/v1/types.proto:1:"), "{text}");
    }
}

#[test]
fn a_workspace_that_cannot_be_read_is_an_error() {
    for (configuration, expected) in [
        ("modules: [", "cannot read ./buf.yaml"),
        ("modules: [{path: ../other}]", "names `../other`, which is not in its folder"),
        ("modules: [{path: /etc}]", "names `/etc`, which is not in its folder"),
        ("modules: [{path: a}, {path: b}]", "the same name in imports"),
    ] {
        let folder =
            folder(&[("buf.yaml", configuration), ("a/a.proto", TYPES), ("b/a.proto", TYPES)]);
        let (code, text) = diff(folder.path(), ".", ".");
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains(expected), "{configuration}: {text}");
        assert!(text.contains("help: "), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_a_proto_beside_it_declares_nothing_again() {
    use std::os::unix::fs::symlink;

    let folder = folder(&[("one/types.proto", TYPES), ("other/types.proto", TYPES)]);
    let path = folder.path();
    symlink("types.proto", path.join("one/alias.proto")).expect("a link");
    symlink("alias.proto", path.join("one/again.proto")).expect("a link");
    assert_eq!(diff(path, "one", "one/types.proto").0, Some(0));
    assert_eq!(diff(path, "one/alias.proto", "one").0, Some(0));
    // A link to a file elsewhere is the file.
    std::fs::create_dir(path.join("two")).expect("a folder");
    symlink("../other/types.proto", path.join("two/types.proto")).expect("a link");
    assert_eq!(diff(path, "one", "two").0, Some(0));
}

/// As for buf, a file of a folder is known by its name; a file that is named is known by that.
#[test]
fn a_folder_with_one_proto_is_no_single_file() {
    let folder = folder(&[("old/a.proto", TYPES), ("new/b.proto", TYPES)]);
    let (code, text) = diff(folder.path(), "old", "new");
    assert_eq!(code, Some(100), "{text}");
    assert!(text.contains("FILE_NO_DELETE"), "{text}");
    for (from, to) in
        [("old/a.proto", "new/b.proto"), ("old", "new/b.proto"), ("old/a.proto", "new")]
    {
        let (exit, said) = diff(folder.path(), from, to);
        assert_eq!(exit, Some(0), "{from} {to}: {said}");
    }
}
