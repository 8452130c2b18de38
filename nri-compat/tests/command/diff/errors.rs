//! Inputs of `diff` that cannot be read: the error names the input and the reason, comes soon, and
//! stays one error regardless of the names.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const PROTO: &str = "syntax = \"proto3\";\npackage p;\nmessage M {\n  int32 a = 1;\n}\n";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, content) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
        std::fs::write(path, content).expect("a folder that can be written to");
    }
    folder
}

fn command(program: &str, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments);
    command
}

fn diff(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = command(env!("CARGO_BIN_EXE_nri-compat"), folder, &["diff"]);
    command.args(arguments);
    command
}

/// Returns the error of a command that could not run.
fn refusal(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    text
}

fn error(folder: &Path, arguments: &[&str]) -> String {
    refusal(&diff(folder, arguments).output().expect("the tool starts"))
}

fn error_of_stdin(input: &[u8]) -> String {
    let mut process = diff(Path::new("."), &["-", "v0.12.0"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tool starts");
    let mut stdin = process.stdin.take().expect("piped");
    stdin.write_all(input).expect("the tool reads");
    drop(stdin);
    refusal(&process.wait_with_output().expect("the tool ends"))
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let settings = [
        "-c",
        "user.name=test",
        "-c",
        "user.email=test@localhost",
        "-c",
        "protocol.file.allow=always",
    ];
    let mut git = command("git", folder, &settings);
    let output = git.args(arguments).output().expect("git is installed");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Returns a repository with two commits of the files.
fn repository(files: &[(&str, &str)]) -> TempDir {
    let folder = folder(files);
    git(folder.path(), &["init", "-q", "-b", "main"]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-qm", "first"]);
    git(folder.path(), &["commit", "-qm", "second", "--allow-empty"]);
    folder
}

fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn git_names_what_is_missing() {
    let folder = repository(&[("a.proto", PROTO)]);
    let path = folder.path();
    for (spec, parts) in [
        (
            "HEAD~9:a.proto",
            &["cannot find `HEAD~9:a.proto`: git: Not a valid object name HEAD~9"][..],
        ),
        ("nope.proto:3", &["cannot find `nope.proto:3`"]),
        ("http://example.com/a.proto", &["is an address, and nothing is fetched"]),
        (".git#branch=nope", &["Not a valid object name nope", "help: name a file, or a branch"]),
        (".git#deep=1", &["unknown option `deep=1`", "subdir"]),
        (".git#ref=HEAD,subdir=x", &["has no file or folder `x`"]),
    ] {
        assert_says(&error(path, &[spec, "a.proto"]), parts);
    }
    let clone = tempfile::tempdir().expect("a folder");
    let address = format!("file://{}", path.display());
    git(clone.path(), &["clone", "-q", "--depth", "1", &address, "c"]);
    let shallow = error(&clone.path().join("c"), &["HEAD~1:a.proto", "a.proto"]);
    assert_says(&shallow, &["cannot find `HEAD~1:a.proto`", "a shallow clone"]);
    let local = format!("{address}/.git#ref=HEAD");
    let output = diff(path, &[&local, "."]).output().expect("the tool starts");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_repository_that_git_does_not_read_is_an_error_with_its_reason() {
    let folder = folder(&[("a.proto", PROTO)]);
    let text = error(folder.path(), &["HEAD:a.proto", "a.proto"]);
    assert_says(&text, &["cannot find `HEAD:a.proto`", "not a git repository"]);
    let mut command = diff(folder.path(), &["HEAD:a.proto", "a.proto"]);
    let output = command.env("PATH", "").output().expect("the tool starts");
    assert_says(&refusal(&output), &["git: the command cannot be started"]);
}

#[test]
fn a_submodule_is_named_with_its_commit() {
    let inner = repository(&[("a.proto", PROTO)]);
    let outer = repository(&[("readme", "x")]);
    let address = inner.path().to_string_lossy();
    git(outer.path(), &["submodule", "--quiet", "add", &address, "dep"]);
    git(outer.path(), &["commit", "-qm", "module"]);
    let commit = git(inner.path(), &["rev-parse", "HEAD"]);
    let within = error(outer.path(), &["HEAD:dep/a.proto", "dep/a.proto"]);
    let remedy = format!("`dep/.git#ref={commit}`");
    assert_says(&within, &["`dep` in revision `HEAD` is a submodule", &remedy]);
    let around = error(outer.path(), &[".git#ref=HEAD", "dep"]);
    assert_says(&around, &["no `.proto` file below `.git#ref=HEAD`"]);
}

#[cfg(unix)]
#[test]
fn no_proto_of_a_folder_is_left_out() {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;

    let folder = folder(&[("a/a.proto", PROTO), ("b/a.proto", PROTO), ("c/a.proto", PROTO)]);
    let path = folder.path();
    symlink("nowhere", path.join("a/b.proto")).expect("a link");
    let expected = "`a/b.proto` is a link to `nowhere`, which does not exist";
    assert_says(&error(path, &["a", "a"]), &[expected]);
    let name = std::ffi::OsStr::from_bytes(b"b/\xff.proto");
    std::fs::write(path.join(name), PROTO).expect("a file");
    assert_says(&error(path, &["b", "b"]), &["is not valid UTF-8"]);
    let pipe = Command::new("mkfifo").arg(path.join("c/b.proto")).status();
    assert!(pipe.expect("mkfifo is installed").success());
    assert_says(&error(path, &["c", "c"]), &["`c/b.proto` is not a file"]);
    git(path, &["init", "-q", "-b", "main"]);
    git(path, &["add", "a"]);
    git(path, &["commit", "-qm", "first"]);
    let text = error(path, &[".git#ref=main,subdir=a", "a/a.proto"]);
    assert_says(
        &text,
        &["`a/b.proto` in revision `main` is a symbolic link", "git worktree add FOLDER main"],
    );
}

#[test]
fn import_folders_exist() {
    let folder = folder(&[("a.proto", PROTO)]);
    for (import, shown) in [("nope", "`nope`"), ("p=nope", "`nope`"), ("a.proto", "`a.proto`")] {
        let text = error(folder.path(), &["-I", import, "v0.11.0", "v0.12.0"]);
        assert_says(&text, &["the import folder", shown, "help:"]);
    }
}

#[test]
fn empty_and_foreign_inputs_are_named() {
    let zeros = "s\0y\0n\0t\0";
    let folder = folder(&[("a.proto", ""), ("a.bin", ""), ("z.proto", zeros), ("set", "\u{1}x")]);
    let path = folder.path();
    assert_says(&error(path, &["a.proto", "v0.12.0"]), &["a.proto is empty"]);
    assert_says(&error(path, &["v0.12.0", "a.bin"]), &["a.bin is empty"]);
    assert_says(&error_of_stdin(b""), &["standard input is empty"]);
    assert_says(&error(path, &["z.proto", "v0.12.0"]), &["z.proto:1:2", "UTF-16"]);
    assert_says(&error(path, &["set", "v0.12.0"]), &["set: not a FileDescriptorSet"]);
    let import = "syntax = \"proto3\";\nimport \"/etc/passwd\";\n";
    std::fs::write(path.join("i.proto"), import).expect("a file");
    let refused = error(path, &["i.proto", "v0.12.0"]);
    assert_says(&refused, &["not the name of a file to import", "i.proto:2:8"]);
    assert_says(&error_of_stdin(b"\x01x"), &["standard input: not a FileDescriptorSet"]);
}

#[test]
fn a_newline_in_a_name_does_not_start_a_line() {
    let import = "syntax = \"proto3\";\nimport \"a\\nerror: x\";\n";
    let folder = folder(&[("a.proto", PROTO), ("i.proto", import), ("x\nerror: x.proto", "?")]);
    let path = folder.path();
    for spec in ["v1\nerror: x", "x\nerror: x", "i.proto", "./x\nerror: x.proto", "x\nerror: x:y"] {
        let text = error(path, &[spec, "a.proto"]);
        let errors = text.lines().filter(|line| line.starts_with("error: "));
        assert_eq!(errors.count(), 1, "{spec:?}: {text}");
    }
}

/// The list of problems ends, and so does the work for it.
#[test]
fn large_and_broken_texts_are_refused_soon() {
    let head = "syntax = \"proto3\";\n";
    let broken = format!("{head}{}", "$\n".repeat(500_000));
    let twice = format!("{head}{}", "message M {}\n".repeat(1000));
    let folder = folder(&[("broken.proto", &broken), ("twice.proto", &twice)]);
    for name in ["broken.proto", "twice.proto"] {
        let text = error(folder.path(), &[name, "v0.12.0"]);
        assert_says(&text, &["only the first 50 are shown"]);
        assert!(text.len() < 20_000, "{name}: {} bytes", text.len());
    }
    let large = vec![b'a'; (1 << 20) + 1];
    assert_says(&error_of_stdin(&large), &["too large: more than 1048576 bytes"]);
}
