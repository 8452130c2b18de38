mod clusters;

use super::*;
use crate::report::check::Outcome;

/// Returns a report with one plugin, on one line.
fn report(name: &str, verdict: &str) -> String {
    format!(
        r#"{{"schema":1,"targets":[],"subjects":[{{"path":"/opt/nri/plugins/10-{name}","place":{{"file":"/opt/nri/plugins/10-{name}"}},"kind":"go_binary","role":"plugin","name":"{name}","index":"10","nri":{{"version":"v0.11.0","at_least":null,"below":"v0.12.0"}},"events":["RunPodSandbox"],"verdicts":[{{"target":"nri@0.12.5","verdict":"{verdict}","reason":"a \"quoted\" {{brace"}}],"evidence":[],"seen":null}}],"skipped":[],"policy":[],"summary":{{}}}}"#
    )
}

fn merged(input: &str) -> MergeReport {
    let mut merge = Merge::default();
    merge.read("in", &mut input.as_bytes());
    merge.finish(&[])
}

fn pretty(report: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(report).expect("JSON");
    serde_json::to_string_pretty(&value).expect("JSON")
}

#[test]
fn however_reports_follow_each_other_they_add_up_to_the_same() {
    let (one, two) = (report("a", "deprecated"), report("b", "ok"));
    let lines = merged(&format!("{one}\n{two}\n{one}\n"));
    let nodes: Vec<_> = lines
        .plugins
        .iter()
        .map(|plugin| (plugin.label(), plugin.nodes))
        .collect();
    assert_eq!(
        nodes,
        [("10-a".to_owned(), 2), ("10-b".to_owned(), 1)],
        "the worst first"
    );
    assert_eq!((lines.reports, lines.skipped_in_all), (3, 0));
    assert_eq!(lines.plugins[0].events, ["RunPodSandbox"]);
    assert_eq!(lines.plugins[0].worst(), Outcome::Deprecated);
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
fn a_broken_report_is_listed_and_the_rest_counts() {
    let (one, two) = (report("a", "deprecated"), report("b", "ok"));
    for end in 1..one.len() {
        let report = merged(&format!("{}\n{two}\n", &one[..end]));
        assert_eq!(
            (report.reports, report.skipped_in_all),
            (1, 1),
            "cut at {end}"
        );
        assert_eq!(report.plugins[0].label(), "10-b", "cut at {end}");
    }
    for broken in [
        "error: no such file",
        "{}",
        "{\"schema\":1}",
        &one.replace("\"schema\":1", "\"schema\":2"),
        "{{{{",
    ] {
        let report = merged(&format!("{one}\n{broken}\n{two}\n"));
        assert_eq!((report.reports, report.skipped_in_all), (2, 1), "{broken}");
        assert!(
            report.skipped[0].reason.starts_with("report 2: "),
            "{:?}",
            report.skipped
        );
    }
    assert_eq!(merged("").skipped[0].reason, "contains no report");
}

#[test]
fn collectors_wrap_reports_and_say_when() {
    let wrap = |time: &str| {
        let line = report("a", "deprecated") + "\n";
        serde_json::json!({"log": line, "stream": "stdout", "time": time}).to_string()
    };
    let merged = merged(
        &[
            wrap("2026-11-22T00:00:00Z"),
            wrap("2026-11-21T00:00:00.5Z"),
            wrap("2026-11-21T12:00:00Z"),
        ]
        .join("\n"),
    );
    let plugin = &merged.plugins[0];
    assert_eq!(plugin.nodes, 3);
    assert_eq!(plugin.first_seen.as_deref(), Some("2026-11-21T00:00:00.5Z"));
    assert_eq!(plugin.last_seen.as_deref(), Some("2026-11-22T00:00:00Z"));
}

#[test]
fn what_a_log_saw_counts_from_its_first_line_to_its_last() {
    let seen = |first: &str, last: &str| {
        report("a", "unknown").replace(
            r#""seen":null"#,
            &format!(r#""seen":{{"count":2,"first":"{first}","last":"{last}"}}"#),
        )
    };
    let merged = merged(
        &[
            seen("2026-11-03T00:00:00Z", "2026-11-04T00:00:00Z"),
            seen("2026-11-02T23:00:00Z", "2026-11-03T12:00:00Z"),
        ]
        .concat(),
    );
    let plugin = &merged.plugins[0];
    assert_eq!(plugin.first_seen.as_deref(), Some("2026-11-02T23:00:00Z"));
    assert_eq!(plugin.last_seen.as_deref(), Some("2026-11-04T00:00:00Z"));
}

#[test]
fn a_plugin_counts_once_a_report_and_apart_by_what_it_was_built_with() {
    let one = report("a", "deprecated");
    let subjects = one
        .split_once(r#""subjects":["#)
        .and_then(|(_, rest)| rest.split_once(r#"],"skipped""#));
    let subject = subjects.expect("there").0;
    let twice = one.replace(subject, &format!("{subject},{subject}"));
    assert_eq!(merged(&twice).plugins[0].nodes, 1);
    let newer = one.replace("v0.11.0", "v0.10.0");
    assert_eq!(merged(&format!("{one}\n{newer}")).plugins.len(), 2);
}

#[test]
fn a_flood_of_plugins_is_bounded_and_said() {
    let flood: String = (0..20_010)
        .map(|nth| report(&format!("p{nth}"), "ok") + "\n")
        .collect();
    let report = merged(&flood);
    assert_eq!(
        (report.plugins.len(), report.beyond, report.reports),
        (20_000, 10, 20_010)
    );
}

/// Returns a report of a node, made at a time.
fn of_node(node: &str, at: &str, name: &str, verdict: &str) -> String {
    let summary = format!(r#""summary":{{"node":"{node}","at":"{at}"}}"#);
    report(name, verdict).replace(r#""summary":{}"#, &summary)
}

#[test]
fn the_newest_report_of_a_node_counts_in_any_order() {
    let reports = [
        of_node("n1", "2026-11-21T00:00:00Z", "a", "deprecated"),
        of_node("n1", "2026-11-23T00:00:00Z", "a", "ok"),
        of_node("n1", "2026-11-22T00:00:00Z", "gone", "deprecated"),
        of_node("n2", "2026-11-21T00:00:00Z", "a", "deprecated"),
    ];
    for turn in 0..reports.len() {
        let mut turned = reports.clone();
        turned.rotate_left(turn);
        let merged = merged(&turned.join("\n"));
        assert_eq!((merged.reports, merged.nodes, merged.superseded), (4, 2, 2));
        let [plugin] = merged.plugins.as_slice() else {
            panic!("{:?}", merged.plugins)
        };
        let outcomes: Vec<_> = plugin.verdicts[0].outcomes().collect();
        assert_eq!(outcomes, [(Outcome::Ok, 1), (Outcome::Deprecated, 1)]);
        assert_eq!(plugin.first_seen.as_deref(), Some("2026-11-21T00:00:00Z"));
        assert_eq!(plugin.last_seen.as_deref(), Some("2026-11-23T00:00:00Z"));
    }
}

/// A clock that is ahead, or a time that cannot be read, does not hide the other reports of a node.
#[test]
fn a_report_of_the_future_does_not_count_first() {
    let now = "2026-11-22T00:00:00Z".parse().expect("a time");
    for wrong in ["2099-01-01T00:00:00Z", "yesterday"] {
        let mut reports = [
            of_node("n1", "2026-11-21T00:00:00Z", "a", "deprecated"),
            of_node("n1", wrong, "a", "ok"),
        ];
        for _ in 0..2 {
            let mut merge = Merge::at(now);
            merge.read("-", &mut reports.join("\n").as_bytes());
            let merged = merge.finish(&[]);
            let outcomes: Vec<_> = merged.plugins[0].verdicts[0].outcomes().collect();
            assert_eq!(outcomes, [(Outcome::Deprecated, 1)], "{wrong}");
            let is_dated = wrong.starts_with("2099");
            assert_eq!(
                merged.skipped.len(),
                usize::from(is_dated),
                "{:?}",
                merged.skipped
            );
            reports.reverse();
        }
    }
}

#[test]
fn a_verdict_of_a_newer_release_is_unknown() {
    let merged = merged(&report("a", "superseded"));
    let outcomes: Vec<_> = merged.plugins[0].verdicts[0].outcomes().collect();
    assert_eq!(outcomes, [(Outcome::Unknown, 1)]);
}

#[test]
fn a_report_that_is_read_twice_counts_once() {
    let report = report("a", "ok").replace(r#""summary":{}"#, r#""summary":{"scan":"0123"}"#);
    let merged = merged(&format!("{report}\n{report}\n"));
    assert_eq!((merged.reports, merged.nodes, merged.superseded), (2, 1, 1));
}

#[test]
fn pieces_of_any_size_and_packed_streams_add_up_to_the_same() {
    let reports = [
        of_node("n1", "2026-11-21T00:00:00Z", "ä", "deprecated"),
        of_node("n2", "2026-11-21T00:00:00Z", "b", "ok"),
    ];
    let expected = merged(&reports.join("\n"));
    for size in [1, 7, 100, 16 << 10] {
        for (name, entries) in [
            ("CRI", cri(&reports, size)),
            ("docker", docker(&reports, size)),
        ] {
            assert_eq!(merged(&entries), expected, "{name}, {size}");
        }
    }
    let spread: Vec<String> = reports.iter().map(|report| pretty(report)).collect();
    assert_eq!(merged(&cri(&spread, 1 << 20)), expected, "pretty in CRI");
    assert_eq!(
        merged(&docker(&spread, 1 << 20)),
        expected,
        "pretty in docker"
    );
    let lines = reports.join("\n");
    let mut merge = Merge::default();
    merge.read(
        "in",
        &mut &*zstd::encode_all(lines.as_bytes(), 1).expect("packed"),
    );
    assert_eq!(merge.finish(&[]), expected);
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packer, lines.as_bytes()).expect("in memory");
    let mut merge = Merge::default();
    merge.read("in", &mut &*packer.finish().expect("in memory"));
    assert_eq!(merge.finish(&[]), expected);
}

/// Cuts each line of reports into pieces of at most this many characters.
fn pieces(reports: &[String], size: usize) -> Vec<(String, bool)> {
    let mut pieces = Vec::new();
    for line in reports.iter().flat_map(|report| report.lines()) {
        let letters: Vec<char> = line.chars().collect();
        let chunks: Vec<&[char]> = letters.chunks(size).collect();
        let last = chunks.len() - 1;
        pieces.extend(
            chunks
                .iter()
                .enumerate()
                .map(|(nth, chunk)| (chunk.iter().collect(), nth == last)),
        );
    }
    pieces
}

fn cri(reports: &[String], size: usize) -> String {
    let entry = |(text, is_last): (String, bool)| {
        let tag = if is_last { 'F' } else { 'P' };
        format!("2026-11-21T11:47:18.9Z stdout {tag} {text}\n2026-11-21T11:47:18.9Z stderr F \n")
    };
    pieces(reports, size).into_iter().map(entry).collect()
}

fn docker(reports: &[String], size: usize) -> String {
    let entry = |(text, is_last): (String, bool)| {
        let log = if is_last { format!("{text}\n") } else { text };
        let entry =
            serde_json::json!({"log": log, "stream": "stdout", "time": "2026-11-21T11:47:18.9Z"});
        // As Docker writes them: `log` comes first.
        format!(
            "{{\"log\":{},\"stream\":\"stdout\",\"time\":{}}}\n",
            entry["log"], entry["time"]
        )
    };
    pieces(reports, size).into_iter().map(entry).collect()
}

#[test]
fn nodes_are_named_by_lines_or_by_the_table_of_kubectl() {
    let table = "NAME       STATUS   ROLES    AGE   VERSION\nworker-1   Ready    <none>   3d    v1.36.3\n\nb.c NotReady <none> 1d v1.36.3 # gone\n";
    assert_eq!(node_names(table).expect("a table"), ["worker-1", "b.c"]);
    let names = node_names("\u{feff}node/a\nNode_B\n# c\na\n").expect("names");
    assert_eq!(names, ["a", "Node_B"]);
    for (text, line) in [
        ("a\n{\n", "line 2: `{`"),
        ("apiVersion: v1\n", "line 1: `apiVersion:`"),
    ] {
        let error = node_names(text).expect_err(text).to_string();
        assert!(error.starts_with(line), "{error}");
    }
}
