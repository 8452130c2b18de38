mod clusters;

use serde_json::{Value, json};

use super::*;
use crate::report::check::Outcome;

/// Returns a subject with a verdict.
fn subject(name: &str, verdict: &str) -> Value {
    json!({
        "place": {"file": format!("/opt/nri/plugins/10-{name}")}, "role": "plugin",
        "name": name, "index": "10", "nri": {"version": "v0.11.0"}, "events": ["RunPodSandbox"],
        "verdicts": [{"target": "nri@0.12.5", "verdict": verdict, "reason": "a \"quoted\" {brace"}],
    })
}

/// Returns a report on one line.
fn report_of(subjects: &[Value], summary: Value) -> String {
    json!({"schema": 1, "targets": [], "subjects": subjects, "summary": summary}).to_string()
}

/// Returns a report with one plugin, on one line.
fn report(name: &str, verdict: &str) -> String {
    report_of(&[subject(name, verdict)], json!({}))
}

/// Returns a report of the node `n1` with one plugin, made at a time.
fn report_at(time: &str, name: &str, verdict: &str) -> String {
    report_of(&[subject(name, verdict)], json!({"node": "n1", "at": time}))
}

fn merged(input: &str) -> MergeReport {
    let mut merge = Merge::default();
    merge.read("in", &mut input.as_bytes());
    merge.finish(&[])
}

/// Returns the numbers of reports, of nodes, of superseded reports, and of skipped inputs.
fn counts(merged: &MergeReport) -> [usize; 4] {
    let summary = &merged.summary;
    [summary.reports, summary.nodes, summary.superseded, summary.skipped]
}

/// Returns the outcomes of the first plugin, each with its number of nodes.
fn outcomes(merged: &MergeReport) -> Vec<(Outcome, usize)> {
    merged.plugins[0].verdicts[0].outcomes().collect()
}

#[test]
fn incidents_are_counted_by_node_and_level() {
    let closed =
        json!({"rule": "INCIDENT_CLOSED", "level": "error", "plugin": "closed", "reason": "r"});
    let newer = json!({"rule": "INCIDENT_OF_A_NEWER_RELEASE", "level": "error"});
    let off = json!({"rule": "CONFIG_NRI_OFF", "level": "warning", "setting": "disable"});
    let node = |node: &str, incidents: &[&Value]| {
        let mut plugin = subject("a", "ok");
        plugin["incidents"] = json!(incidents);
        let configuration = json!({
            "place": {"file": "/etc/containerd/config.toml"}, "kind": "runtime_config",
            "role": "runtime", "verdicts": [], "incidents": [off],
        });
        report_of(&[plugin, configuration], json!({"node": node}))
    };
    let reports = [node("n1", &[&closed, &newer]), node("n2", &[&closed]), node("n3", &[])];
    let merged = merged(&reports.join("\n"));
    let incidents = merged.incidents.iter();
    let shown: Vec<_> = incidents.map(|one| (one.rule, &*one.label, one.nodes)).collect();
    assert_eq!(shown, [("INCIDENT_CLOSED", "10-a", 2), ("CONFIG_NRI_OFF", "config.toml", 3)]);
    assert_eq!((merged.plugins.len(), merged.plugins[0].nodes), (1, 3));
    assert_eq!(merged.incidents[1].setting.as_deref(), Some("disable"));
    assert_eq!((merged.summary.plugins, merged.summary.incidents), (1, 2));
}

fn pretty(report: &str) -> String {
    let value: Value = serde_json::from_str(report).expect("JSON");
    serde_json::to_string_pretty(&value).expect("JSON")
}

