//! Policy reports on a real API server, with the custom resources that OpenReports publishes: every
//! object is accepted strictly, the next one replaces it, and the permissions of the chart are
//! enough.

use std::fs;

use nri_tests::kubernetes::{ControlPlane, Kubectl, NriCompat, User};
use nri_tests::machine::Host;
use nri_tests::peers;
use serde_json::{Value, json};

/// The release of the API whose definitions are installed.
const API: (&str, &str) = ("github.com/openreports/reports-api", "v0.2.1");

const RESOURCE: &str = "clusterreports.openreports.io";

/// A line of a runtime's log about a plugin.
fn warning(plugin: &str) -> String {
    format!(
        "time=\"2026-11-28T10:00:00Z\" level=warning msg=\"NRI plugin uses a deprecated interface.\" deprecated=StateChange details=\"does not implement RunPodSandbox\" plugin={plugin}\n"
    )
}

/// A cluster with the custom resources, and the command with a role that may write and list
/// reports.
struct Reporting {
    kubectl: Kubectl,
    nri_compat: NriCompat,
    _plane: ControlPlane,
}

impl Reporting {
    fn start() -> Self {
        let plane = ControlPlane::start(&[]);
        let kubectl = plane.kubectl(User::ADMIN);
        let definitions = peers::sources(API.0, API.1).join("config/crd");
        kubectl.run(&["apply", "-f", definitions.to_str().expect("path is text")]);
        kubectl.until(&["api-resources", "--output=name"], |all| all.contains(RESOURCE));
        kubectl.run(&["create", "namespace", "nri-compat"]);
        kubectl.run(&["create", "serviceaccount", "--namespace=nri-compat", "reports"]);
        kubectl.send(&["create"], &[role(), binding()]);
        let token = kubectl.run(&["create", "token", "--namespace=nri-compat", "reports"]);
        let kubeconfig = plane.kubeconfig("reports", token.trim());
        let kubeconfig = kubeconfig.to_str().expect("path is text").to_owned();
        let nri_compat = NriCompat::new(Host::default()).with_env([("KUBECONFIG", kubeconfig)]);
        Self { kubectl, nri_compat, _plane: plane }
    }

    /// Returns what the command prints for a log on standard input.
    fn run(&self, arguments: &[&str], input: &str) -> String {
        let output = self.nri_compat.run(arguments, input);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Writes the report of a node on which these plugins were logged.
    fn publish(&self, node: &str, plugins: &[&str]) {
        let log: String = plugins.iter().map(|plugin| warning(plugin)).collect();
        let publish = ["logs", "-", "--node", node, "--publish=openreports", "--fail-on=never"];
        self.run(&publish, &log);
    }

    /// Returns the report of a node, as the API server has it.
    fn report(&self, node: &str) -> Value {
        self.kubectl.get(&[RESOURCE, &format!("nri-compat-{node}")])
    }
}

/// The permissions of the chart, and that of `merge --cluster`.
fn role() -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": { "name": "reports" },
        "rules": [{ "apiGroups": ["openreports.io"], "resources": ["clusterreports"], "verbs": ["create", "patch", "list"] }],
    })
}

fn binding() -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": { "name": "reports" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reports" },
        "subjects": [{ "kind": "ServiceAccount", "name": "reports", "namespace": "nri-compat" }],
    })
}

#[test]
fn a_report_replaces_the_earlier_one_and_is_merged() {
    let cluster = Reporting::start();
    cluster.publish("node-1", &["10-logger", "20-other"]);
    let first = cluster.report("node-1");
    assert_eq!((&first["summary"]["warn"], &first["scope"]["kind"]), (&json!(2), &json!("Node")));
    cluster.publish("node-1", &["10-logger"]);
    cluster.publish("node-2", &["10-logger"]);
    let second = cluster.report("node-1");
    assert_eq!(second["metadata"]["uid"], first["metadata"]["uid"]);
    assert_eq!(second["results"].as_array().map(Vec::len), Some(1), "{second}");
    let merged = cluster.run(&["merge", "--cluster", "--format=json"], "");
    let merged: Value = serde_json::from_str(&merged).expect("JSON");
    assert_eq!(merged["plugins"].as_array().map(Vec::len), Some(1), "{merged}");
    assert_eq!(merged["plugins"][0]["nodes"], 2, "{merged}");
}

#[test]
fn every_object_is_accepted_strictly() {
    let cluster = Reporting::start();
    let log = warning("10-logger");
    let check = cluster.run(&["logs", "-", "--format=openreports", "--fail-on=never"], &log);
    let report = cluster.run(&["logs", "-", "--format=json", "--fail-on=never"], &log);
    let merge = cluster.run(&["merge", "-", "--format=openreports"], &report);
    for object in [check, merge] {
        cluster.kubectl.feed(&["apply", "--validate=strict", "-f", "-"], &object);
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let many: String = (0..2000).map(|nth| warning(&format!("10-plugin-{nth}"))).collect();
    let path = folder.path().join("containerd.log");
    fs::write(&path, many).expect("writable");
    let path = path.to_str().expect("path is text");
    cluster.run(&["logs", path, "--node=large", "--publish=openreports", "--fail-on=never"], "");
    let large = cluster.report("large");
    assert_eq!(large["summary"]["warn"], 2000);
    assert!(large["metadata"]["annotations"]["nri-compat/left-out"].is_string(), "{large}");
}
