//! Reports of clusters, alone and with those of their nodes.

use super::*;

const AT: &str = "2026-11-22T10:00:00Z";
const BEFORE: &str = "2026-11-21T10:00:00Z";

/// Returns the report of a cluster with a plugin of this name on some of its nodes.
fn cluster(name: &str, at: &str, runs_on: &[&str], nodes: &[&str]) -> Value {
    let workload = json!({"kind": "DaemonSet", "namespace": "n", "name": name, "container": "c"});
    let place = json!({
        "file": "cluster prod", "workload": workload, "image": "i", "entry": format!("/bin/{name}"),
    });
    let pool = json!({
        "runtime": "containerd://2.2.3", "target": "containerd@2.2.3", "note": null, "nodes": nodes,
    });
    json!({
        "schema": 1, "subjects": [seen_at(place, name, runs_on)], "summary": {"at": at},
        "cluster": {"name": "prod", "server": "https://api", "pools": [pool]},
    })
}

fn seen_at(place: Value, program: &str, nodes: &[&str]) -> Value {
    let mut subject = subject("p", "deprecated");
    subject["place"] = place;
    subject["program"] = program.into();
    subject["nodes"] = json!(nodes);
    subject
}

/// Returns a plugin that runs as a process.
fn process(program: &str, path: &str, pids: &[u32]) -> Value {
    seen_at(json!({"file": path, "pids": pids}), program, &[])
}

/// Returns the report of a node.
fn host(node: &str, subjects: &[Value]) -> String {
    report_of(subjects, json!({"node": node, "at": AT}))
}

/// Returns each plugin with its path and number of nodes, sorted.
fn nodes_by_path(report: &MergeReport) -> Vec<(&str, usize)> {
    let mut nodes: Vec<_> =
        report.plugins.iter().map(|one| (one.path.as_str(), one.nodes)).collect();
    nodes.sort_unstable();
    nodes
}

const IN_POD: &str = "cluster prod: DaemonSet n/a: c: i: /bin/a";

#[test]
fn a_plugin_of_a_cluster_counts_on_each_of_its_nodes() {
    for runs_on in [&["n1", "n2"][..], &[]] {
        let report = merged(&cluster("a", AT, runs_on, &["n1", "n2", "n3"]).to_string());
        assert_eq!((counts(&report), report.clusters.len()), ([1, 3, 0, 0], 1));
        assert_eq!(nodes_by_path(&report), [(IN_POD, runs_on.len())]);
        let nodes = report.plugins[0].verdicts[0].counts.values().sum::<usize>();
        assert_eq!(nodes, runs_on.len());
        assert_eq!(report.without_host, ["n1", "n2", "n3"]);
        assert!(report.without_cluster.is_empty() && !report.has_silent_nodes());
    }
}

/// On a node on which the cluster does not run it, it is another one.
#[test]
fn a_process_of_a_container_counts_once() {
    let cluster = cluster("a", AT, &["n1"], &["n1", "n2"]);
    for (node, program, path, is_same) in [
        ("n1", "a", "/bin/a", true),
        ("n2", "a", "/bin/a", false),
        ("n1", "a", "/opt/nri/plugins/a", false),
        ("n1", "b", "/bin/a", false),
    ] {
        let host = host(node, &[process(program, path, &[7])]);
        let report = merged(&format!("{cluster}\n{host}\n"));
        let expected = [(path, 1), (IN_POD, 1)];
        let start = usize::from(is_same);
        assert_eq!(nodes_by_path(&report), expected[start..], "{host}");
        assert_eq!(merged(&format!("{host}\n{cluster}\n")), report);
    }
}

#[test]
fn nodes_that_only_one_side_has_are_named() {
    let hosts = ["n2", "n3"].map(|node| host(node, &[])).join("\n");
    let report = merged(&format!("{}\n{hosts}\n", cluster("a", AT, &[], &["n1", "n2"])));
    assert_eq!(report.summary.nodes, 3);
    assert_eq!(report.without_host, ["n1"]);
    assert_eq!(report.without_cluster, ["n3"]);
    assert!(report.has_silent_nodes());
    assert!(!merged(&hosts).has_silent_nodes());
}

#[test]
fn processes_of_one_program_are_one_plugin_with_the_worst_verdict() {
    let (one, mut worse) = (process("a", "/bin/a", &[7]), process("a", "/bin/a", &[8, 9]));
    let other = host("n2", &[worse.clone()]);
    worse["verdicts"][0]["verdict"] = json!("incompatible");
    worse["events"] = json!(["Shutdown"]);
    for both in [[one.clone(), worse.clone()], [worse.clone(), one.clone()]] {
        let report = merged(&format!("{}\n{other}\n", host("n1", &both)));
        assert_eq!(nodes_by_path(&report), [("/bin/a", 2)]);
        let expected = [(Outcome::Deprecated, 1), (Outcome::Incompatible, 1)];
        assert_eq!(outcomes(&report), expected);
        assert_eq!(report.plugins[0].events, ["RunPodSandbox", "Shutdown"]);
    }
    worse["program"] = json!("b");
    assert_eq!(merged(&host("n1", &[one, worse])).plugins.len(), 2);
}

#[test]
fn the_newest_report_of_a_cluster_counts_with_its_pools() {
    let new = cluster("a", AT, &["n1"], &["n1", "n2"]);
    let old = cluster("b", BEFORE, &["n1"], &["n1", "gone"]);
    let mut of_namespace = cluster("a", BEFORE, &["n1"], &["n1", "gone"]);
    of_namespace["cluster"]["namespace"] = json!("n");
    let host = host("n2", &[]);
    for clusters in [format!("{old}\n{new}"), format!("{new}\n{old}")] {
        let report = merged(&format!("{clusters}\n{of_namespace}\n{host}\n"));
        assert_eq!(report.summary.superseded, 1, "{clusters}");
        assert_eq!(nodes_by_path(&report), [(IN_POD, 1)]);
        let [cluster] = report.clusters.as_slice() else {
            panic!("{:?}", report.clusters);
        };
        assert_eq!((&*cluster.name, &*cluster.server), ("prod", "https://api"));
        let [pool] = cluster.pools.as_slice() else {
            panic!("{:?}", cluster.pools);
        };
        assert_eq!(pool.pool.phrase(), "2 nodes containerd 2.2.3");
        assert_eq!(pool.pool.judged(), "checked as containerd@2.2.3");
        assert_eq!(pool.reported, 1);
    }
}

#[test]
fn clusters_with_one_url_are_distinguished_by_their_authority() {
    let reports = [("x", "n1"), ("y", "n2"), ("x", "n1")].map(|(id, node)| {
        let mut report = cluster("a", AT, &[node], &[node]);
        report["cluster"]["id"] = json!(id);
        report.to_string()
    });
    let report = merged(&reports.join("\n"));
    assert_eq!((counts(&report), report.clusters.len()), ([3, 2, 1, 0], 2));
    assert_eq!(report.plugins[0].nodes, 2);
}

#[test]
fn a_report_for_which_there_is_no_room_replaces_none() {
    let names: Vec<String> = (0..500_000).map(|nth| nth.to_string()).collect();
    let many: Vec<&str> = names.iter().map(String::as_str).collect();
    let small = cluster("a", AT, &["n1"], &["n1"]);
    let report = merged(&format!("{small}\n{}\n", cluster("a", AT, &[], &many)));
    let found = report.summary;
    assert_eq!((found.clusters, found.superseded, found.beyond), (1, 0, 1));
}
