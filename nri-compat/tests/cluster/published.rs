//! Policy reports: written with `check --publish`, and merged with `merge --cluster`.

use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tempfile::TempDir;

use crate::api_server::{Answer, ApiServer, page};
use crate::command::{Output, run};

const LIST: &str = "/apis/openreports.io/v1alpha1/clusterreports";

/// Runs the command in an empty home folder, with the kubeconfig of a server.
fn command(server: &ApiServer, arguments: &[&str]) -> Output {
    let home = TempDir::new().expect("a folder");
    let kubeconfig = home.path().join("kubeconfig");
    std::fs::write(&kubeconfig, server.kubeconfig()).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_nri-compat"));
    command.args(arguments).current_dir(home.path()).env("HOME", home.path());
    command.env("KUBECONFIG", kubeconfig);
    for name in ["KUBERNETES_SERVICE_HOST", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"] {
        command.env_remove(name).env_remove(name.to_lowercase());
    }
    run(&mut command)
}

/// Returns a folder with a log that mentions a plugin.
fn log() -> (TempDir, String) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("containerd.log");
    let line = "time=\"2026-11-28T10:00:00Z\" level=warning msg=\"NRI plugin uses a deprecated interface.\" deprecated=StateChange details=\"does not implement RunPodSandbox\" plugin=10-logger\n";
    std::fs::write(&path, line).expect("written");
    let name = path.to_str().expect("UTF-8").to_owned();
    (folder, name)
}

/// A server that keeps objects, as often as they are written.
fn keeping() -> (ApiServer, Arc<Mutex<Vec<String>>>) {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let objects = Arc::clone(&kept);
    let server = ApiServer::start(move |request| {
        let mut objects = objects.lock().expect("no panic");
        if request.method == "PATCH" {
            objects.push(request.body.clone());
            return Answer::ok(request.body.clone());
        }
        page(request, objects.len(), |nth| objects[nth].clone())
    });
    (server, kept)
}

#[test]
fn a_report_is_written_into_the_cluster_and_merged_from_there() {
    let (server, kept) = keeping();
    let (_folder, log) = log();
    for node in ["node-1", "node-2"] {
        let arguments = ["logs", &log, "--node", node, "--publish", "openreports"];
        let output = command(&server, &[&arguments[..], &["--format", "json"]].concat());
        assert_eq!((output.code, output.stderr.as_str()), (Some(100), ""), "{output:?}");
    }
    let request = &server.requests()[0];
    assert_eq!(request.path, format!("{LIST}/nri-compat-node-1"));
    assert_eq!(request.query["fieldManager"], "nri-compat");
    assert_eq!(request.headers["content-type"], "application/apply-patch+yaml");
    let object: Value = serde_json::from_str(&kept.lock().expect("no panic")[0]).expect("JSON");
    assert_eq!(object["scope"]["name"], "node-1");
    assert_eq!(object["results"][0]["result"], "warn");

    let output = command(&server, &["merge", "--cluster", "--format", "json"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let report = output.json();
    assert_eq!(report["plugins"][0]["name"], "logger", "{report}");
    assert_eq!(report["plugins"][0]["nodes"], 2, "{report}");
}

#[test]
fn the_reports_of_thousands_of_nodes_are_read_page_by_page() {
    let (server, kept) = keeping();
    let (_folder, log) = log();
    let arguments = ["logs", &log, "--node", "node-0", "--publish", "openreports"];
    command(&server, &arguments);
    let object = kept.lock().expect("no panic")[0].clone();
    let nodes = (0..5000).map(|nth| object.replace("node-0", &format!("node-{nth}")));
    *kept.lock().expect("no panic") = nodes.collect();
    let output = command(&server, &["merge", "--cluster", "openreports", "--format", "json"]);
    let report = output.json();
    assert_eq!(report["summary"]["nodes"], 5000);
    let requests = server.requests();
    let lists = requests.iter().filter(|request| request.path == LIST);
    assert!(lists.count() > 10);
}

#[test]
fn a_cluster_without_the_api_or_the_permission_is_named() {
    let (_folder, log) = log();
    for (code, reason, words) in [
        (
            404,
            "NotFound",
            ["install the custom resources of wgpolicyk8s.io", "clusterpolicyreports"],
        ),
        (403, "Forbidden", ["not permitted to patch clusterpolicyreports", "ClusterRole"]),
    ] {
        let server = ApiServer::start(move |_| Answer::failure(code, reason, "no"));
        let arguments = ["logs", &log, "--publish", "policyreport", "--fail-on", "never"];
        let output = command(&server, &arguments);
        output.fails_with(&words);
        assert!(output.stdout.contains("10-logger"), "the report is printed: {output:?}");
    }
}
