//! `conformance`, `probe`, `record` and `replay` as a user runs them: exit codes, output and files.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use nri_tests::examples::{example, nri_compat};
use nri_tests::recording::Recording;
use serde_json::Value;

const MUTANT: &str = env!("CARGO_BIN_EXE_mutant-plugin");

/// Runs a command in a folder, which has no policy unless the test puts one there.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(nri_compat());
    let output = command.args(arguments).current_dir(folder).output();
    output.expect("the command starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Returns the words that run one test on the mutant that breaks it.
fn broken<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let one = ["conformance", "plugin", "--only", "P7", "--revision", "v0.12.0"];
    [&one[..], more, &[MUTANT, "--", "P7"]].concat()
}

#[test]
fn a_plugin_that_keeps_the_contract_is_clean() {
    let folder = tempfile::tempdir().unwrap();
    let logger = example("logger").display().to_string();
    let one = ["--only", "P7,W3", "--revision", "v0.12.0", "--format", "json"];
    let words = [&["conformance", "plugin"][..], &one, &[&logger]].concat();
    let output = run(folder.path(), &words);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let results = json(&output)["results"].as_array().unwrap().clone();
    assert!(results.iter().any(|result| result["result"] == "pass"));
    assert!(results.iter().all(|result| result["result"] != "fail"));
    assert!(stderr(&output).contains("executing"), "{output:?}");
}

#[test]
fn a_violation_is_100_with_a_trace_unless_it_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &broken(&["--trace", "traces"]));
    assert_eq!(output.status.code(), Some(100), "{output:?}");
    assert!(stdout(&output).contains("P7"), "{output:?}");
    let traces = fs::read_dir(folder.path().join("traces")).unwrap();
    let file = traces.flatten().next().expect("a trace of the failure");
    let trace = fs::read_to_string(file.path()).unwrap();
    assert!(trace.contains("StopPodSandbox"), "{trace}");

    let baseline = run(folder.path(), &broken(&["--write-baseline", "known.json"]));
    assert_eq!(baseline.status.code(), Some(0), "{baseline:?}");
    let known = run(folder.path(), &broken(&["--baseline", "known.json"]));
    assert_eq!(known.status.code(), Some(0), "{known:?}");
    let policy = "[[ignore]]\nrule = 'P7'\nreason = 'it is a mutant'\n";
    fs::write(folder.path().join("nri-compat.toml"), policy).unwrap();
    let ignored = run(folder.path(), &broken(&[]));
    assert_eq!(ignored.status.code(), Some(0), "{ignored:?}");
    assert!(stdout(&ignored).contains("it is a mutant"), "{ignored:?}");
}

#[test]
fn mistakes_name_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let mutant = MUTANT;
    fs::write(folder.path().join("text"), "not a recording\n").unwrap();
    for (words, message) in [
        (&["conformance", "plugin", "10-gone"][..], "10-gone"),
        (&["conformance", "plugin", "--only", "P77", mutant], "P77"),
        (&["conformance", "plugin", "--revision", "v9.9.9", mutant], "v9.9.9"),
        (&["conformance", "plugin", "--baseline", "gone.json", mutant], "gone.json"),
        (&["conformance", "runtime", "--socket", "gone.sock", "--observe", "1s"], "gone.sock"),
        (&["probe", "10-gone"], "10-gone"),
        (&["probe", "--target", "containerd@99", mutant], "`99` of containerd"),
        (&["record", "--socket", "gone.sock", "-o", "session.nri"], "gone.sock"),
        (&["replay", "gone.nri", mutant], "gone.nri"),
        (&["replay", "text", mutant], "text"),
    ] {
        let output = run(folder.path(), words);
        let code = output.status.code();
        assert!(matches!(code, Some(1 | 2)), "{words:?}: {output:?}");
        assert!(stderr(&output).contains(message), "{words:?}: {output:?}");
        assert!(stdout(&output).is_empty(), "{words:?}: {output:?}");
    }
}

