//! `nri-compat logs` as its users run it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;

#[test]
fn a_warning_that_cannot_be_understood_counts_in_summary_and_exit_code() {
    for (line, verdict) in [
        (
            "~~ NRI plugin uses a deprecated interface / StateChange / 10-x ~~",
            "deprecated",
        ),
        (
            "plugin 10-x uses deprecated StateChange instead",
            "deprecated",
        ),
        ("Deprecated NRI plugin(s) a,b", "deprecated"),
    ] {
        let output = logs(&["-", "--format", "json"], line.as_bytes());
        assert_eq!(output.status.code(), Some(100), "{line}");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["summary"]["skipped"], 1, "{line}");
        assert_eq!(report["summary"][verdict], 1, "{line}: {report:#}");
        assert_eq!(
            report["subjects"][0]["verdicts"][0]["verdict"], verdict,
            "{line}"
        );
    }
}

#[test]
fn a_time_in_no_form_is_a_mistake_in_usage() {
    let output = logs(&["-", "--since", "soon"], b"");
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("`soon` is not a time; try"), "{error}");
    assert_eq!(
        logs(&["-", "--since", "-1h", "--until", "now"], b"")
            .status
            .code(),
        Some(0)
    );
}

fn logs(args: &[&str], input: &[u8]) -> std::process::Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nri-compat"))
        .arg("logs")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // It may end before it reads anything.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("it ends")
}
