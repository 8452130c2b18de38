//! Tests of `check`: what counts, what is suppressed, and the exit code.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A WebAssembly plugin without the dedicated exports, which newer runtimes do not load.
const PLUGIN: &[u8] = b"\0asm\x01\0\0\0\x07\x16\x01\x12plugin_api_version\0\0";

/// Returns a folder with that plugin, and a policy unless it is empty.
fn folder(policy: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("plugins")).expect("created");
    fs::write(folder.path().join("plugins/10-old"), PLUGIN).expect("written");
    if !policy.is_empty() {
        fs::write(folder.path().join("nri-compat.toml"), policy).expect("written");
    }
    folder
}

fn check(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nri-compat"))
        .current_dir(folder)
        .args(["check", "plugins"])
        .args(args)
        .output()
        .expect("the binary runs")
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn report(folder: &Path, args: &[&str]) -> Value {
    let output = check(folder, &[args, &["--format", "json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

const NEW: &[&str] = &["--target", "nri@0.12.5"];

#[test]
fn verdicts_at_or_above_the_one_named_are_100() {
    let folder = folder("");
    let with = |fail_on| code(&check(folder.path(), &[NEW, &["--fail-on", fail_on]].concat()));
    assert_eq!(code(&check(folder.path(), NEW)), Some(100));
    assert_eq!(with("incompatible"), Some(100));
    assert_eq!(with("removed"), Some(100));
    assert_eq!(with("unknown,removed"), Some(100));
    assert_eq!(with("never"), Some(0));
    assert_eq!(with("ok"), Some(2));
}

#[test]
fn nothing_but_fail_on_and_the_policy_changes_the_exit_code() {
    let folder = folder("");
    let formats = [
        "text",
        "json",
        "jsonl",
        "markdown",
        "html",
        "csv",
        "github",
        "junit",
        "sarif",
        "openmetrics",
        "openreports",
        "policyreport",
    ];
    for format in formats {
        let output = check(folder.path(), &[NEW, &["--format", format, "--explain"]].concat());
        assert_eq!(code(&output), Some(100), "{format}");
        assert!(!output.stdout.is_empty() && output.stderr.is_empty(), "{format}: {output:?}");
    }
}

#[test]
fn the_policy_of_the_working_folder_gives_targets_and_fail_level() {
    let folder = folder("targets = ['nri@0.12.5', 'nri@0.10']\nfail-on = 'never'\n");
    assert_eq!(code(&check(folder.path(), &[])), Some(0));
    assert_eq!(code(&check(folder.path(), &["--fail-on", "removed"])), Some(100));
    let targets = report(folder.path(), &[])["targets"].clone();
    assert_eq!(targets.as_array().map(Vec::len), Some(2), "{targets}");
}

#[test]
fn what_is_ignored_is_shown_and_does_not_count() {
    let ignore = "[[ignore]]\nplugin = '*/10-*'\nreason = 'goes in May'\nexpires = ";
    let folder = folder(&format!("{ignore}9999-01-01\n"));
    assert_eq!(code(&check(folder.path(), NEW)), Some(0));
    let held = report(folder.path(), NEW);
    let suppressed = &held["subjects"][0]["verdicts"][0]["suppressed"];
    assert_eq!(suppressed["reason"], "goes in May", "{held}");
    assert_eq!(held["policy"], Value::Array(Vec::new()));
    fs::write(folder.path().join("other.toml"), format!("{ignore}2020-01-01\n")).expect("written");
    let over = [NEW, &["--config", "other.toml"]].concat();
    assert_eq!(code(&check(folder.path(), &over)), Some(100));
    let note = "other.toml:1: the ignore of `*/10-*` expired on 2020-01-01";
    assert_eq!(report(folder.path(), &over)["policy"][0], note);
}

#[test]
fn a_mistake_in_the_policy_is_1_and_costs_no_scan() {
    let folder = folder("[[ignore]]\nplugins = '*'\nreason = 'x'\n");
    let output = check(folder.path(), NEW);
    assert_eq!(code(&output), Some(1));
    assert!(output.stdout.is_empty());
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        stderr.contains("nri-compat.toml:2: unknown field `plugins`, expected one of `plugin`"),
        "{stderr}"
    );
    assert_eq!(code(&check(folder.path(), &["--config", "nowhere.toml"])), Some(1));
}

#[test]
fn a_baseline_holds_for_what_it_was_written_with() {
    let folder = folder("");
    let write = [NEW, &["--write-baseline", "b.json"]].concat();
    assert_eq!(code(&check(folder.path(), &write)), Some(0));
    let first = fs::read_to_string(folder.path().join("b.json")).expect("written");
    let with = [NEW, &["--baseline", "b.json"]].concat();
    assert_eq!(code(&check(folder.path(), &with)), Some(0));
    let held = report(folder.path(), &with);
    assert_eq!(held["subjects"][0]["verdicts"][0]["suppressed"]["by"], "baseline", "{held}");
    fs::write(folder.path().join("plugins/20-new"), PLUGIN).expect("written");
    assert_eq!(code(&check(folder.path(), &with)), Some(100));
    fs::remove_file(folder.path().join("plugins/20-new")).expect("removed");
    let both = [with.as_slice(), &["--write-baseline", "b.json"]].concat();
    assert_eq!(code(&check(folder.path(), &both)), Some(0));
    assert_eq!(code(&check(folder.path(), &write)), Some(0));
    let again = fs::read_to_string(folder.path().join("b.json")).expect("written");
    assert_eq!(again, first);
}

#[test]
fn completions_and_manual_name_every_subcommand() {
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_nri-compat"))
            .args(args)
            .output()
            .expect("the binary runs");
        assert_eq!(code(&output), Some(0), "{args:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&["completions", shell]);
        assert!(script.contains("write-baseline"), "{shell}: {script}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_str().expect("UTF-8");
    assert_eq!(run(&["man", "--out", out]), "");
    let page = run(&["man"]);
    for name in ["check", "diff", "explain", "man"] {
        assert!(page.contains(&format!("nri\\-compat\\-{name}(1)")), "{page}");
        let own = folder.path().join(format!("nri-compat-{name}.1"));
        assert!(own.is_file(), "{}", own.display());
    }
}
