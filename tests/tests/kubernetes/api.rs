//! A real API server with etcd: what `deploy/` has for clusters, and `nri-compat check --cluster`
//! with the permissions that it asks for.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use nri_tests::kubernetes::objects::{Workload, mirror, namespace, node, owned};
use nri_tests::kubernetes::{ControlPlane, Kubectl, NriCompat, User};
use nri_tests::machine::Host;
use serde_json::{Value, json};

const ROLE: &str = "nri-compat-cluster-reader";
const ACCOUNT: &str = "system:serviceaccount:nri-compat:nri-compat";

/// Returns the path of a file or a folder of the repository.
fn repository(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    path.to_str().expect("path is text").to_owned()
}

#[test]
fn the_manifests_of_deploy_are_accepted() {
    let plane = ControlPlane::start(&[]);
    let kubectl = plane.kubectl(User::ADMIN);
    let apply =
        |arguments: &[&str]| kubectl.run(&[&["apply", "--validate=strict"], arguments].concat());
    apply(&["-f", &repository("deploy/kubernetes/common.yaml")]);
    apply(&["-f", &repository("deploy/kubernetes")]);
    let plugins = overlays("deploy/plugins/kustomize");
    for overlay in &plugins {
        apply(&["-k", overlay]);
    }
    let sets = kubectl.get(&["daemonsets", "--all-namespaces"]);
    let count = sets["items"].as_array().map(Vec::len);
    assert_eq!(count, Some(plugins.len() + 1), "{count:?}");
    // These are the DaemonSet for one distribution each.
    for overlay in overlays("deploy/kustomize") {
        apply(&["--dry-run=server", "-k", &overlay]);
    }
}

/// Returns the folders in a folder of the repository, without their base.
fn overlays(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(repository(folder)).expect("folder is readable");
    let paths = entries.map(|entry| entry.expect("folder is readable").path());
    paths
        .filter(|path| !path.ends_with("base"))
        .map(|path| path.to_str().expect("path is text").to_owned())
        .collect()
}

/// A cluster as kubelets and controllers would describe it, with `check --cluster` as a service
/// account that has the role of `deploy/`.
struct Described {
    plane: ControlPlane,
    kubectl: Kubectl,
    kubeconfig: String,
    nri_compat: NriCompat,
}

impl Described {
    fn new() -> Self {
        let plane = ControlPlane::start(&[]);
        let kubectl = plane.kubectl(User::ADMIN);
        describe(&kubectl);
        let token = grant(&kubectl);
        let kubeconfig = plane.kubeconfig("reader", &token);
        let kubeconfig = kubeconfig.to_str().expect("path is text").to_owned();
        let nri_compat = NriCompat::new(Host::default());
        Self { plane, kubectl, kubeconfig, nri_compat }
    }

    /// Returns the report, and what went to standard error.
    fn check(&self, arguments: &[&str]) -> (Value, String) {
        let fixed = [
            "check",
            "--cluster",
            "--no-pull",
            "--format",
            "json",
            "--kubeconfig",
            &self.kubeconfig,
        ];
        let output = self.nri_compat.run(&[&fixed[..], arguments].concat(), "");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        let report = serde_json::from_slice(&output.stdout);
        (report.unwrap_or_else(|fault| panic!("{fault}: {error}")), error)
    }
}

/// Creates nodes with two runtimes, and workloads with and without access to NRI.
fn describe(kubectl: &Kubectl) {
    let nodes = [
        ("a1", "containerd://2.2.3"),
        ("a2", "containerd://2.2.3"),
        ("a3", "containerd://2.2.3"),
        ("b1", "cri-o://1.35.1"),
        ("b2", "cri-o://1.35.1"),
    ]
    .map(|(name, runtime)| node(name, runtime));
    kubectl.send(&["create"], &nodes);
    kubectl.send(&["replace", "--subresource=status"], &nodes);
    kubectl.send(&["create"], &[namespace("nri-compat"), namespace("team")]);
    let workload = |namespace, name, image, mounts| Workload { namespace, name, image, mounts };
    let plugin = workload("team", "plugin", "registry.example/plugin:1", Some("/var/run/nri"));
    let idle = workload("team", "idle", "registry.example/idle:1", Some("/opt/nri/plugins"));
    let other = workload("team", "other", "registry.example/other:1", Some("/srv/data"));
    let fixed = workload("kube-system", "fixed", "registry.example/fixed:1", Some("/etc/nri"));
    let bare = workload("kube-system", "bare", "registry.example/bare:1", Some("/run/nri"));
    kubectl.send(&["create"], &[plugin.daemon_set(), idle.daemon_set(), other.daemon_set()]);
    let set = kubectl.get(&["--namespace=team", "daemonset/plugin"]);
    let first = kubectl.get(&["node/a1"]);
    let digest = format!("sha256:{}", "5a".repeat(32));
    let pods = [
        owned(plugin.pod("plugin-1", "a1", &digest), &set),
        owned(plugin.pod("plugin-2", "b1", &digest), &set),
        other.pod("other-1", "a2", &digest),
        mirror(fixed.pod("fixed-a1", "a1", &digest), &first),
        bare.pod("bare", "b2", &digest),
    ];
    kubectl.send(&["create"], &pods);
    kubectl.send(&["replace", "--subresource=status"], &pods);
}

