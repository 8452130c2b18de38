//! Workloads in manifests: pods in any object, patches, objects that install charts, and the output
//! of Helm.

use nri_compat::workloads::Container;
use nri_compat::workloads::manifest::{Item, read};

/// Returns a line for each workload and each document that cannot be read:
/// `1: Pod n/p: c=image@line`.
fn items(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    read(text).into_iter().for_each(|item| match item {
        Item::Workload(workload) => {
            let containers: Vec<String> = workload.containers.iter().map(container_text).collect();
            let (document, name) = (workload.place.document.unwrap(), workload.place.workload());
            lines.push(format!("{document}: {name}: {}", containers.join(" ")));
        }
        Item::Unreadable(error) => lines.push(format!("{error:?}")),
        Item::Object | Item::Mention(_) | Item::Embedded(_) => {}
    });
    lines
}

fn container_text(container: &Container) -> String {
    let image = container.image.as_deref().unwrap_or("-");
    format!("{}={image}@{}", container.name, container.line)
}

/// Returns a pod with one candidate.
fn pod(name: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\nspec:\n  volumes:\n  - name: nri\n    hostPath: {{path: /run/nri}}\n  containers:\n  - name: c\n    image: example.org/{name}:1\n    volumeMounts: [{{name: nri, mountPath: /run/nri}}]\n"
    )
}

/// Returns a line for each candidate, and for each path of the host and chart outside of pods.
fn found(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    read(text).into_iter().for_each(|item| match item {
        Item::Workload(workload) => found.extend(workload.candidates().map(shown)),
        Item::Mention(one) => found.push(format!("{}: {}", one.line, short(&one.kind.to_string()))),
        Item::Object | Item::Embedded(_) => {}
        Item::Unreadable(error) => panic!("{error:?}: {text}"),
    });
    found
}

/// Returns a statement without its remedy and the names of resources.
fn short(reason: &str) -> &str {
    let end = reason.find(" (").or_else(|| reason.find(';'));
    reason.get(..end.unwrap_or(reason.len())).unwrap_or(reason)
}

/// Returns the container of a candidate, and its image.
fn shown(one: &Container) -> String {
    let mounted = if one.mounts_images { "+" } else { "" };
    let image = one.image.as_deref().unwrap_or_default();
    format!("{}={image}{mounted}", one.name)
}

#[test]
fn pods_are_found_in_any_object() {
    let nri = "[{name: nri, hostPath: {path: /run/nri}}]";
    let mounts = "volumeMounts: [{name: nri, mountPath: /n}]";
    for (kind, spec, expected) in [
        (
            "Rollout",
            format!("template: {{spec: {{volumes: {nri}, containers: [{{name: c, image: a:1, {mounts}}}]}}}}"),
            &["c=a:1"][..],
        ),
        (
            "Operator",
            format!("agent: {{pod: {{volumes: {nri}, initContainers: [{{name: i, image: a:1, {mounts}}}]}}}}"),
            &["i=a:1"],
        ),
        // A part of a volume, and one that depends on the container, so that it may be any part.
        (
            "Pod",
            "volumes: [{name: r, hostPath: {path: /var/run}}]\n  containers: [{name: a, volumeMounts: [{name: r, subPath: nri}]}, {name: b, volumeMounts: [{name: r, subPath: containerd}]}, {name: c, volumeMounts: [{name: r, subPathExpr: $(X)}]}]".to_owned(),
            &["a=", "c="],
        ),
        // Image volumes.
        (
            "Pod",
            "volumes: [{name: nri, hostPath: {path: /run/nri}}, {name: p, image: {reference: b:1, pullPolicy: Always}}, {name: q, image: {reference: c:1}}]\n  containers: [{name: c, image: a:1, volumeMounts: [{name: nri}, {name: p}]}]".to_owned(),
            &["c=a:1+"],
        ),
        (
            "Pod",
            "volumes: [{name: p, image: {reference: registry.k8s.io/networking/dranet:v1}}]\n  containers: [{name: c, image: a:1, volumeMounts: [{name: p}]}]".to_owned(),
            &["c=a:1+"],
        ),
        // Volumes outside of a pod, whoever mounts them.
        (
            "Workflow",
            format!("volumes: {nri}\n  templates: [{{name: t, container: {{image: a:1, {mounts}}}}}]"),
            &["5: names /run/nri of the host"],
        ),
        (
            "PersistentVolume",
            "hostPath: {path: /opt/nri/plugins}".to_owned(),
            &["5: names /opt/nri/plugins of the host"],
        ),
        (
            "Operator",
            "agent: {image: registry.k8s.io/networking/dranet:v1}".to_owned(),
            &["5: installs the image registry.k8s.io/networking/dranet, a published plugin"],
        ),
    ] {
        let text = format!("apiVersion: x/v1\nkind: {kind}\nmetadata: {{name: n}}\nspec:\n  {spec}\n");
        assert_eq!(found(&text), expected, "{text}");
    }
}

