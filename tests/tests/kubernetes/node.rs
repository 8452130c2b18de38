//! The whole way once, on a cluster of one real node with a registry: the chart as DaemonSet and
//! the manifest as Job, their reports merged, an example plugin and an old one behind `nri-bridge`
//! that see pods come and go, and an old plugin that `check --cluster` judges.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use nri_tests::examples::example;
use nri_tests::kubernetes::{CONTAINERD, Cluster, Image, Kubectl, NODE, NriCompat, User};
use nri_tests::machine::Host;
use nri_tests::peers::{self, run};
use nri_tests::release;
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
    let nri_compat = NriCompat::new(Host::default());
    let command = stripped(folder, nri_compat.program());
    let logger = stripped(folder, &example("logger"));
    let bridge = stripped(folder, Path::new(env!("CARGO_BIN_EXE_bridge")));
    let old = peers::plugin("v0.11.0");
    let images = [
        Image::of_release("nri-compat:0.1.0", &command).with("/usr/bin/nri-bridge", &bridge),
        Image::of_program("nri-logger:0.1.0", "/usr/local/bin/plugin", &logger),
        Image::of_program("nri-old:0.1.0", "/old", &old),
        // The bridge of the tests is not static.
        Image::of_program("nri-bridged:0.1.0", "/old", &old).with_libraries_of(&bridge),
    ];
    // A program of its own, because a file that several processes run is one line of a report.
    let launched = fs::read(peers::plugin("v0.8.0")).expect("it was built");
    Cluster::start(&images, &[("/opt/nri/plugins/10-launched", &launched)])
}

/// Applies manifests of `deploy/`, with the registry and the number of nodes that this cluster has.
fn apply(cluster: &Cluster, manifests: &str) {
    let text = manifests
        .replace("registry.example.com", cluster.registry())
        .replace("completions: 3", "completions: 1")
        .replace("parallelism: 3", "parallelism: 1");
    let arguments = ["apply", "--validate=strict", "-f", "-"];
    cluster.kubectl().feed(&arguments, &text);
}

/// Returns the log of the pods with a label, once it has a whole line.
fn log(kubectl: &Kubectl, namespace: &str, label: &str, expected: impl Fn(&str) -> bool) -> String {
    kubectl.until(&["logs", "--namespace", namespace, "--selector", label, "--tail=-1"], expected)
}

#[test]
fn deploy_works_on_a_node() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let cluster = cluster(folder.path());
    let kubectl = cluster.kubectl();
    let node = kubectl.get(&["node", NODE]);
    let runtime = &node["status"]["nodeInfo"]["containerRuntimeVersion"];
    assert_eq!(*runtime, format!("containerd://{}", CONTAINERD.trim_start_matches('v')));
    install_bridged(&cluster);
    a_plugin_sees_pods(&cluster);
    a_plugin_behind_the_bridge_saw_them(&cluster);
    run_old_plugin(&cluster);
    let reports = reports_of_pods_are_merged(&cluster);
    let report = plugins_in_pods_are_judged(&cluster);
    one_report_has_hosts_and_pods(&cluster, &reports, &report);
    a_service_account_is_enough(&cluster);
}

/// Runs the example `logger` with its overlay, and a pod with a network of its own.
fn a_plugin_sees_pods(cluster: &Cluster) {
    let kubectl = &cluster.kubectl();
    let overlay = repository("deploy/plugins/kustomize/logger");
    let overlay = overlay.to_str().expect("path is text");
    apply(cluster, &kubectl.run(&["kustomize", overlay]));
    let label = "app.kubernetes.io/name=nri-plugin-logger";
    log(kubectl, "kube-system", label, |log| log.contains("Synchronize"));
    kubectl.send(&["create"], &[json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "namespace": "default", "name": "seen" },
        "spec": {
            "terminationGracePeriodSeconds": 1,
            "containers": [{ "name": "main", "image": nri_tests::node::IMAGE, "imagePullPolicy": "Never" }],
        },
    })]);
    kubectl.until(&["get", "pod", "seen", "-o", "jsonpath={.status.phase}"], |phase| {
        phase == "Running"
    });
    kubectl.run(&["delete", "pod", "seen", "--timeout=60s"]);
    let log = log(kubectl, "kube-system", label, |log| {
        seen(log).iter().any(|event| event == "RemoveContainer")
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
        assert_eq!(events.iter().filter(|seen| *seen == event).count(), 1, "{event}: {events:?}");
    }
    assert_eq!(events.first().map(String::as_str), Some("RunPodSandbox"), "{events:?}");
}

