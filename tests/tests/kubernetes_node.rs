//! The whole way once, on a cluster of one real node: the image of `deploy/Containerfile` as DaemonSet and Job, their reports
//! merged, an example plugin that sees pods come and go, and an old plugin that `check --cluster` names.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use nri_tests::examples::example;
use nri_tests::kubernetes::{CONTAINERD, Cluster, Image, Kubectl, NODE, NriCompat, User};
use nri_tests::peers::{self, run};
use serde_json::{Value, json};

/// Returns the path of a file or a folder of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Returns a copy of a program without what a debugger needs, which is most of it.
fn stripped(folder: &Path, program: &Path) -> PathBuf {
    let copy = folder.join(program.file_name().expect("a program has a name"));
    run(Command::new("strip").arg("-o").arg(&copy).arg(program));
    copy
}

/// Runs a cluster with the images of the test; containerd launches the plugin `10-launched`.
fn cluster(folder: &Path) -> Cluster {
    let nri_compat = NriCompat::new(nri_tests::kubernetes::Host::default());
    let command = stripped(folder, nri_compat.program());
    let logger = stripped(folder, &example("logger"));
    let old = peers::plugin("v0.11.0");
    let images = [
        // As deploy/Containerfile, under the names in the manifests: the command, and what its base has for the script of
        // the DaemonSet.
        Image::of_program(
            "registry.example.com/nri-compat:0.1.0",
            "/usr/local/bin/nri-compat",
            &command,
        )
        .with("/bin/sh", Path::new("/bin/sh"))
        .with("/bin/sleep", Path::new("/bin/sleep")),
        Image::of_program(
            "registry.example.com/nri-logger:0.1.0",
            "/usr/local/bin/plugin",
            &logger,
        ),
        Image::of_program("docker.io/library/nri-old:0.1.0", "/old", &old),
    ];
    // A program of its own, because a file that several processes run is one line of a report.
    let launched = fs::read(peers::plugin("v0.8.0")).expect("it was built");
    Cluster::start(&images, &[("/opt/nri/plugins/10-launched", &launched)])
}

/// Applies a manifest of `deploy/kubernetes`, with the number of nodes that this cluster has.
fn apply(kubectl: &Kubectl, manifest: &str) {
    let text = fs::read_to_string(repository("deploy/kubernetes").join(manifest))
        .expect("manifest is readable");
    let text = text
        .replace("completions: 3", "completions: 1")
        .replace("parallelism: 3", "parallelism: 1");
    kubectl.feed(&["apply", "--validate=strict", "-f", "-"], &text);
}

/// Returns the log of the pods with a label, once it has a whole line.
fn log(kubectl: &Kubectl, namespace: &str, label: &str, expected: impl Fn(&str) -> bool) -> String {
    kubectl.until(
        &[
            "logs",
            "--namespace",
            namespace,
            "--selector",
            label,
            "--tail=-1",
        ],
        expected,
    )
}

#[test]
fn deploy_works_on_a_node() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let cluster = cluster(folder.path());
    let kubectl = cluster.kubectl();
    let runtime = kubectl.get(&["node", NODE]);
    let runtime = &runtime["status"]["nodeInfo"]["containerRuntimeVersion"];
    assert_eq!(
        *runtime,
        format!("containerd://{}", CONTAINERD.trim_start_matches('v'))
    );
    a_plugin_sees_pods(&kubectl);
    an_old_plugin_is_named(&cluster);
    reports_of_pods_are_merged(&cluster);
}

/// Runs the example `logger` with its overlay, and a pod with a network of its own.
fn a_plugin_sees_pods(kubectl: &Kubectl) {
    let overlay = repository("deploy/plugins/kustomize/logger");
    kubectl.run(&["apply", "-k", overlay.to_str().expect("path is text")]);
    let label = "app.kubernetes.io/name=nri-plugin-logger";
    log(kubectl, "kube-system", label, |log| {
        log.contains("Synchronize")
    });
    kubectl.send(&["create"], &[json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "namespace": "default", "name": "seen" },
        "spec": {
            "terminationGracePeriodSeconds": 1,
            "containers": [{ "name": "main", "image": nri_tests::containerd::IMAGE, "imagePullPolicy": "Never" }],
        },
    })]);
    kubectl.until(
        &["get", "pod", "seen", "-o", "jsonpath={.status.phase}"],
        |phase| phase == "Running",
    );
    kubectl.run(&["delete", "pod", "seen", "--timeout=60s"]);
    let log = log(kubectl, "kube-system", label, |log| {
        seen(log)
            .last()
            .is_some_and(|event| event == "RemoveContainer")
    });
    let events = seen(&log);
    // The kubelet removes sandboxes up to a minute later.
    let expected = [
        "RunPodSandbox",
        "CreateContainer",
        "StartContainer",
        "StopContainer",
        "StopPodSandbox",
        "RemoveContainer",
    ];
    for event in expected {
        assert_eq!(
            events.iter().filter(|seen| *seen == event).count(),
            1,
            "{event}: {events:?}"
        );
    }
    assert_eq!(
        events.first().map(String::as_str),
        Some("RunPodSandbox"),
        "{events:?}"
    );
}

