//! The objects that run plugins.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::command::{check_server, nodes_of};
use crate::objects::{container, cron_job, mirror, owned, pod, serve, status, workload};

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
        ("daemonsets", &[owned(workload("operated"), "ClusterPolicy", "operator")]),
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
    assert_eq!(nodes_of(&report), expected.map(|(name, nodes)| (name.to_owned(), nodes)));
}

/// Returns the image of each container that was found, and the evidence about it.
fn images(pods: &[Value]) -> BTreeMap<String, (String, String)> {
    let report = check_server(&serve(&[("pods", pods)]), &["--format", "json"]).json();
    let subjects = report["subjects"].as_array().expect("subjects").iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let found = subjects.map(|subject| {
        let place = &subject["place"];
        let details: Vec<String> = subject["evidence"]
            .as_array()
            .expect("evidence")
            .iter()
            .map(|one| text(&one["detail"]))
            .collect();
        let container = text(&place["workload"]["container"]);
        (container, (text(&place["image"]), details.join("; ")))
    });
    found.collect()
}

#[test]
fn every_kind_of_container_is_found_with_the_image_that_it_runs() {
    let image = |letter: &str| format!("localhost:1/logger@sha256:{}", letter.repeat(64));
    let mut all = pod("all", "node-0");
    all["spec"]["containers"] = json!([container("main")]);
    let mut sidecar = container("sidecar");
    sidecar["restartPolicy"] = json!("Always");
    all["spec"]["initContainers"] = json!([container("installer"), sidecar]);
    all["spec"]["ephemeralContainers"] = json!([container("debugger")]);
    all["status"] = json!({
        "phase": "Running",
        "containerStatuses": [status("main", &image("a"))],
        "initContainerStatuses": [
            status("installer", &image("b")),
            status("sidecar", &image("c")),
        ],
        "ephemeralContainerStatuses": [status("debugger", &image("d"))],
    });
    let found = images(&[all]);
    for (name, letter) in [("main", "a"), ("installer", "b"), ("sidecar", "c"), ("debugger", "d")] {
        assert_eq!(found[name].0, image(letter), "{name}");
    }
}

#[test]
fn an_image_that_the_status_does_not_name_is_that_of_the_pod() {
    let with = |name: &str, phase: &str, statuses: Value| {
        let mut pod = pod(name, "node-0");
        pod["spec"]["containers"] = json!([container(name)]);
        pod["status"] = json!({ "phase": phase, "containerStatuses": statuses });
        pod
    };
    let id = format!("sha256:{}", "0".repeat(64));
    let found = images(&[
        with("pending", "Pending", json!(null)),
        with("pulling", "Pending", json!([status("pulling", "")])),
        with("id", "Running", json!([status("id", &id)])),
        with("docker", "Running", json!([status("docker", &format!("docker-pullable://a@{id}"))])),
        with("unknown", "Unknown", json!([status("unknown", "0123456789ab")])),
    ]);
    for (name, remark) in [
        ("pending", "has not started"),
        ("pulling", "has not started"),
        ("id", "only the id of the image"),
        ("docker", "only the id of the image"),
        ("unknown", "only the id of the image"),
    ] {
        let (image, evidence) = &found[name];
        assert_eq!(image, "localhost:1/logger:1", "{name}");
        assert!(evidence.contains(remark), "{name}: {evidence}");
    }
}

#[test]
fn static_pods_are_named_as_such() {
    let server = serve(&[("pods", &[mirror("fixed", "node-0"), pod("bare", "node-1")])]);
    let output = check_server(&server, &[]);
    assert_eq!(output.stdout.matches("a static pod").count(), 1, "{output:?}");
    assert!(output.stdout.contains("Pod n/fixed"), "{output:?}");
}

#[test]
fn the_image_of_the_command_itself_is_no_unknown_plugin() {
    let mut own = workload("checker");
    let mut reader = container("check");
    reader["image"] = json!("registry.example.com/nri-compat:0.1.0");
    own["spec"]["template"]["spec"]["containers"] = json!([reader]);
    let server = serve(&[("daemonsets", &[own])]);
    let output = check_server(&server, &["--fail-on", "unknown"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let words: Vec<&str> = output.stdout.split_whitespace().collect();
    let expected = "not a plugin: the image of nri-compat itself";
    assert!(words.join(" ").contains(expected), "{output:?}");
}