#[test]
fn patches_are_read() {
    for (text, expected) in [
        // A strategic merge patch.
        (
            "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: c, volumeMounts: [{name: n}]}], volumes: [{name: n, hostPath: {path: /run/nri}}]}}}\n",
            &["c="][..],
        ),
        // JSON patches.
        (
            "- op: add\n  path: /spec/template/spec/volumes/-\n  value:\n    name: n\n    hostPath:\n      path: /var/run/nri\n",
            &["6: a patch sets /var/run/nri"],
        ),
        (
            r#"[{"op": "replace", "path": "/spec/template/spec/volumes/0/hostPath/path", "value": "/run/nri"}]"#,
            &["1: a patch sets /run/nri"],
        ),
        (
            "- {op: add, path: /spec/template/spec/volumes/0/hostPath, value: {path: /run/nri}}\n",
            &["1: a patch sets /run/nri"],
        ),
        // Patches in a kustomization.
        (
            "kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1\nresources: [a.yaml]\npatches:\n- target: {kind: DaemonSet}\n  patch: |-\n    - op: add\n      path: /spec/template/spec/volumes/-\n      value: {name: n, hostPath: {path: /run/nri}}\n",
            &["7: a text in it names a path of NRI: render it with what it belongs to"],
        ),
        (
            "patchesStrategicMerge:\n- |\n  kind: DaemonSet\n  apiVersion: apps/v1\n  metadata: {name: a}\n  spec: {template: {spec: {containers: [{name: c, volumeMounts: [{name: n}]}], volumes: [{name: n, hostPath: {path: /run/nri}}]}}}\n",
            &["3: a text in it names a path of NRI: render it with what it belongs to"],
        ),
        // A pod that something else creates from a text; not what kubectl keeps of the last version
        // of an object.
        (
            "kind: ConfigMap\napiVersion: v1\ndata:\n  pod.yaml: |\n    kind: Pod\n    spec: {volumes: [{name: n, hostPath: {path: /run/nri}}]}\n",
            &["5: a text in it names a path of NRI: render it with what it belongs to"],
        ),
        (
            "kind: ConfigMap\napiVersion: v1\nmetadata: {annotations: {last: '{\"hostPath\": {\"path\": \"/run/nri\"}}'}}\ndata: {config.toml: 'socket_path = \"/run/nri/nri.sock\"'}\n",
            &[],
        ),
        // A mount of a volume that the base declares.
        (
            "kind: DaemonSet\napiVersion: apps/v1\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: c, volumeMounts: [{name: host, mountPath: /var/run/nri}]}]}}}\n",
            &["4: mounts a volume that is declared elsewhere at /var/run/nri"],
        ),
        (
            "- op: add\n  path: /spec/template/spec/containers/0/volumeMounts/-\n  value: {name: host, mountPath: /run/nri/nri.sock}\n",
            &["3: a patch sets /run/nri/nri.sock"],
        ),
        (
            "kind: Pod\napiVersion: v1\nspec: {volumes: [{name: e, emptyDir: {}}], containers: [{name: c, volumeMounts: [{name: e, mountPath: /run/nri}, {name: x, mountPath: /data}]}]}\n",
            &[],
        ),
    ] {
        assert_eq!(found(text), expected, "{text}");
    }
}