/// Installs the chart `nri-plugin` with a plugin of NRI v0.11.0 behind the bridge.
fn install_bridged(cluster: &Cluster) {
    let chart = release::chart("nri-plugin");
    let chart = chart.to_str().expect("path is text");
    let registry = cluster.registry();
    let values = format!(
        "plugin=bridged,image.repository={registry}/nri-bridged,image.tag=0.1.0,\
         bridge.command={{/old}},bridge.image.repository={registry}/nri-compat,bridge.image.tag=0.1.0"
    );
    let kubectl = cluster.kubectl();
    kubectl.helm(&[
        "install",
        "bridged",
        chart,
        "--namespace=kube-system",
        "--set",
        &values,
        "--set-string=index=40",
    ]);
    kubectl.run(&[
        "rollout",
        "status",
        "daemonset/nri-plugin-bridged",
        "--namespace=kube-system",
        "--timeout=120s",
    ]);
    log(&kubectl, "kube-system", BRIDGED, |log| log.contains("Synchronize"));
}

/// The label of the pods of the plugin behind the bridge.
const BRIDGED: &str = "app.kubernetes.io/name=nri-plugin-bridged";

/// Asserts that the plugin behind the bridge saw the events of a pod that runtimes only send in
/// RPCs of their own.
fn a_plugin_behind_the_bridge_saw_them(cluster: &Cluster) {
    let all = ["RunPodSandbox", "StartContainer", "StopPodSandbox", "RemoveContainer"];
    log(&cluster.kubectl(), "kube-system", BRIDGED, |log| {
        all.iter().all(|event| log.contains(&format!("\"event\":\"{event}\"")))
    });
}

/// Returns the events of the pod `seen` in the log of the plugin.
fn seen(log: &str) -> Vec<String> {
    log.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|event| event["pod"]["name"] == "seen")
        .filter_map(|event| event["event"].as_str().map(str::to_owned))
        .collect()
}

/// Returns a pod with a plugin of NRI v0.11.0 that registers under this index.
fn old_plugin(cluster: &Cluster, index: &str) -> Value {
    json!({
        "hostNetwork": true,
        "tolerations": [{ "operator": "Exists" }],
        "containers": [{
            "name": "old", "image": format!("{}/nri-old:0.1.0", cluster.registry()),
            "args": ["-index", index, "-name", "old"],
            "volumeMounts": [{ "name": "nri", "mountPath": "/var/run/nri" }],
        }],
        "volumes": [{ "name": "nri", "hostPath": { "path": "/var/run/nri" } }],
    })
}

/// Runs a plugin of NRI v0.11.0 as a DaemonSet and as a static pod.
fn run_old_plugin(cluster: &Cluster) {
    let labels = json!({ "app": "old" });
    let daemon_set = json!({
        "apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": { "namespace": "kube-system", "name": "old" },
        "spec": {
            "selector": { "matchLabels": labels },
            "template": { "metadata": { "labels": labels }, "spec": old_plugin(cluster, "20") },
        },
    });
    let kubectl = cluster.kubectl();
    kubectl.send(&["create"], &[daemon_set]);
    let static_pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "namespace": "kube-system", "name": "fixed" },
        "spec": old_plugin(cluster, "30"),
    });
    cluster.run_static_pod("fixed", &static_pod);
    let namespace = "--namespace=kube-system";
    let status = ["rollout", "status", "daemonset/old", namespace];
    kubectl.run(&[&status[..], &["--timeout=120s"]].concat());
    let mirror = format!("fixed-{NODE}");
    let phase = "jsonpath={.status.phase}";
    kubectl.until(&["get", "pod", &mirror, namespace, "-o", phase], |phase| phase == "Running");
}

