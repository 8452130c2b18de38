//! Kubernetes manifests on standard input and in files: the images of the workloads that may be
//! plugins come from a registry on loopback, and each verdict names file, document, line, workload
//! and container.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use nri_tests::examples::nri_compat;
use nri_tests::registry::{Image, Images, Registry, gzip, layer, plugin};
use serde_json::{Value, json};

const PLUGIN: &str = "opt/nri/plugins/10-a";

/// The variables by which a proxy is found, which is not between a test and its registry.
const PROXIES: [&str; 4] = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/// Returns a registry with a plugin, an image without one, and an image that only has the files of
/// a plugin.
fn registry() -> Registry {
    let mut images = Images::default();
    let with_plugin = Image::of([gzip(&layer(&[(PLUGIN, &plugin())]))]);
    let without = Image::of([gzip(&layer(&[("bin/shell", b"#!/bin/sh\n")]))]);
    images.add("team/plugin", "v1", &with_plugin);
    images.add("team/shell", "v1", &without);
    images.add("team/other", "v1", &with_plugin);
    Registry::faithful(images)
}

/// Returns a manifest of five documents: a service, a DaemonSet with a plugin, a workload that has
/// nothing to do with NRI, a pod that runs a plugin from an image volume, and a workload of a
/// custom resource.
fn manifest(host: &str) -> String {
    let text = include_str!("../../manifests/plugins.yaml");
    text.replace("registry.example.com", host)
}

/// Runs `check` with a text as standard input.
pub(super) fn check(registry: &Registry, arguments: &[&str], input: &str) -> Value {
    let mut command = Command::new(nri_compat());
    let fixed = ["check", "--format", "json", "--target", "containerd@2.7", "--insecure"];
    command.args(fixed).arg(registry.host()).args(arguments);
    for proxy in PROXIES {
        command.env_remove(proxy);
    }
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = pipes.spawn().expect("the command runs");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(input.as_bytes()).expect("it reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    serde_json::from_slice(&output.stdout).expect("it writes JSON")
}

/// Returns place and verdict of each subject, in the order of lines.
fn found(report: &Value) -> Vec<Value> {
    let mut all: Vec<Value> = report["subjects"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|subject| {
            let mut place = subject["place"].clone();
            // The host has another port each time.
            place
                .as_object_mut()
                .expect("an object")
                .retain(|key, _| key == "file" || key == "workload" || key == "entry");
            json!({"place": place, "verdict": subject["verdicts"][0]["verdict"]})
        })
        .collect();
    all.sort_by_key(|one| one["place"]["workload"]["line"].as_u64());
    all
}

/// Returns what is expected for a container in a file.
fn expected(
    file: &str,
    document: u64,
    line: u64,
    workload: [&str; 4],
    verdict: Option<&str>,
) -> Value {
    let [kind, namespace, name, container] = workload;
    json!({"file": file, "document": document, "line": line, "kind": kind, "namespace": namespace, "name": name, "container": container, "verdict": verdict})
}

/// Returns the same from a report.
fn flat(found: &Value) -> Value {
    let (place, workload) = (&found["place"], &found["place"]["workload"]);
    json!({"file": place["file"], "document": workload["document"], "line": workload["line"], "kind": workload["kind"],
        "namespace": workload["namespace"], "name": workload["name"], "container": workload["container"], "verdict": found["verdict"]})
}

fn all_expected(file: &str) -> Vec<Value> {
    vec![
        expected(file, 2, 18, ["DaemonSet", "kube-system", "logger", "plugin"], Some("deprecated")),
        // Its image volume is not fetched.
        expected(file, 4, 53, ["Pod", "team", "from-volume", "shell"], Some("unknown")),
        expected(file, 4, 53, ["Pod", "team", "from-volume", "shell"], None),
        expected(file, 5, 75, ["Rollout", "team", "install", "copy"], Some("deprecated")),
    ]
}

#[test]
fn a_manifest_on_standard_input_leads_to_verdicts_of_its_images() {
    let registry = registry();
    let report = check(&registry, &["-", "--pull"], &manifest(&registry.host()));
    let found: Vec<Value> = found(&report).iter().map(flat).collect();
    assert_eq!(found, all_expected("<stdin>"), "{report:#}");
    // Two workloads use the same image, which is fetched once.
    assert_eq!(registry.count("team/plugin/manifests/"), 1);
    assert_eq!(registry.count("team/other"), 0, "an image that nothing of NRI is mounted in");
    let reason = report["subjects"].to_string();
    assert!(reason.contains("mounts /var/run/nri of the host: the NRI socket"), "{report:#}");
    assert!(
        reason.contains("mounts /opt/nri/plugins of the host: the folder of NRI plugins"),
        "{report:#}"
    );
}

#[test]
fn nothing_is_fetched_from_hosts_that_only_a_manifest_names() {
    let registry = registry();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("plugins.yaml");
    fs::write(&file, manifest(&registry.host())).expect("it is writable");
    let path = folder.path().to_str().expect("text");
    for arguments in [&[path][..], &[path, "--no-pull"]] {
        let report = check(&registry, arguments, "");
        let found = found(&report);
        assert_eq!(found.len(), 4, "{report:#}");
        assert!(found.iter().all(|one| one["verdict"] == "unknown"), "{report:#}");
        assert_eq!(
            report["summary"]["workloads"],
            json!({"examined": 4, "candidates": 3}),
            "{report:#}"
        );
    }
    assert_eq!(registry.count(""), 0, "requests");
}
