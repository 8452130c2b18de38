use super::*;
use crate::report::check::Outcome;

/// Returns a report with one plugin, on one line.
fn report(name: &str, verdict: &str) -> String {
    format!(
        r#"{{"schema":1,"targets":[],"subjects":[{{"path":"/opt/nri/plugins/10-{name}","kind":"go_binary","role":"plugin","name":"{name}","index":"10","nri":{{"version":"v0.11.0","at_least":null,"below":"v0.12.0"}},"events":["RunPodSandbox"],"verdicts":[{{"target":"nri@0.12.5","verdict":"{verdict}","reason":"a \"quoted\" {{brace"}}],"evidence":[],"seen":null}}],"skipped":[],"policy":[],"summary":{{}}}}"#
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

/// Returns the report of a cluster with a plugin of this name on some of its nodes.
fn cluster(name: &str, at: &str, runs_on: &[&str], nodes: &[&str]) -> String {
    let listed = |nodes: &[&str]| {
        let quoted: Vec<String> = nodes.iter().map(|node| format!("\"{node}\"")).collect();
        quoted.join(",")
    };
    format!(
        r#"{{"schema":1,"subjects":[{{"path":"cluster prod: DaemonSet n/{name}: c: i: /bin/{name}","place":{{"file":"cluster prod","workload":{{"kind":"DaemonSet"}},"entry":"/bin/{name}","pids":[]}},"role":"plugin","program":"example.org/{name}","name":"{name}","index":"10","nri":{{"version":"v0.11.0"}},"events":["RunPodSandbox"],"verdicts":[{{"target":"nri@0.12.5","verdict":"deprecated"}}],"nodes":[{}]}}],"cluster":{{"name":"prod","server":"https://api","pools":[{{"runtime":"containerd://2.2.3","target":"containerd@2.2.3","note":null,"nodes":[{}]}}]}},"summary":{{"at":"{at}"}}}}"#,
        listed(runs_on),
        listed(nodes)
    )
}

/// Returns the report of a node on which a plugin runs as a process.
fn process(name: &str, path: &str, node: &str) -> String {
    format!(
        r#"{{"schema":1,"subjects":[{{"path":"{path} (pid 7)","place":{{"file":"{path}","entry":null,"pids":[7]}},"role":"plugin","program":"example.org/{name}","name":"{name}","index":null,"nri":{{"version":"v0.11.0"}},"events":["RunPodSandbox"],"verdicts":[{{"target":"nri@0.12.5","verdict":"deprecated"}}]}}],"summary":{{"node":"{node}","at":"2026-11-22T10:00:00Z"}}}}"#
    )
}

const AT: &str = "2026-11-22T10:00:00Z";

fn nodes_by_path(report: &MergeReport) -> Vec<(&str, u64)> {
    let plugins = report.plugins.iter();
    plugins
        .map(|plugin| (plugin.path.as_str(), plugin.nodes))
        .collect()
}

#[test]
fn a_plugin_of_a_cluster_counts_on_each_of_its_nodes() {
    let report = merged(&cluster("a", AT, &["n1", "n2"], &["n1", "n2", "n3"]));
    assert_eq!(
        (report.reports, report.nodes, report.clusters.len()),
        (1, 3, 1)
    );
    let path = "cluster prod: DaemonSet n/a: c: i: /bin/a";
    assert_eq!(nodes_by_path(&report), [(path, 2)]);
    assert_eq!(report.plugins[0].verdicts[0].counts.iter().sum::<u64>(), 2);
    assert_eq!(report.without_host, ["n1", "n2", "n3"]);
    assert!(report.without_cluster.is_empty() && !report.has_silent_nodes());
}

#[test]
fn a_process_of_a_container_counts_once() {
    let cluster = cluster("a", AT, &["n1"], &["n1", "n2"]);
    let container = "cluster prod: DaemonSet n/a: c: i: /bin/a";
    for (host, expected) in [
        (process("a", "/bin/a", "n1"), vec![(container, 1)]),
        // On a node on which the cluster does not run it, it is another one.
        (
            process("a", "/bin/a", "n2"),
            vec![(container, 1), ("/bin/a", 1)],
        ),
        (
            process("a", "/opt/nri/plugins/a", "n1"),
            vec![(container, 1), ("/opt/nri/plugins/a", 1)],
        ),
        (
            process("b", "/bin/a", "n1"),
            vec![(container, 1), ("/bin/a", 1)],
        ),
    ] {
        let report = merged(&format!("{cluster}\n{host}\n"));
        let mut found = nodes_by_path(&report);
        found.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!(found, expected, "{host}");
        assert_eq!(merged(&format!("{host}\n{cluster}\n")), report);
    }
}

#[test]
fn nodes_that_only_one_side_has_are_named() {
    let cluster = cluster("a", AT, &[], &["n1", "n2"]);
    let hosts = [process("b", "/b", "n2"), process("b", "/b", "n3")].join("\n");
    let report = merged(&format!("{cluster}\n{hosts}\n"));
    assert_eq!(report.nodes, 3);
    assert_eq!(report.without_host, ["n1"]);
    assert_eq!(report.without_cluster, ["n3"]);
    assert!(report.has_silent_nodes());
    assert!(!merged(&hosts).has_silent_nodes());
}

#[test]
fn a_plugin_that_runs_nowhere_is_listed() {
    let report = merged(&cluster("a", AT, &[], &["n1"]));
    assert_eq!(
        nodes_by_path(&report),
        [("cluster prod: DaemonSet n/a: c: i: /bin/a", 0)]
    );
}

#[test]
fn the_newest_report_of_a_cluster_counts() {
    let old = cluster("a", "2026-11-21T10:00:00Z", &["n1"], &["n1", "gone"]);
    let new = cluster("b", AT, &["n1"], &["n1"]);
    for input in [format!("{old}\n{new}\n"), format!("{new}\n{old}\n")] {
        let report = merged(&input);
        assert_eq!((report.nodes, report.superseded), (1, 1), "{input}");
        assert_eq!(
            nodes_by_path(&report),
            [("cluster prod: DaemonSet n/b: c: i: /bin/b", 1)]
        );
    }
}

#[test]
fn the_same_process_on_two_nodes_is_one_plugin() {
    let one = process("a", "/bin/a", "n1");
    let two = process("a", "/bin/a", "n2")
        .replace("(pid 7)", "(pid 8, 9)")
        .replace("[7]", "[8,9]");
    let report = merged(&format!("{one}\n{two}\n"));
    assert_eq!(nodes_by_path(&report), [("/bin/a", 2)]);
    let file = report_at("/bin/a (pid 7)");
    assert_eq!(
        nodes_by_path(&merged(&file)),
        [("/bin/a (pid 7)", 1)],
        "the name of a file"
    );
}

/// Returns a report about a file with this path.
fn report_at(path: &str) -> String {
    report("a", "ok").replace("/opt/nri/plugins/10-a", path)
}

#[test]
fn two_processes_of_one_path_keep_the_worse_verdict() {
    let one = process("a", "/bin/a", "n1");
    let subject = one
        .split_once(r#""subjects":["#)
        .and_then(|(_, end)| end.split_once("],\"summary"));
    let subject = subject.expect("a subject").0;
    let other = subject.replace("(pid 7)", "(pid 8)").replace("[7]", "[8]");
    let worse = other
        .replace("deprecated", "incompatible")
        .replace("RunPodSandbox", "Shutdown");
    for both in [format!("{subject},{worse}"), format!("{worse},{subject}")] {
        let report = merged(&one.replace(subject, &both));
        assert_eq!(nodes_by_path(&report), [("/bin/a", 1)]);
        assert_eq!(report.plugins[0].worst(), Outcome::Incompatible);
        assert_eq!(report.plugins[0].events, ["RunPodSandbox", "Shutdown"]);
        assert_eq!(report.plugins[0].verdicts[0].counts.iter().sum::<u64>(), 1);
    }
    let program = worse.replace("example.org/a", "example.org/b");
    let report = merged(&one.replace(subject, &format!("{subject},{program}")));
    assert_eq!(report.plugins.len(), 2, "another program");
}

#[test]
fn clusters_keep_their_pools() {
    let new = cluster("a", AT, &["n1"], &["n1", "n2"]);
    let old = cluster("a", "2026-11-21T10:00:00Z", &["n1"], &["n1", "gone"]);
    let of_namespace = old.replace(r#""name":"prod","#, r#""name":"prod","namespace":"n","#);
    let host = process("b", "/b", "n2");
    let report = merged(&format!("{new}\n{of_namespace}\n{host}\n"));
    let [cluster] = report.clusters.as_slice() else {
        panic!("{:?}", report.clusters);
    };
    assert_eq!(cluster.phrase(), "cluster prod (https://api)");
    let [pool] = cluster.pools.as_slice() else {
        panic!("{:?}", cluster.pools);
    };
    assert_eq!(pool.phrase(), "2 nodes containerd 2.2.3");
    assert_eq!(pool.nodes, ["n1", "n2"]);
    assert_eq!(pool.judged(), "judged as containerd@2.2.3");
    assert_eq!(pool.hosts(), "1 of 2 with a report of their own");
}

#[test]
fn clusters_with_one_url_are_distinguished_by_their_authority() {
    let with = |id: &str, node: &str| {
        let report = cluster("a", AT, &[node], &[node]);
        report.replace(r#""server":"#, &format!(r#""id":"{id}","server":"#))
    };
    let report = merged(&[with("x", "n1"), with("y", "n2"), with("x", "n1")].join("\n"));
    assert_eq!(
        (report.clusters.len(), report.nodes, report.superseded),
        (2, 2, 1)
    );
    assert_eq!(report.plugins[0].nodes, 2);
}
