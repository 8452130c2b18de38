//! Tests of the binary: exit codes, wording of errors, standard output and standard error.

use std::path::Path;
use std::process::{Command, Output};

fn nri_compat(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nri-compat")).args(args).output().expect("the binary runs")
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

#[test]
fn clean_is_0_and_findings_are_100_from_the_level_asked_for() {
    let upgrade = |level| code(&nri_compat(&["diff", "v0.11.0", "v0.12.0", "--fail-on", level]));
    assert_eq!(upgrade("error"), Some(0));
    assert_eq!(upgrade("warning"), Some(100));
    assert_eq!(upgrade("note"), Some(100));
    assert_eq!(upgrade("never"), Some(0));
    assert_eq!(code(&nri_compat(&["diff", "v0.12.0", "v0.11.0"])), Some(100));
    assert_eq!(code(&nri_compat(&["diff", "v0.12.0", "v0.12.1", "--fail-on", "note"])), Some(0));
}

#[test]
fn the_format_never_changes_the_exit_code() {
    for format in ["text", "json", "markdown", "csv", "github", "junit", "sarif"] {
        let output = nri_compat(&["diff", "v0.12", "v0.11", "--format", format]);
        assert_eq!(code(&output), Some(100), "{format}");
        assert!(!output.stdout.is_empty() && output.stderr.is_empty(), "{format}");
    }
}

#[test]
fn a_wrong_command_line_is_2() {
    for args in
        [&["diff", "v0.11.0"][..], &["frobnicate"], &["diff", "a", "b", "--category", "NRI"], &[]]
    {
        let output = nri_compat(args);
        assert_eq!(code(&output), Some(2), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
    assert_eq!(code(&nri_compat(&["--help"])), Some(0));
}

#[test]
fn unknown_names_are_1_and_list_near_ones() {
    for (args, error, near) in [
        (&["diff", "v0.11.0", "v0.99"][..], "error: unknown NRI release `v0.99`", "v0.12.0"),
        (
            &["diff", "containerd@2.2.99", "latest"],
            "error: unknown release `2.2.99` of containerd",
            "containerd@2.2.9",
        ),
        (&["runtimes", "contanerd"], "error: unknown runtime `contanerd`", "containerd"),
        (&["runtimes", "contanerd@2.2"], "error: unknown runtime `contanerd`", "containerd"),
        (
            &["explain", "FEILD_NO_DELETE"],
            "error: there is no rule or statement `FEILD_NO_DELETE`",
            "FIELD_NO_DELETE",
        ),
    ] {
        let output = nri_compat(args);
        let said = stderr(&output);
        let mut lines = said.lines();
        assert_eq!(code(&output), Some(1), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
        assert_eq!(lines.next(), Some(error));
        let help = lines.next().unwrap_or_default();
        assert!(help.starts_with("help: ") && help.contains(near), "{args:?}: {help}");
    }
}

#[test]
fn a_broken_proto_is_1_and_shows_file_line_and_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let proto = folder.path().join("broken.proto");
    std::fs::write(&proto, "syntax = \"proto3\";\nmessage A {\n  Foo x = 1;\n}\n")
        .expect("written");
    let output = nri_compat(&["diff", "v0.12.0", &proto.to_string_lossy()]);
    assert_eq!(code(&output), Some(1));
    let shown = stderr(&output);
    for part in ["error: ", "'Foo' is not defined", "broken.proto:3:3", "  Foo x = 1;"] {
        assert!(shown.contains(part), "{part} is not in\n{shown}");
    }
}

#[test]
fn versions_runtimes_and_files_name_the_same_protocol() {
    let folder = tempfile::tempdir().expect("a folder");
    let proto = folder.path().join("api.proto");
    let text = nri_protos_text("v0.11.0");
    std::fs::write(&proto, text).expect("written");
    let (file, whole) = (proto.to_string_lossy(), folder.path().to_string_lossy());
    for spec in ["v0.11", "0.11.0", "containerd@2.2.1", "cri-o@1.35", &*file, &*whole] {
        let output = nri_compat(&["diff", "v0.11.0", spec, "--fail-on", "note"]);
        assert_eq!(code(&output), Some(0), "{spec}: {}", stdout(&output));
    }
}

fn nri_protos_text(name: &str) -> String {
    let history = nri_schema::History::embedded().expect("the tables fit together");
    let revision = history.revisions().iter().find(|revision| revision.name() == name);
    revision.expect("a known revision").proto().to_owned()
}

#[test]
fn a_schema_that_is_not_nri_is_compared_by_the_protobuf_rules_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, field: &str| {
        let path = folder.path().join(name);
        let text = format!("syntax = \"proto3\";\npackage a;\nmessage M {{\n{field}}}\n");
        std::fs::write(&path, text).expect("written");
        path.to_string_lossy().into_owned()
    };
    std::fs::create_dir(folder.path().join("old")).expect("made");
    std::fs::create_dir(folder.path().join("new")).expect("made");
    let (old, new) = (write("old/m.proto", "  string x = 1;\n"), write("new/m.proto", ""));
    let output = nri_compat(&["diff", &old, &new]);
    assert_eq!(code(&output), Some(100));
    let shown = stdout(&output);
    assert!(shown.contains("error[FIELD_NO_DELETE]") && !shown.contains("NRI_"), "{shown}");
    assert!(shown.contains("neither side is an NRI protocol"), "{shown}");
}

#[test]
fn a_runtime_shows_its_mask_and_what_it_deprecates() {
    let output = nri_compat(&["runtimes", "containerd@2.2.1"]);
    let shown = stdout(&output);
    for part in [
        "v0.11.0",
        "0x3fff",
        "RUN_POD_SANDBOX",
        "memory_policy",
        "failure_policy",
        "planned for containerd 2.3",
    ] {
        assert!(shown.contains(part), "{part} is not in\n{shown}");
    }
    assert!(
        !shown.contains("StateChange, the catch-all"),
        "2.2 does not deprecate StateChange:\n{shown}"
    );
    let wrapped = stdout(&nri_compat(&["runtimes", "containerd@2.3.4"]));
    let newer = wrapped.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        newer.contains("StateChange, the catch-all")
            && newer.contains("planned for containerd 2.7"),
        "{newer}"
    );
}

#[test]
fn versions_list_releases_with_the_runtimes_that_ship_them() {
    let shown = stdout(&nri_compat(&["versions"]));
    let line = shown.lines().find(|line| line.starts_with("v0.12.0 ")).expect("v0.12.0 is listed");
    assert!(line.contains("2026-04-15") && line.contains("containerd 2.3.0–2.3.7"), "{line}");
}

#[test]
fn explain_knows_every_rule_of_the_catalogue() {
    let rules =
        std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("rules")).expect("rules");
    let toml = |path: &Path| path.extension().is_some_and(|extension| extension == "toml");
    let paths = rules.map(|entry| entry.expect("readable").path()).filter(|path| toml(path));
    // Running all of them takes long in a debug build; NRI's own rules are documented nowhere else.
    for path in paths.filter(|path| path.to_string_lossy().contains("NRI_EVENT_")) {
        let id = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let output = nri_compat(&["explain", &id.to_lowercase()]);
        assert_eq!(code(&output), Some(0), "{id}");
        assert!(stdout(&output).starts_with(&id), "{id}");
    }
}