#[test]
fn however_reports_follow_each_other_they_add_up_to_the_same() {
    let (one, two) = (report("a", "deprecated"), report("b", "ok"));
    let lines = merged(&format!("{one}\n{two}\n{one}\n"));
    let plugins = lines.plugins.iter();
    let nodes: Vec<_> = plugins.map(|plugin| (plugin.label(), plugin.nodes)).collect();
    assert_eq!(nodes, [("10-a".into(), 2), ("10-b".into(), 1)], "worst first");
    assert_eq!(counts(&lines), [3, 3, 0, 0]);
    assert_eq!(lines.plugins[0].events, ["RunPodSandbox"]);
    assert_eq!(lines.plugins[0].worst(), Outcome::Deprecated);
    let packed = zstd::encode_all(format!("{one}{two}{one}").as_bytes(), 1);
    let mut merge = Merge::default();
    merge.read("in", &mut &*packed.expect("packed"));
    assert_eq!(merge.finish(&[]), lines);
    for other in [
        format!("{one}{two}{one}"),
        format!("[{one},{two},{one}]"),
        format!("{}\n{}\n{}\n", pretty(&one), pretty(&two), pretty(&one)),
        format!("\r\n{one}\r\n\r\n{two}\r\n{one}"),
        pretty(&format!("[{one},{two},{one}]")),
        format!(
            "[pod/nri-compat-x7k2p/nri-compat] {one}\n[pod/b/c] {two}\n2026-11-21T11:47:18Z {one}\n"
        ),
    ] {
        assert_eq!(merged(&other), lines, "{other}");
    }
}

#[test]
fn reports_are_joined_that_a_container_runtime_cut() {
    let report = report("ä", "deprecated");
    let (start, end) = report.split_at(report.len() / 2);
    let expected = [1, 1, 0, 0];
    let time = "2026-11-21T11:47:18.9Z";
    let cri = format!("{time} stdout P {start}\n{time} stderr F \n{time} stdout F {end}\n");
    assert_eq!(counts(&merged(&cri)), expected);
    let docker_line = |text: &str| {
        format!("{{\"log\":{},\"stream\":\"stdout\",\"time\":\"{time}\"}}\n", json!(text))
    };
    let docker = docker_line(start) + &docker_line(&format!("{end}\n"));
    assert_eq!(counts(&merged(&docker)), expected);
    let pretty = pretty(&report);
    let lines = pretty.lines().map(|line| format!("{time} stdout F {line}\n"));
    assert_eq!(counts(&merged(&lines.collect::<String>())), expected);
}

#[test]
fn a_broken_report_is_listed_and_the_rest_counts() {
    let (one, two) = (report("a", "deprecated"), report("b", "ok"));
    for end in 1..one.len() {
        let report = merged(&format!("{}\n{two}\n", &one[..end]));
        assert_eq!(counts(&report), [1, 1, 0, 1], "cut at {end}");
        assert_eq!(report.plugins[0].label(), "10-b", "cut at {end}");
    }
    let newer = one.replace("\"schema\":1", "\"schema\":2");
    for broken in ["error: no such file", "{}", "{\"schema\":1}", &newer, "{{{{"] {
        let report = merged(&format!("{one}\n{broken}\n{two}\n"));
        assert_eq!(counts(&report), [2, 2, 0, 1], "{broken}");
        let reason = &report.skipped[0].reason;
        assert!(reason.starts_with("report 2: "), "{reason}");
    }
    assert_eq!(merged("").skipped[0].reason, "contains no report");
}

#[test]
fn times_are_those_of_log_lines() {
    let [first, second, last] =
        ["2026-11-21T00:00:00.5Z", "2026-11-21T12:00:00Z", "2026-11-22T00:00:00Z"];
    let reports = [[second, last], [first, second], [second, second]].map(|times| {
        let mut subject = subject("a", "unknown");
        subject["seen"] = json!({"count": 2, "first": times[0], "last": times[1]});
        let report = report_of(&[subject], json!({}));
        json!({"log": report, "time": "2020-01-01T00:00:00Z"}).to_string()
    });
    let merged = merged(&reports.join("\n"));
    let plugin = &merged.plugins[0];
    assert_eq!(plugin.nodes, 3);
    let times = [&plugin.first_seen, &plugin.last_seen];
    assert_eq!(times.map(Option::as_deref), [Some(first), Some(last)]);
}

