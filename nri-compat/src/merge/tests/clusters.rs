//! Reports of clusters, alone and with those of their nodes.

use super::*;

/// Returns the report of a cluster with a plugin of this name on some of its nodes.
fn cluster(name: &str, at: &str, runs_on: &[&str], nodes: &[&str]) -> String {
    let listed = |nodes: &[&str]| {
        let quoted: Vec<String> = nodes.iter().map(|node| format!("\"{node}\"")).collect();
        quoted.join(",")
    };
    format!(
        r#"{{"schema":1,"subjects":[{{"path":"cluster prod: DaemonSet n/{name}: c: i: /bin/{name}","place":{{"file":"cluster prod","workload":{{"kind":"DaemonSet","namespace":"n","name":"{name}","container":"c"}},"image":"i","entry":"/bin/{name}","pids":[]}},"role":"plugin","program":"example.org/{name}","name":"{name}","index":"10","nri":{{"version":"v0.11.0"}},"events":["RunPodSandbox"],"verdicts":[{{"target":"nri@0.12.5","verdict":"deprecated"}}],"nodes":[{}]}}],"cluster":{{"name":"prod","server":"https://api","pools":[{{"runtime":"containerd://2.2.3","target":"containerd@2.2.3","note":null,"nodes":[{}]}}]}},"summary":{{"at":"{at}"}}}}"#,
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
    assert_eq!(pool.judged(), "checked as containerd@2.2.3");
    assert_eq!(pool.hosts(), "1 of 2 with their own report");
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
