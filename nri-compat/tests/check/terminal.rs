//! `check` on a command line: standard input, skipped files, and the width of lines.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::image::Layer;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

/// A WebAssembly plugin without the dedicated exports, which newer runtimes do not load.
const PLUGIN: &[u8] = b"\0asm\x01\0\0\0\x07\x16\x01\x12plugin_api_version\0\0";

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nri-compat"));
    command.current_dir(folder).args(args).env_remove("COLUMNS").stdin(Stdio::null());
    command
}

fn run(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().expect("the binary runs")
}

/// Returns the output of `check -` with these bytes as standard input.
fn piped(input: &[u8], args: &[&str]) -> Output {
    let mut child = command(Path::new("."), &[&["check", "-"], args].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input).expect("written");
    drop(stdin);
    child.wait_with_output().expect("the binary ends")
}

#[test]
fn an_archive_is_read_from_standard_input() {
    let layer = Layer::new()
        .folder("opt/nri/plugins")
        .entry("opt/nri/plugins/10-old", tar::EntryType::Regular, PLUGIN)
        .tar();
    let manifest =
        r#"[{"Config":"config.json","RepoTags":["example.org/p:1"],"Layers":["0/layer.tar"]}]"#;
    let image = Layer::new()
        .entry("0/layer.tar", tar::EntryType::Regular, &layer)
        .file("config.json", "{}")
        .file("manifest.json", manifest)
        .tar();
    let output = piped(&image, &["--format", "json", "--target", "nri@0.12.5"]);
    assert_eq!(output.status.code(), Some(100), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let all = report.to_string();
    assert!(all.contains("<stdin>") && all.contains("/opt/nri/plugins/10-old"), "{all}");
    assert!(output.stderr.is_empty(), "standard input is no terminal: {output:?}");
}

#[test]
fn a_skipped_file_counts_if_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    // A tar within a tar is not opened.
    let inner = Layer::new().file("a", "b").tar();
    let outer = Layer::new().entry("inner.tar", tar::EntryType::Regular, &inner).tar();
    fs::create_dir(folder.path().join("images")).expect("created");
    fs::write(folder.path().join("images/outer.tar"), outer).expect("written");
    let code =
        |args: &[&str]| run(folder.path(), &[&["check", "images"], args].concat()).status.code();
    assert_eq!(code(&[]), Some(0));
    assert_eq!(code(&["--fail-on", "skipped"]), Some(100));
    assert_eq!(code(&["--fail-on", "removed"]), Some(0));
}

#[test]
fn no_line_is_wider_than_columns() {
    let folder = tempfile::tempdir().expect("a folder");
    let plugins = folder.path().join("plugins/with/a/long/path/to/several/plugins");
    fs::create_dir_all(&plugins).expect("created");
    fs::write(plugins.join("10-a-plugin-with-a-rather-long-name"), PLUGIN).expect("written");
    for columns in ["20", "45", "80", "200"] {
        for args in [
            &["check", "plugins", "--explain"][..],
            &["diff", "v0.11.0", "v0.12.0"],
            &["versions"],
            &["runtimes"],
            &["runtimes", "containerd@2.2.1"],
            &["explain"],
            &["explain", "CHECK_STATE_CHANGE"],
        ] {
            let output = command(folder.path(), args).env("COLUMNS", columns).output();
            let text = String::from_utf8(output.expect("the binary runs").stdout).expect("UTF-8");
            assert!(!text.is_empty(), "{args:?}");
            for line in text.lines() {
                let width = line.width();
                assert!(width <= columns.parse().expect("a number"), "{args:?} {columns}: {line}");
            }
        }
    }
}

#[test]
fn columns_that_are_no_number_are_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = run(folder.path(), &["versions"]).stdout;
    for columns in ["", "0", "wide", "-3"] {
        let output = command(folder.path(), &["versions"]).env("COLUMNS", columns).output();
        assert_eq!(output.expect("the binary runs").stdout, plain, "{columns:?}");
    }
}