#[test]
fn a_plugin_counts_once_a_report_and_apart_by_what_it_was_built_with() {
    let one = subject("a", "deprecated");
    let twice = merged(&report_of(&[one.clone(), one.clone()], json!({})));
    assert_eq!(twice.plugins[0].nodes, 1);
    let mut older = one.clone();
    older["nri"]["version"] = json!("v0.10.0");
    let report = merged(&report_of(&[one, older], json!({})));
    assert_eq!(report.plugins.len(), 2);
}

#[test]
fn a_flood_of_findings_is_bounded_and_said() {
    let subject = |nth| json!({"place": {"file": nth}, "role": "plugin", "verdicts": []});
    let many: Vec<Value> = (0..20_010).map(|nth| subject(nth.to_string())).collect();
    let report = merged(&report_of(&many, json!({})));
    assert_eq!((report.plugins.len(), report.summary.beyond), (20_000, 10));
    let long = merged(&report_of(&[subject("x".repeat(10_000))], json!({})));
    assert_eq!((long.plugins.len(), long.summary.beyond), (0, 1));
}

#[test]
fn the_newest_report_of_a_node_counts_in_any_order() {
    let [first, second, third] = [1, 2, 3].map(|day| format!("2026-11-2{day}T00:00:00Z"));
    let other = json!({"node": "n2", "at": first});
    let reports = [
        report_at(&first, "a", "deprecated"),
        report_at(&third, "a", "ok"),
        report_at(&second, "gone", "deprecated"),
        report_of(&[subject("a", "deprecated")], other),
    ];
    for turn in 0..reports.len() {
        let mut turned = reports.clone();
        turned.rotate_left(turn);
        let merged = merged(&turned.join("\n"));
        assert_eq!(counts(&merged), [4, 2, 2, 0]);
        assert_eq!(merged.plugins.len(), 1);
        let expected = [(Outcome::Ok, 1), (Outcome::Deprecated, 1)];
        assert_eq!(outcomes(&merged), expected);
        assert_eq!(merged.plugins[0].first_seen.as_ref(), Some(&first));
        assert_eq!(merged.plugins[0].last_seen.as_ref(), Some(&third));
    }
}

/// A clock that is ahead, or a time that cannot be read, does not hide the other reports of a node.
#[test]
fn a_report_of_the_future_does_not_count_first() {
    let now = "2026-11-22T00:00:00Z".parse().expect("a time");
    for (wrong, skipped) in [("2099-01-01T00:00:00Z", 1), ("yesterday", 0)] {
        let mut reports =
            [report_at("2026-11-21T00:00:00Z", "a", "deprecated"), report_at(wrong, "a", "ok")];
        for _ in 0..2 {
            let mut merge = Merge::at(now);
            merge.read("-", &mut reports.join("\n").as_bytes());
            let merged = merge.finish(&[]);
            assert_eq!(outcomes(&merged), [(Outcome::Deprecated, 1)], "{wrong}");
            assert_eq!(merged.skipped.len(), skipped, "{wrong}");
            reports.reverse();
        }
    }
}

#[test]
fn a_verdict_of_a_newer_release_is_unknown() {
    let merged = merged(&report("a", "superseded"));
    assert_eq!(outcomes(&merged), [(Outcome::Unknown, 1)]);
}

#[test]
fn nodes_are_named_by_lines_or_by_the_table_of_kubectl() {
    let table =
        "NAME       STATUS   ROLES\nworker-1   Ready    <none>\n\nb.c NotReady <none> # gone\n";
    assert_eq!(node_names(table).expect("a table"), ["worker-1", "b.c"]);
    for (text, line) in [("a\n{\n", "line 2: `{`"), ("apiVersion: v1\n", "line 1: `apiVersion:`")] {
        let error = node_names(text).expect_err(text).to_string();
        assert!(error.starts_with(line), "{error}");
    }
}
