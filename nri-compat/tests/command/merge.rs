//! `nri-compat merge` as its users run it: on reports that `check` and `logs` wrote.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn nri_compat(folder: &Path, args: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nri-compat"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut pipe = child.stdin.take().expect("a pipe");
    // It may end before it reads all, or anything.
    let _ = std::io::Write::write_all(&mut pipe, stdin);
    drop(pipe);
    child.wait_with_output().expect("it ends")
}

/// Returns the output of `logs` on a node about a plugin with a warning.
fn report(folder: &Path, node: &str, plugin: &str, format: &str) -> Vec<u8> {
    let log = format!(
        "time=\"2026-03-18T20:15:04Z\" level=warning msg=\"plugin {plugin} uses deprecated StateChange instead of a dedicated RunPodSandbox RPC call\"\n"
    );
    let args = ["logs", "-", "--node", node, "--format", format];
    let output = nri_compat(folder, &args, log.as_bytes());
    assert_eq!(output.status.code(), Some(100));
    output.stdout
}

#[test]
fn reports_of_nodes_add_up_and_fit_the_schema() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).expect("written")
    };
    write("a.json", &report(folder.path(), "a", "10-old", "json"));
    write("b.json", &report(folder.path(), "b", "20-other", "json"));
    write("broken.json", b"{\"schema\":1,\"subj");
    let lines =
        ["c", "d", "e", "e"].map(|node| report(folder.path(), node, "10-old", "jsonl")).concat();
    let args = ["merge", "a.json", "b.json", "broken.json", "gone.json", "-", "--format", "json"];
    let output = nri_compat(folder.path(), &args, &lines);
    assert_eq!(output.status.code(), Some(0));
    let merged: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let schema: Value =
        serde_json::from_str(include_str!("../../schema/merge.schema.json")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a JSON Schema");
    let errors: Vec<String> =
        validator.iter_errors(&merged).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    // Standard input and files differ only in the name: `<stdin>` in all of them.
    let nodes: Vec<_> = merged["plugins"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|plugin| (&plugin["name"], &plugin["nodes"]))
        .collect();
    assert_eq!(nodes, [(&"old".into(), &4.into()), (&"other".into(), &1.into())]);
    assert_eq!(merged["plugins"][0]["first_seen"], "2026-03-18T20:15:04Z");
    assert_eq!(merged["plugins"][0]["verdicts"][0]["nodes"]["deprecated"], 4);
    let skipped: Vec<_> =
        merged["skipped"].as_array().expect("an array").iter().map(|one| &one["path"]).collect();
    assert_eq!(skipped, ["broken.json", "gone.json"]);
    assert_eq!(merged["summary"]["reports"], 6);
    assert_eq!(merged["summary"]["nodes"], 5);
    assert_eq!(merged["summary"]["superseded"], 1);
}

#[test]
fn the_text_names_plugin_nodes_and_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = nri_compat(
        folder.path(),
        &["merge", "-"],
        &["a", "b"].map(|node| report(folder.path(), node, "10-old", "jsonl")).concat(),
    );
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let line = text.lines().nth(1).expect("a row");
    let cells: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(
        cells,
        [
            "10-old",
            "-",
            "2",
            "deprecated",
            "2026-03-18T20:15:04Z",
            "2026-03-18T20:15:04Z",
            "<stdin>"
        ]
    );
    assert!(text.contains("2 reports of 2 nodes, 1 plugin, 0 skipped"), "{text}");
}

#[test]
fn nothing_to_merge_is_1() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = nri_compat(folder.path(), &["merge", "gone.json"], b"");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(error.starts_with("error: no report could be read"), "{error}");
    assert_eq!(nri_compat(folder.path(), &["merge"], b"").status.code(), Some(2));
}

#[test]
fn silent_nodes_are_listed_and_count_if_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let expected = "# workers\nnode/a\nb\n\nnode/c # new\n";
    std::fs::write(folder.path().join("nodes"), expected).expect("written");
    let reports = report(folder.path(), "a", "10-old", "jsonl");
    let merged = |more: &[&str]| {
        let args = [&["merge", "-", "--expect-nodes", "nodes"], more].concat();
        nri_compat(folder.path(), &args, &reports)
    };
    let output = merged(&["--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["silent"], serde_json::json!(["b", "c"]));
    assert_eq!(
        (&report["summary"]["expected"], &report["summary"]["silent"]),
        (&3.into(), &2.into())
    );
    let text = String::from_utf8(merged(&[]).stdout).expect("UTF-8");
    assert!(text.contains("Silent nodes\n  b\n  c\n"), "{text}");
    assert!(text.contains("2 of 3 expected nodes silent"), "{text}");
    for (fail_on, code) in [
        ("never", 0),
        ("silent", 100),
        ("silent,never", 0),
        ("skipped", 0),
        ("deprecated", 100),
        ("removed", 0),
        ("unknown", 100),
    ] {
        assert_eq!(merged(&["--fail-on", fail_on]).status.code(), Some(code), "{fail_on}");
    }
    let missing = nri_compat(folder.path(), &["merge", "-", "--expect-nodes", "gone"], &reports);
    assert_eq!(missing.status.code(), Some(1));
}

#[test]
fn the_node_is_named_by_option_environment_or_host() {
    assert_eq!(node(&["--node", "a"], Some("b")), "a");
    assert_eq!(node(&[], Some("b")), "b");
    assert!(!node(&[], None).is_empty());
}

/// Returns the name of the node in a report of `logs`; `variable` is the value of `NODE_NAME`.
fn node(args: &[&str], variable: Option<&str>) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nri-compat"));
    command.args(["logs", "/dev/null", "--format", "json"]).args(args).env_remove("NODE_NAME");
    command.envs(variable.map(|name| ("NODE_NAME", name)));
    let output = command.output().expect("it runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let summary = &report["summary"];
    assert_eq!(summary["scan"].as_str().map(str::len), Some(32));
    summary["node"].as_str().expect("a name").to_owned()
}

#[test]
fn reports_of_a_node_with_one_time_count_together_in_any_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let old = String::from_utf8(report(folder.path(), "a", "10-old", "jsonl")).expect("UTF-8");
    let report: Value = serde_json::from_str(&old).expect("JSON");
    let mut clean = report.clone();
    clean["subjects"] = Value::Array(Vec::new());
    for lines in [format!("{report}\n{clean}\n"), format!("{clean}\n{report}\n")] {
        let args = ["merge", "-", "--fail-on", "deprecated"];
        let output = nri_compat(folder.path(), &args, lines.as_bytes());
        assert_eq!(output.status.code(), Some(100), "{lines}");
    }
}

#[test]
fn a_list_of_expected_nodes_must_name_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = report(folder.path(), "a", "10-old", "jsonl");
    let args = ["merge", "-", "--expect-nodes", "nodes", "--fail-on", "silent"];
    for (nodes, code) in
        [("", 1), ("# none\r\n\r\n", 1), ("\u{feff}node/a\r\na\r\n", 0), ("a\nb\n", 100)]
    {
        std::fs::write(folder.path().join("nodes"), nodes).expect("written");
        let output = nri_compat(folder.path(), &args, &line);
        assert_eq!(output.status.code(), Some(code), "{nodes:?}");
    }
}

#[test]
fn a_report_that_ends_too_early_is_named_as_such() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = report(folder.path(), "a", "10-old", "jsonl");
    let output = nri_compat(folder.path(), &["merge", "-"], &line[..line.len() / 2]);
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("cut: the input ends before it does"), "{shown}");
}
