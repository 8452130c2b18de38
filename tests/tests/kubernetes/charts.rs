//! The Helm charts of `deploy/` on a real API server: it accepts every object of every variant, and
//! nothing remains after `helm uninstall`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use nri_tests::kubernetes::{ControlPlane, Kubectl, User};
use nri_tests::release;

const NAMESPACE: &str = "charts";

/// The distributions of the chart `nri-compat`.
const DISTRIBUTIONS: [&str; 8] =
    ["any", "containerd", "cri-o", "k3s", "rke2", "microk8s", "k0s", "talos"];

/// Further values of the chart `nri-compat`.
const VALUES: [&str; 7] = [
    "kind=Job,scan=processes",
    "kind=CronJob,scan=processes",
    "kind=None,cluster.enabled=true",
    "policyReports.enabled=true,cluster.enabled=true",
    "kind=CronJob,policyReports.enabled=true,policyReports.api=policyreport",
    "kind=None,cluster.enabled=true,cluster.schedule=,cluster.registrySecret=registry",
    "textfile.enabled=true,cluster.enabled=true,monitoring.rules=true,monitoring.dashboard=true,priorityClassName=system-node-critical",
];

/// The resource that the Prometheus operator defines, with any fields.
const PROMETHEUS_RULE: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: prometheusrules.monitoring.coreos.com}
spec:
  group: monitoring.coreos.com
  names: {kind: PrometheusRule, plural: prometheusrules, singular: prometheusrule}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
";

/// Resources that the API server writes by itself.
const OF_THE_SERVER: [&str; 7] = [
    "apiservices.apiregistration.k8s.io",
    "componentstatuses",
    "endpoints",
    "endpointslices.discovery.k8s.io",
    "events",
    "events.events.k8s.io",
    "leases.coordination.k8s.io",
];

/// A cluster, and its administrator.
struct Cluster {
    kubectl: Kubectl,
    /// The resources that objects are listed of, with commas between them.
    resources: String,
    _plane: ControlPlane,
}

impl Cluster {
    fn start() -> Self {
        let plane = ControlPlane::start(&[]);
        let kubectl = plane.kubectl(User::ADMIN);
        kubectl.feed(&["apply", "-f", "-"], PROMETHEUS_RULE);
        kubectl.until(&["api-resources", "--output=name"], |all| all.contains("prometheusrules."));
        kubectl.run(&["create", "namespace", NAMESPACE]);
        let all = kubectl.run(&["api-resources", "--verbs=list", "--output=name"]);
        let resources = all.lines().filter(|resource| !OF_THE_SERVER.contains(resource));
        Self { resources: resources.collect::<Vec<_>>().join(","), kubectl, _plane: plane }
    }

    fn helm(&self, arguments: &[&str]) -> String {
        let namespace = ["--namespace", NAMESPACE];
        self.kubectl.helm(&[arguments, &namespace].concat())
    }

    /// Returns the names of all objects that may come from a chart or from `helm`.
    fn objects(&self) -> BTreeSet<String> {
        let all = self.kubectl.run(&["get", &self.resources, "--all-namespaces", "--output=name"]);
        let is_ours = |name: &&str| name.contains("release") || name.contains("nri");
        all.lines().filter(is_ours).map(str::to_owned).collect()
    }

    /// Installs, upgrades and uninstalls a chart, and asserts that the API server accepts its
    /// objects strictly, and that nothing remains of them.
    fn is_installed_and_removed(&self, chart: &str, options: &[&str]) {
        let before = self.objects();
        let chart = release::chart(chart);
        let chart = chart.to_str().expect("path is text");
        let rendered = self.helm(&[&["template", "release", chart], options].concat());
        let strictly =
            ["apply", "--dry-run=server", "--validate=strict", "--namespace", NAMESPACE, "-f", "-"];
        self.kubectl.feed(&strictly, &rendered);
        self.helm(&[&["install", "release", chart], options].concat());
        let installed: Vec<_> = self.objects().difference(&before).cloned().collect();
        // One for the release itself.
        let documents = rendered.matches("\nkind: ").count() + 1;
        assert_eq!(installed.len(), documents, "{options:?}: {installed:?}");
        self.helm(
            &[
                &[
                    "upgrade",
                    "release",
                    chart,
                    "--reuse-values",
                    "--set",
                    "podLabels.again=yes",
                ][..],
                options,
            ]
            .concat(),
        );
        self.helm(&["uninstall", "release"]);
        assert_eq!(self.objects(), before, "{options:?}");
    }
}

#[test]
fn the_chart_of_the_command_is_accepted_and_leaves_nothing() {
    let cluster = Cluster::start();
    cluster.is_installed_and_removed("nri-compat", &[]);
    for distribution in DISTRIBUTIONS {
        let value = format!("distribution={distribution}");
        cluster.is_installed_and_removed("nri-compat", &["--set", &value]);
    }
    for values in VALUES {
        cluster.is_installed_and_removed("nri-compat", &["--set", values]);
    }
}

#[test]
fn the_chart_of_plugins_is_accepted_and_leaves_nothing() {
    let cluster = Cluster::start();
    cluster.is_installed_and_removed("nri-plugin", &["--set", "plugin=logger"]);
    let plugins = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/helm/nri-plugin/plugins");
    for plugin in fs::read_dir(plugins).expect("folder is readable") {
        let values = plugin.expect("folder is readable").path();
        cluster.is_installed_and_removed(
            "nri-plugin",
            &["--values", values.to_str().expect("path is text")],
        );
    }
}