/// Checks the cluster with the images that its pods run.
fn plugins_in_pods_are_judged(cluster: &Cluster) -> String {
    let plane = cluster.plane().kubectl(User::ADMIN);
    let kubeconfig = plane.kubeconfig().display().to_string();
    let arguments = [
        "check",
        "--cluster",
        "--kubeconfig",
        &kubeconfig,
        "--insecure",
        cluster.registry(),
        "--target",
        "containerd@2.7",
        "--format",
        "json",
    ];
    let output = NriCompat::new(cluster.host()).run(&arguments, "");
    let report = json_of(&output);
    let pool = &report["cluster"]["pools"][0];
    assert_eq!(pool["runtime"], "containerd://2.4.2", "{report}");
    for (kind, name) in [("DaemonSet", "old"), ("Pod", "fixed")] {
        let old = subject(&report, name);
        assert_eq!(old["place"]["workload"]["kind"], kind, "{old}");
        assert_eq!(old["nodes"], json!([NODE]), "{old}");
        assert_eq!(
            verdicts(old),
            [("containerd@2.4.2", "deprecated"), ("containerd@2.7", "removed")],
            "{old}"
        );
        assert_eq!(old["nri"]["version"], "v0.11.0", "{old}");
        runs(cluster, old);
    }
    let fixed = subject(&report, "fixed").to_string();
    assert!(fixed.contains("static pod"), "{fixed}");
    let bridged = subject(&report, "nri-plugin-bridged");
    assert!(verdicts(bridged).iter().all(|(_, verdict)| *verdict == "ok"), "{bridged}");
    assert!(bridged.to_string().contains("through nri-bridge"), "{bridged}");
    let logger = subject(&report, "nri-plugin-logger");
    assert!(verdicts(logger).iter().all(|(_, verdict)| *verdict == "ok"), "{logger}");
    let own = subject(&report, "nri-compat");
    assert_eq!(verdicts(own), [], "{own}");
    assert!(own.to_string().contains("not a plugin"), "{own}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Asserts that a subject is in the image that the status of a pod on the node names.
fn runs(cluster: &Cluster, subject: &Value) {
    let pods = cluster.kubectl().get(&["pods", "--namespace=kube-system"]);
    let text = pods.to_string();
    let image = subject["place"]["image"].as_str().expect("a reference");
    let digest = image.split_whitespace().next().unwrap_or_default();
    assert!(digest.contains("@sha256:") && text.contains(digest), "{image}: {text}");
}

/// Returns the subject in the container of a workload with this name.
fn subject<'r>(report: &'r Value, name: &str) -> &'r Value {
    let subject = report["subjects"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|subject| subject["place"]["workload"]["name"] == name);
    subject.unwrap_or_else(|| panic!("{name} is not in {report}"))
}

/// Returns the verdicts of a subject with their targets.
fn verdicts(subject: &Value) -> Vec<(&str, &str)> {
    subject["verdicts"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|verdict| {
            let text = |key: &str| verdict[key].as_str().expect("a name");
            (text("target"), text("verdict"))
        })
        .collect()
}

/// Installs the chart, whose DaemonSet runs the image that is in the registry.
fn install_chart(cluster: &Cluster) {
    let chart = release::chart("nri-compat");
    let chart = chart.to_str().expect("path is text");
    let image = format!("image.repository={}/nri-compat", cluster.registry());
    let install = ["install", "nri-compat", chart, "--set", &image];
    let namespace = ["--namespace=nri-compat", "--create-namespace"];
    cluster.kubectl().helm(&[&install[..], &namespace].concat());
}

/// Applies a manifest of `deploy/kubernetes`.
fn apply_manifest(cluster: &Cluster, name: &str) {
    let text = fs::read_to_string(repository("deploy/kubernetes").join(name));
    apply(cluster, &text.expect("manifest is readable"));
}