#[test]
fn files_of_tools_that_name_published_plugins_are_recognised() {
    let balloons = "the chart nri-resource-policy-balloons, a published plugin";
    let kustomization = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";
    for (text, expected) in [
        (
            format!("{kustomization}helmCharts:\n- name: nri-resource-policy-balloons\n"),
            format!("4: installs {balloons}"),
        ),
        (
            "helmCharts:\n- name: nri-resource-policy-balloons\n".to_owned(),
            format!("2: installs {balloons}"),
        ),
        (
            "releases:\n- name: b\n  chart: nri-plugins/nri-resource-policy-balloons\n".to_owned(),
            format!("3: installs {balloons}"),
        ),
        ("helm: {chart: deployment/helm/balloons}\n".to_owned(), format!("1: installs {balloons}")),
        (
            format!(
                "{kustomization}images: [{{name: a, newName: registry.k8s.io/networking/dranet}}]\n"
            ),
            "3: installs the image registry.k8s.io/networking/dranet, a published plugin"
                .to_owned(),
        ),
        (
            format!(
                "{kustomization}resources: [a.yaml, 'https://github.com/containers/nri-plugins//deployment?ref=main']\n"
            ),
            "3: installs a folder of containers/nri-plugins, whose plugins are published"
                .to_owned(),
        ),
    ] {
        assert_eq!(found(&text), [expected], "{text}");
    }
    for text in [
        format!(
            "{kustomization}resources: [nri-memory-qos, ../nri-sgx-epc]\nnamePrefix: nri-memtierd-\n"
        ),
        "releases:\n- name: b\n  chart: newrelic/nri-bundle\n".to_owned(),
    ] {
        assert!(found(&text).is_empty(), "{text}: {:?}", found(&text));
    }
}

#[test]
fn objects_that_install_charts_are_recognised() {
    let balloons = "the chart nri-resource-policy-balloons, a published plugin";
    let path = "a chart with values that name a path of NRI";
    for (version, kind, spec, expected) in [
        (
            "helm.toolkit.fluxcd.io/v2",
            "HelmRelease",
            "chart: {spec: {chart: nri-resource-policy-balloons, version: 0.9.4}}",
            balloons,
        ),
        (
            "helm.toolkit.fluxcd.io/v2beta2",
            "HelmRelease",
            "chart: {spec: {chart: ./charts/x}}\n  values: {socket: /var/run/nri/nri.sock}",
            path,
        ),
        (
            "source.toolkit.fluxcd.io/v1beta2",
            "OCIRepository",
            "url: oci://ghcr.io/containers/nri-plugins/nri-resource-policy-balloons",
            balloons,
        ),
        (
            "source.toolkit.fluxcd.io/v1",
            "HelmChart",
            "chart: nri-resource-policy-balloons",
            balloons,
        ),
        (
            "argoproj.io/v1alpha1",
            "Application",
            "source: {chart: nri-resource-policy-balloons, repoURL: https://containers.github.io/nri-plugins}",
            balloons,
        ),
        (
            "argoproj.io/v1alpha1",
            "Application",
            "sources: [{path: apps}, {repoURL: ghcr.io/containers, chart: nri-plugins/nri-resource-policy-balloons}]",
            balloons,
        ),
        (
            "argoproj.io/v1alpha1",
            "Application",
            "source: {path: deployment/helm/balloons, repoURL: https://github.com/example/fork.git}",
            balloons,
        ),
        (
            "helm.toolkit.fluxcd.io/v2",
            "HelmRelease",
            "chart: {spec: {chart: ./deployment/helm/balloons, sourceRef: {kind: GitRepository, name: x}}}",
            balloons,
        ),
        (
            "source.toolkit.fluxcd.io/v1",
            "GitRepository",
            "url: https://github.com/containers/nri-plugins",
            "a folder of containers/nri-plugins, whose plugins are published",
        ),
        (
            "helm.crossplane.io/v1beta1",
            "Release",
            "forProvider: {chart: {name: nri-resource-policy-balloons}}",
            balloons,
        ),
        (
            "argoproj.io/v1alpha1",
            "ApplicationSet",
            "template: {spec: {source: {chart: nri-resource-policy-balloons}}}",
            balloons,
        ),
        (
            "helm.cattle.io/v1",
            "HelmChart",
            "chart: https://example.com/charts/nri-resource-policy-balloons-0.9.4.tgz",
            balloons,
        ),
        (
            "helm.cattle.io/v1",
            "HelmChartConfig",
            "valuesContent: |-\n    hostDir: /opt/nri/plugins",
            path,
        ),
    ] {
        let text = format!(
            "apiVersion: {version}\nkind: {kind}\nmetadata: {{name: n}}\nspec:\n  {spec}\n"
        );
        let found = found(&text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].ends_with(expected), "{text}: {found:?}");
    }
    let named = "apiVersion: helm.cattle.io/v1\nkind: HelmChartConfig\nmetadata: {name: nri-resource-policy-balloons}\n";
    assert_eq!(found(named), [format!("3: installs {balloons}")]);
    for other in [
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: nri-bundle}\nspec: {chart: {spec: {chart: nri-bundle}}, values: {image: newrelic/nri-kubernetes}}\n",
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: dranet}\nspec: {source: {chart: dranet-tools}}\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\nspec: {chart: nri-memory-qos}\n",
    ] {
        assert_eq!(found(other), [""; 0], "{other}");
    }
}