/// Returns the events of the pod `seen` in the log of the plugin.
fn seen(log: &str) -> Vec<String> {
    let events = log
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let events = events.filter(|event| event["pod"]["name"] == "seen");
    events
        .filter_map(|event| event["event"].as_str().map(str::to_owned))
        .collect()
}

/// Runs a plugin of NRI v0.11.0 as a DaemonSet, and has `check --cluster` find it.
fn an_old_plugin_is_named(cluster: &Cluster) {
    let kubectl = cluster.kubectl();
    kubectl.send(&["create"], &[json!({
        "apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": { "namespace": "kube-system", "name": "old" },
        "spec": {
            "selector": { "matchLabels": { "app": "old" } },
            "template": {
                "metadata": { "labels": { "app": "old" } },
                "spec": {
                    "hostNetwork": true,
                    "containers": [{
                        "name": "old", "image": "nri-old:0.1.0", "args": ["-index", "20", "-name", "old"],
                        "volumeMounts": [{ "name": "nri", "mountPath": "/var/run/nri" }],
                    }],
                    "volumes": [{ "name": "nri", "hostPath": { "path": "/var/run/nri" } }],
                },
            },
        },
    })]);
    kubectl.run(&[
        "rollout",
        "status",
        "daemonset/old",
        "--namespace=kube-system",
        "--timeout=120s",
    ]);
    let kubeconfig = cluster
        .plane()
        .kubectl(User::ADMIN)
        .kubeconfig()
        .display()
        .to_string();
    let nri_compat = NriCompat::new(cluster.host());
    let arguments = [
        "check",
        "--cluster",
        "--no-pull",
        "--kubeconfig",
        &kubeconfig,
        "--format",
        "json",
    ];
    let report = json_of(&nri_compat.run(&arguments, ""));
    assert_eq!(
        report["cluster"]["pools"][0]["runtime"], "containerd://2.4.2",
        "{report}"
    );
    let subjects = report["subjects"].as_array().expect("a list");
    let old = subjects
        .iter()
        .find(|subject| subject["place"]["workload"]["name"] == "old");
    let old = old.unwrap_or_else(|| panic!("old is not in {report}"));
    assert_eq!(old["place"]["workload"]["kind"], "DaemonSet");
    assert_eq!(old["nodes"], json!([NODE]));
    assert_eq!(old["verdicts"][0]["target"], "containerd@2.4.2");
}

/// Runs the DaemonSet and the Job, and merges their reports.
fn reports_of_pods_are_merged(cluster: &Cluster) {
    let kubectl = cluster.kubectl();
    for manifest in ["common.yaml", "daemonset.yaml", "job.yaml"] {
        apply(&kubectl, manifest);
    }
    let report = |component: &str| {
        let label = format!("app.kubernetes.io/component={component}");
        log(&kubectl, "nri-compat", &label, |log| log.ends_with('\n'))
    };
    let (daily, once) = (report("daily"), report("once"));
    let nodes = kubectl.run(&["get", "nodes", "-o", "name"]);
    let folder = tempfile::tempdir().expect("temporary folder");
    fs::write(folder.path().join("nodes"), nodes).expect("temporary folder is writable");
    let expected = folder.path().join("nodes").display().to_string();
    let nri_compat = NriCompat::new(cluster.host());
    let merge = |input: &str| {
        let arguments = [
            "merge",
            "-",
            "--expect-nodes",
            &expected,
            "--format",
            "json",
        ];
        json_of(&nri_compat.run(&arguments, input))
    };
    assert_eq!(names(&merge(&daily)), ["launched"]);
    let both = merge(&format!("{daily}{once}"));
    assert_eq!(names(&both), ["launched", "logger"]);
    // The Job looks at processes, whose program has the path that it has in its container.
    let paths = both["plugins"].as_array().into_iter().flatten();
    let mut paths = paths.filter_map(|plugin| plugin["path"].as_str());
    assert!(paths.any(|path| path.contains("/old")), "{both}");
    let summary = &both["summary"];
    let counts = ["reports", "nodes", "silent", "skipped"].map(|count| summary[count].as_u64());
    assert_eq!(counts, [Some(2), Some(1), Some(0), Some(0)], "{both}");
}

/// Returns the names of the plugins in a merged report that have one, in order.
fn names(merged: &Value) -> Vec<&str> {
    let plugins = merged["plugins"].as_array().expect("a list").iter();
    let mut names: Vec<_> = plugins
        .filter_map(|plugin| plugin["name"].as_str())
        .collect();
    names.sort_unstable();
    names
}

/// Returns what a command printed.
fn json_of(output: &Output) -> Value {
    let error = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|fault| panic!("{fault}: {error}"))
}