/// Runs the DaemonSet and the Job, and merges their reports, which are returned.
fn reports_of_pods_are_merged(cluster: &Cluster) -> String {
    let kubectl = cluster.kubectl();
    install_chart(cluster);
    apply_manifest(cluster, "job.yaml");
    let report = |component: &str| {
        let label = format!("app.kubernetes.io/component={component}");
        log(&kubectl, "nri-compat", &label, |log| log.ends_with('\n'))
    };
    let (daily, once) = (report("daily"), report("once"));
    assert_eq!(names(&merge(cluster, &daily)), ["launched"]);
    let reports = format!("{daily}{once}");
    let both = merge(cluster, &reports);
    // Both reports count if they have the same time.
    let mut found = names(&both);
    found.dedup();
    assert_eq!(found, ["launched", "logger"]);
    // The Job looks at processes, whose program has the path that it has in its container.
    let mut paths = both["plugins"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|plugin| plugin["path"].as_str());
    assert!(paths.any(|path| path == "/old"), "{both}");
    let summary = &both["summary"];
    let counts = ["reports", "nodes", "silent", "skipped"].map(|count| summary[count].as_u64());
    assert_eq!(counts, [Some(2), Some(1), Some(0), Some(0)], "{both}");
    reports
}

/// Merges reports as on a machine that knows the nodes of the cluster.
fn merge(cluster: &Cluster, input: &str) -> Value {
    let nodes = cluster.kubectl().run(&["get", "nodes", "-o", "name"]);
    let folder = tempfile::tempdir().expect("temporary folder");
    let expected = folder.path().join("nodes");
    fs::write(&expected, nodes).expect("temporary folder is writable");
    let expected = expected.display().to_string();
    let arguments = ["merge", "-", "--expect-nodes", &expected, "--format", "json"];
    json_of(&NriCompat::new(cluster.host()).run(&arguments, input))
}

/// Merges the reports of the node with that of the cluster: what is on the host, and what is in
/// pods.
fn one_report_has_hosts_and_pods(cluster: &Cluster, hosts: &str, pods: &str) {
    let merged = merge(cluster, &format!("{hosts}{pods}"));
    let pool = &merged["clusters"][0]["pools"][0];
    assert_eq!(pool["runtime"], "containerd://2.4.2", "{merged}");
    assert_eq!(pool["target"], "containerd@2.4.2", "{merged}");
    assert_eq!(pool["nodes"], json!([NODE]), "{merged}");
    assert_eq!(merged["without_host"], json!([]), "{merged}");
    let paths: Vec<&str> = merged["plugins"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|plugin| plugin["path"].as_str())
        .collect();
    let has = |part: &str| paths.iter().any(|path| path.contains(part));
    assert!(has("10-launched") && has("DaemonSet kube-system/old"), "{paths:?}");
    // Each process is the program of a container.
    assert!(!paths.contains(&"/old"), "{paths:?}");
}

/// Checks the cluster as in a pod of `deploy/kubernetes/cluster.yaml`, without a kubeconfig.
fn a_service_account_is_enough(cluster: &Cluster) {
    let kubectl = cluster.kubectl();
    for manifest in ["cluster-reader.yaml", "cluster.yaml"] {
        apply_manifest(cluster, manifest);
    }
    let account = ["--namespace=nri-compat", "nri-compat-cluster"];
    let token = kubectl.run(&[&["create", "token"], &account[..]].concat());
    let home = tempfile::tempdir().expect("temporary folder");
    let command = NriCompat::new(cluster.host())
        .with_env(cluster.mount_service_account(&token))
        .with_env([("HOME", home.path().display().to_string())]);
    let arguments = ["check", "--cluster", "--no-pull", "--format", "json"];
    let report = json_of(&command.run(&arguments, ""));
    assert_eq!(report["cluster"]["name"], "in-cluster", "{report}");
    assert_eq!(report["skipped"], json!([]), "{report}");
    let own = subject(&report, "nri-compat");
    assert_eq!(verdicts(own), [], "{own}");
    assert_eq!(subject(&report, "old")["nodes"], json!([NODE]));
}

/// Returns the names of the plugins in a merged report that have one, in order.
fn names(merged: &Value) -> Vec<&str> {
    let mut names: Vec<_> = merged["plugins"]
        .as_array()
        .expect("a list")
        .iter()
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
