//! `check --every`: repeated reports, readiness, metrics, and the end on a signal.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A WebAssembly plugin without the dedicated exports, which newer runtimes do not load.
const PLUGIN: &[u8] = b"\0asm\x01\0\0\0\x07\x16\x01\x12plugin_api_version\0\0";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("plugins")).expect("created");
    fs::write(folder.path().join("plugins/10-old.wasm"), PLUGIN).expect("written");
    folder
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nri-compat"));
    command
        .current_dir(folder)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn check(folder: &Path, args: &[&str]) -> Child {
    let all = [&["check", "plugins", "--format", "jsonl", "--fail-on", "never"], args].concat();
    command(folder, &all).spawn().expect("the binary runs")
}

fn exit_code(folder: &Path, args: &[&str]) -> Option<i32> {
    let output = command(folder, args).output().expect("the binary runs");
    output.status.code()
}

/// Reads reports until one has `count` predecessors, and returns it.
fn report(child: &mut Child, count: usize) -> Value {
    let out = child.stdout.as_mut().expect("a pipe");
    let line = BufReader::new(out).lines().nth(count).expect("as many reports").expect("read");
    serde_json::from_str(&line).expect("JSON")
}

/// Sends a signal, and returns the exit code.
fn end(child: &mut Child, signal: Signal) -> Option<i32> {
    kill_process(Pid::from_child(child), signal).expect("sent");
    child.wait().expect("it ends").code()
}

#[test]
fn reports_repeat_until_sigterm() {
    let folder = folder();
    let mut child = check(folder.path(), &["--every", "10ms"]);
    let report = report(&mut child, 2);
    assert_eq!(report["subjects"][0]["verdicts"][0]["verdict"], "incompatible");
    // The rest of the output is not read any more: the process must end even if nobody reads its
    // reports.
    child.stdout.take();
    assert_eq!(end(&mut child, Signal::TERM), Some(0));
}

#[test]
fn the_ready_file_exists_from_the_first_report_to_the_end() {
    let folder = folder();
    let ready = folder.path().join("ready");
    fs::write(&ready, "of an earlier process").expect("written");
    let mut child = check(folder.path(), &["--every", "10ms", "--ready-file", "ready"]);
    // The second report follows the file.
    report(&mut child, 1);
    assert_eq!(exit_code(folder.path(), &["ready", "ready"]), Some(0));
    assert_eq!(fs::read(&ready).expect("it exists"), b"");
    assert_eq!(end(&mut child, Signal::INT), Some(0));
    assert_eq!(exit_code(folder.path(), &["ready", "ready"]), Some(1));
}

#[test]
fn a_failure_of_the_first_check_is_not_repeated() {
    let folder = folder();
    let missing = ["check", "plugins", "--every", "1h", "--root", "missing"];
    assert_eq!(exit_code(folder.path(), &missing), Some(1));
    let standard_input = ["check", "-", "--every", "1h"];
    assert_eq!(exit_code(folder.path(), &standard_input), Some(1));
}

fn lingering(folder: &Path, time: &str) -> Child {
    let args = ["check", "plugins", "--format", "jsonl", "--linger", time];
    command(folder, &args).spawn().expect("the binary runs")
}

#[test]
fn lingering_keeps_the_exit_code_of_the_report() {
    let folder = folder();
    let start = Instant::now();
    let output = lingering(folder.path(), "300ms").wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(100));
    assert!(start.elapsed() >= Duration::from_millis(300));
}

#[test]
fn a_signal_ends_lingering() {
    let folder = folder();
    let mut child = lingering(folder.path(), "1h");
    report(&mut child, 0);
    // The signal may arrive between the report and the moment from which its exit code is known: 1
    // until then.
    let code = end(&mut child, Signal::TERM);
    assert!(matches!(code, Some(1 | 100)), "{code:?}");
}

#[test]
fn metrics_are_written_beside_the_report() {
    let folder = folder();
    fs::create_dir(folder.path().join("metrics")).expect("created");
    let args = ["--metrics-file", "metrics/nri-compat.prom"];
    for _ in 0..2 {
        let output = check(folder.path(), &args).wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0));
        serde_json::from_slice::<Value>(&output.stdout).expect("the report");
    }
    let files = fs::read_dir(folder.path().join("metrics")).expect("a folder");
    assert_eq!(files.count(), 1);
    let metrics = fs::read_to_string(folder.path().join("metrics/nri-compat.prom"));
    assert!(metrics.expect("written").contains("verdict=\"incompatible\""));
}

#[test]
fn metrics_that_cannot_be_written_do_not_suppress_the_report() {
    let folder = folder();
    let child = check(folder.path(), &["--metrics-file", "missing/nri-compat.prom"]);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    serde_json::from_slice::<Value>(&output.stdout).expect("the report");
    assert!(String::from_utf8_lossy(&output.stderr).contains("missing/nri-compat.prom"));
}