/// Creates the service account with the role, by the command that the file of the role has; its
/// token.
fn grant(kubectl: &Kubectl) -> String {
    kubectl.run(&["apply", "-f", &repository("deploy/kubernetes/cluster-reader.yaml")]);
    kubectl.run(&["create", "serviceaccount", "--namespace=nri-compat", "nri-compat"]);
    kubectl.run(&[
        "create",
        "clusterrolebinding",
        ROLE,
        "--clusterrole",
        ROLE,
        "--serviceaccount",
        "nri-compat:nri-compat",
    ]);
    let token = kubectl.run(&["create", "token", "--namespace=nri-compat", "nri-compat"]);
    token.trim().to_owned()
}

/// Returns the workloads of a report.
fn workloads(report: &Value) -> BTreeSet<String> {
    let subjects = report["subjects"].as_array().into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    subjects
        .map(|subject| &subject["place"]["workload"])
        .map(|workload| {
            [&workload["kind"], &workload["namespace"], &workload["name"]].map(text).join("/")
        })
        .collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Returns the resources of the role with their groups.
fn resources(role: &Value) -> Vec<(String, String)> {
    let rules = role["rules"].as_array().expect("a role has rules");
    let pairs = rules.iter().flat_map(|rule| {
        let resources = rule["resources"].as_array().expect("a rule has resources");
        resources.iter().map(|resource| (rule["apiGroups"][0].clone(), resource.clone()))
    });
    let text = |value: Value| value.as_str().expect("a name").to_owned();
    pairs.map(|(group, resource)| (text(group), text(resource))).collect()
}

#[test]
fn a_cluster_is_read_with_the_role_of_deploy() {
    let described = Described::new();
    let (report, error) = described.check(&["--target", "containerd@2.4.2"]);
    let everywhere = [
        "DaemonSet/team/idle",
        "DaemonSet/team/plugin",
        "Pod/kube-system/bare",
        "Pod/kube-system/fixed",
    ];
    assert_eq!(workloads(&report), set(&everywhere), "{error}");
    assert_eq!(report["skipped"], json!([]), "{error}");
    let pools: Vec<_> = report["cluster"]["pools"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|pool| (&pool["runtime"], &pool["nodes"]))
        .collect();
    let (containerd, crio) = (json!("containerd://2.2.3"), json!("cri-o://1.35.1"));
    let nodes = (json!(["a1", "a2", "a3"]), json!(["b1", "b2"]));
    assert_eq!(pools, [(&containerd, &nodes.0), (&crio, &nodes.1)]);
    let (of_namespace, _) = described.check(&["--namespace", "team"]);
    assert_eq!(workloads(&of_namespace), set(&everywhere[..2]));
    let (of_context, _) = described.check(&["--context", "test"]);
    assert_eq!(workloads(&of_context), set(&everywhere));
    only_lists(&described);
}

/// Asserts that the audit log has no request but those that the role permits, and has all of these.
fn only_lists(described: &Described) {
    let role = described.kubectl.get(&["clusterrole", ROLE]);
    let permitted =
        resources(&role).into_iter().map(|(group, resource)| ("list".to_owned(), group, resource));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let made = described.plane.requests_of(ACCOUNT).into_iter().map(|event| {
        let object = &event["objectRef"];
        (text(&event["verb"]), text(&object["apiGroup"]), text(&object["resource"]))
    });
    assert_eq!(made.collect::<BTreeSet<_>>(), permitted.collect());
}

#[test]
fn a_missing_permission_is_named_and_the_rest_is_checked() {
    let described = Described::new();
    let role = described.kubectl.get(&["clusterrole", ROLE]);
    for (group, resource) in resources(&role) {
        described.kubectl.send(&["apply"], &[without(&role, &resource)]);
        let review = format!("--as={ACCOUNT}");
        let named = format!("{resource}.{group}");
        let named = named.trim_end_matches('.');
        described
            .kubectl
            .until(&["auth", "can-i", "list", named, &review], |answer| answer.trim() == "no");
        let (report, error) = described.check(&[]);
        let skipped = report["skipped"].as_array().expect("a list").clone();
        assert_eq!(skipped.len(), 1, "{skipped:?}");
        assert!(
            skipped[0].to_string().contains(&format!("not permitted to list {named}")),
            "{skipped:?}"
        );
        assert!(error.contains(named), "{error}");
        assert!(
            resource == "pods" || workloads(&report).contains("Pod/kube-system/bare"),
            "{report}"
        );
        described.kubectl.send(&["apply"], &[without(&role, "")]);
        described
            .kubectl
            .until(&["auth", "can-i", "list", named, &review], |answer| answer.trim() == "yes");
    }
}

/// Returns the role without a resource, as it is applied.
fn without(role: &Value, resource: &str) -> Value {
    let mut rules = role["rules"].clone();
    for rule in rules.as_array_mut().expect("a role has rules") {
        rule["resources"]
            .as_array_mut()
            .expect("a rule has resources")
            .retain(|known| known != resource);
    }
    // A rule without resources is invalid.
    rules.as_array_mut().expect("a role has rules").retain(|rule| rule["resources"] != json!([]));
    json!({ "apiVersion": role["apiVersion"], "kind": "ClusterRole", "metadata": { "name": ROLE }, "rules": rules })
}