#[test]
fn a_probe_says_what_works_where() {
    let folder = tempfile::tempdir().unwrap();
    let legacy = example("legacy").display().to_string();
    let words = ["probe", "--target", "nri@0.12.0,containerd@2.7", "--format", "json", &legacy];
    let output = run(folder.path(), &words);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let report = json(&output);
    let targets = report["targets"].as_array().unwrap();
    assert_eq!(targets.len(), 2, "{report}");
    assert!(targets.iter().all(|target| target["verdict"] == "works"), "{report}");
    let compared = run(folder.path(), &["probe", "--compare", &legacy]);
    assert_eq!(compared.status.code(), Some(0), "{compared:?}");
    assert!(stdout(&compared).contains("explained"), "{compared:?}");
    let other = run(folder.path(), &["probe", "/bin/true"]);
    assert_eq!(other.status.code(), Some(100), "{other:?}");
    assert!(stdout(&other).contains("dropped"), "{other:?}");
}

/// The shell only becomes the plugin if it got a connection, as plugins that a runtime launches do.
#[test]
fn a_plugin_with_arguments_can_be_launched() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("test -n \"$NRI_PLUGIN_SOCKET\" && exec {}", example("logger").display());
    for (options, code, verdict) in [(&["--launched"][..], 0, "works"), (&[], 100, "dropped")] {
        let plugin = ["probe", "--target", "nri@0.12.5", "/bin/sh", "--", "-c", &script];
        let output = run(folder.path(), &[&plugin[..3], options, &plugin[3..]].concat());
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert!(stdout(&output).contains(verdict), "{output:?}");
    }
}

#[test]
fn a_session_is_recorded_and_replayed() {
    let recording = Recording::of(&example("logger"), "v0.12.5");
    assert!(recording.report.contains("of 1 connection"), "{}", recording.report);
    let same = recording.replay(&example("logger"));
    assert_eq!(same.status.code(), Some(0), "{same:?}");
    let whole = fs::read(recording.path()).unwrap();
    fs::write(recording.path(), &whole[..whole.len() / 2]).unwrap();
    let cut = recording.replay(&example("logger"));
    assert_eq!(cut.status.code(), Some(1), "{cut:?}");
    assert!(stderr(&cut).contains("session.nri"), "{cut:?}");
}

/// The example runtime of this scenario sends no Post events.
#[test]
fn the_runtime_of_a_recording_is_judged() {
    let recording = Recording::of(&example("logger"), "v0.12.5");
    let folder = tempfile::tempdir().unwrap();
    let file = recording.path().display().to_string();
    let judge = |more: &[&str]| {
        let words = [&["conformance", "recording", &file][..], more].concat();
        run(folder.path(), &words)
    };
    let broken = judge(&[]);
    assert_eq!(broken.status.code(), Some(100), "{broken:?}");
    let text = stdout(&broken);
    assert!(text.contains("C5"), "{text}");
    assert!(text.contains("10-recorded on connection 1"), "{text}");
    let selected = stdout(&judge(&["--only", "O4,Y3"]));
    assert!(selected.contains("2 passed, 0 failed"), "{selected}");

    let output = judge(&["--skip", "C5", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let report = json(&output);
    assert_eq!(report["subject"]["kind"], "runtime", "{report}");
    let results = report["results"].as_array().unwrap();
    assert!(results.iter().all(|result| result["result"] == "pass"), "{report}");

    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let cut = judge(&[]);
    assert_eq!(cut.status.code(), Some(1), "{cut:?}");
    assert!(stderr(&cut).contains("session.nri"), "{cut:?}");
}

#[test]
fn the_contract_is_listed_and_explained() {
    let folder = tempfile::tempdir().unwrap();
    let list = stdout(&run(folder.path(), &["conformance", "--list"]));
    for id in ["R1", "S3", "D2", "O5", "E1", "P7", "Y2", "W18", "C1"] {
        assert!(list.contains(id), "{id}: {list}");
    }
    let explained = stdout(&run(folder.path(), &["explain", "P7"]));
    assert!(explained.contains("https://"), "{explained}");
}