#[test]
fn the_plugin_that_an_object_installs_is_named() {
    assert_eq!(installed("nri-memory-qos"), ["nri-memory-qos"]);
    assert!(installed("./charts/x").is_empty());
}

/// Returns the plugins that a release of a chart is said to install.
fn installed(chart: &str) -> Vec<&'static str> {
    let text = format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec: {{chart: {{spec: {{chart: {chart}}}}}, values: {{socket: /var/run/nri/nri.sock}}}}\n"
    );
    let mut plugins = Vec::new();
    for item in read(&text) {
        if let Item::Mention(mention) = item {
            plugins.extend(mention.kind.plugin());
        }
    }
    plugins
}

#[test]
fn schemas_and_values_are_not_containers() {
    for text in [
        "kind: CustomResourceDefinition\nspec: {schema: {properties: {image: {type: string}, volumeMounts: {type: array, items: {properties: {name: {type: string}}}}, volumes: {type: array}}}}",
        "kind: ConfigMap\ndata: {container: x, script: 'image: y'}",
        "kind: Policy\nspec: {container: {name: c}, steps: [{name: s, run: x}], sidecars: [a], image: registry.example.com/x}",
    ] {
        let found = items(&format!("apiVersion: v1\n{text}\n"));
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn the_output_of_helm_is_read() {
    let text = format!(
        "WARNING: a: b\nNAME: x\nLAST DEPLOYED: Sun Nov 22 13:10:03 2026\nSTATUS: deployed\nHOOKS:\n---\n# Source: x/hook.yaml\n{}\nMANIFEST:\n---\n# Source: x/a.yaml\n{}\nNOTES:\n1. Run: kubectl get pods: all\n  - {{{{ not a template }}}}\n",
        pod("a"),
        pod("b")
    );
    let found = items(&text);
    let pods: Vec<&String> = found.iter().filter(|line| line.contains("Pod")).collect();
    assert_eq!(
        pods,
        ["2: Pod a: c=example.org/a:1@18", "3: Pod b: c=example.org/b:1@34"],
        "{found:?}"
    );
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn long_lists_without_an_object_around_them_are_read() {
    let element = "- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n  spec: {containers: [{name: c, env: [1, 2, 3, 4, 5, 6, 7, 8]}]}\n";
    assert_eq!(items(&element.repeat(20_000)).len(), 20_000);
}
