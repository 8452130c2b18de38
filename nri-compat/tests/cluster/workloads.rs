//! The objects that run plugins.

use serde_json::json;

use crate::command::{check_server, nodes_of};
use crate::objects::{cron_job, mirror, owned, pod, serve, workload};

#[test]
fn pods_belong_to_the_workloads_that_people_know() {
    let mut ended = owned(pod("old-27-a", "node-3"), "Job", "cron-27");
    ended["status"]["phase"] = json!("Succeeded");
    let pods = [
        owned(pod("dep-7d9c-x", "node-0"), "ReplicaSet", "dep-7d9c"),
        owned(pod("dep-8e0d-y", "node-1"), "ReplicaSet", "dep-8e0d"),
        owned(pod("lone-5f-z", "node-1"), "ReplicaSet", "lone-5f"),
        owned(pod("cron-28-a", "node-2"), "Job", "cron-28"),
        ended,
        mirror("static", "node-0"),
        mirror("static", "node-1"),
        pod("bare", "node-4"),
        owned(pod("crd-1", "node-4"), "AdvancedDaemonSet", "crd"),
    ];
    let jobs = ["cron-27", "cron-28"].map(|name| owned(workload(name), "CronJob", "cron"));
    let server = serve(&[
        ("pods", &pods),
        (
            "daemonsets",
            &[owned(workload("operated"), "ClusterPolicy", "operator")],
        ),
        ("deployments", &[workload("dep")]),
        ("cronjobs", &[cron_job("cron")]),
        ("jobs", &jobs),
    ]);
    let report = check_server(&server, &["--format", "json"]).json();
    let expected = [
        ("AdvancedDaemonSet n/crd", 1),
        ("CronJob n/cron", 1),
        ("DaemonSet n/operated", 0),
        ("Deployment n/dep", 2),
        ("Pod n/bare", 1),
        ("Pod n/static", 2),
        ("ReplicaSet n/lone-5f", 1),
    ];
    assert_eq!(
        nodes_of(&report),
        expected.map(|(name, nodes)| (name.to_owned(), nodes))
    );
}