#[test]
fn no_escape_sequences_reach_a_pipe() {
    let output = nri_compat(&["diff", "v0.11.0", "v0.12.0"]);
    assert!(!output.stdout.contains(&0x1b));
}

/// A warning of containerd as journald hands it on.
const WARNING: &str = "Mar 18 20:15:04 node-1 containerd[195]: time=\"2026-03-18T20:15:04.861Z\" level=warning msg=\"NRI plugin uses a deprecated interface.\" deprecated=StateChange details=\"does not implement a dedicated RunPodSandbox RPC call\" plugin=10-template\n";

fn logs_of_stdin(log: &str, args: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nri-compat"))
        .args(["logs", "-"])
        .args(args)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut stdin, log.as_bytes()).expect("it reads");
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

#[test]
fn logs_name_plugins_and_events_from_standard_input() {
    let output = logs_of_stdin(WARNING, &["--target", "containerd@2.3"]);
    assert_eq!(code(&output), Some(100));
    let shown = stdout(&output);
    for part in ["10-template", "deprecated", "RunPodSandbox", "<stdin>"] {
        assert!(shown.contains(part), "{part} is not in\n{shown}");
    }
    let older = logs_of_stdin(WARNING, &["--target", "containerd@2.2"]);
    assert_eq!(code(&older), Some(0), "2.2 does not deprecate StateChange");
    let never = logs_of_stdin(WARNING, &["--fail-on", "never"]);
    assert_eq!(code(&never), Some(0));
}

#[test]
fn a_log_that_is_not_there_is_1() {
    let output = nri_compat(&["logs", "/nowhere/containerd.log"]);
    assert_eq!(code(&output), Some(1));
    assert!(stdout(&output).contains("/nowhere/containerd.log: cannot be read"));
    assert_eq!(code(&nri_compat(&["logs"])), Some(2));
}

/// A process that cannot unwind starts again after a panic, with the defect in a variable.
#[test]
fn a_file_whose_reader_panicked_is_unknown_and_the_others_are_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let module = b"\0asm\x01\0\0\0\x07\x16\x01\x12plugin_api_version\0\0";
    for name in ["10-a.wasm", "20-b.wasm"] {
        std::fs::write(folder.path().join(name), module).expect("a file");
    }
    let defect = format!("wasm {}\n", folder.path().join("10-a.wasm").display());
    let output = Command::new(env!("CARGO_BIN_EXE_nri-compat"))
        .args(["check", "--format", "csv", "--target", "containerd@2.3"])
        .arg(folder.path())
        .env("NRI_COMPAT_DEFECTS", defect)
        .output()
        .expect("the binary runs");
    let rows = stdout(&output);
    let row = |name: &str| rows.lines().find(|row| row.contains(name)).expect("a row");
    assert!(row("10-a.wasm").contains("defect in the reader `wasm`: it panicked"), "{rows}");
    assert!(!row("20-b.wasm").contains("defect"), "{rows}");
}
