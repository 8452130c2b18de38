//! Workloads in manifests: containers by their shape, persistent volumes, image volumes, and the output of Helm.

use nri_compat::workloads::manifest::{Item, read};
use nri_compat::workloads::{Candidate, Storage, candidates};

/// Returns a line for each workload and each document that cannot be read: `1: Pod n/p: c=image@line`.
fn items(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    read(text, &mut |item| match item {
        Item::Workload { document, workload } => {
            let templates = workload.templates.iter();
            let containers = templates.flat_map(|template| &template.containers);
            let containers: Vec<String> = containers
                .map(|one| {
                    let image = one.image.as_deref().unwrap_or("-");
                    format!("{}={image}@{}", one.name, one.line.unwrap_or(0))
                })
                .collect();
            lines.push(format!("{document}: {workload}: {}", containers.join(" ")));
        }
        Item::Unreadable {
            document,
            line,
            reason,
        } => lines.push(format!("{document}: line {line}: {reason}")),
        Item::Object | Item::Foreign | Item::PersistentVolume(_) | Item::Claim(_) => {}
    });
    lines
}

/// Returns a pod with one candidate.
fn pod(name: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\nspec:\n  volumes:\n  - name: nri\n    hostPath: {{path: /run/nri}}\n  containers:\n  - name: c\n    image: example.org/{name}:1\n    volumeMounts: [{{name: nri, mountPath: /run/nri}}]\n"
    )
}

/// Returns a line for each candidate: the container, its images and the reason.
fn found(text: &str) -> Vec<String> {
    let (mut workloads, mut storage) = (Vec::new(), Storage::default());
    read(text, &mut |item| match item {
        Item::Workload { workload, .. } => workloads.push(workload),
        Item::PersistentVolume(volume) => storage.add_volume(volume),
        Item::Claim(claim) => storage.add_claim(claim),
        Item::Object | Item::Foreign => {}
        Item::Unreadable { line, reason, .. } => panic!("line {line}: {reason}: {text}"),
    });
    workloads
        .iter_mut()
        .for_each(|workload| storage.bind(workload));
    let candidates = workloads.iter().flat_map(candidates);
    let line = |one: Candidate<'_>| {
        let images = one.container.image.as_deref().into_iter();
        let images = images.chain(one.image_volumes.iter().map(|image| image.reference));
        let images: Vec<&str> = images.collect();
        format!(
            "{}={}: {}",
            one.container.name,
            images.join("+"),
            one.reason()
        )
    };
    candidates.map(line).collect()
}

#[test]
fn containers_are_found_by_shape() {
    let nri = "[{name: nri, hostPath: {path: /run/nri}}]";
    let mounts = "volumeMounts: [{name: nri, mountPath: /n}]";
    for (kind, spec, expected) in [
        // Argo Workflows: one container or script per template, volumes around all of them.
        (
            "Workflow",
            format!("volumes: {nri}\n  templates: [{{name: t, container: {{image: a:1, {mounts}}}}}]"),
            &["container=a:1"][..],
        ),
        (
            "CronWorkflow",
            format!("workflowSpec:\n    volumes: {nri}\n    templates: [{{name: t, script: {{image: a:1, source: x, {mounts}}}}}]"),
            &["script=a:1"],
        ),
        (
            "WorkflowTemplate",
            format!("templates: [{{name: t, volumes: {nri}, initContainers: [{{name: i, image: b:1, {mounts}}}], container: {{image: a:1}}, sidecars: [{{name: s, image: c:1, {mounts}}}]}}]"),
            &["i=b:1", "s=c:1"],
        ),
        (
            "Workflow",
            format!("volumes: {nri}\n  templates: [{{name: t, containerSet: {{{mounts}, containers: [{{name: a, image: a:1}}, {{name: b, image: b:1}}]}}}}]"),
            &["a=a:1", "b=b:1"],
        ),
        (
            "Workflow",
            format!("volumes: {nri}\n  templates: [{{name: d, dag: {{tasks: [{{name: x, inline: {{container: {{image: a:1, {mounts}}}}}}}]}}}}]"),
            &["container=a:1"],
        ),
        // Tekton: steps with a template.
        (
            "Task",
            format!("volumes: {nri}\n  stepTemplate: {{image: a:1, {mounts}}}\n  steps: [{{name: one}}, {{name: two, image: b:1}}]"),
            &["one=a:1", "two=b:1"],
        ),
        (
            "PipelineRun",
            format!("pipelineSpec: {{tasks: [{{name: x, taskSpec: {{volumes: {nri}, steps: [{{name: s, image: a:1, {mounts}}}]}}}}]}}"),
            &["s=a:1"],
        ),
        // Operators: mounts beside volumes, or below them.
        (
            "OpenTelemetryCollector",
            format!("image: a:1\n  volumes: {nri}\n  {mounts}"),
            &["spec=a:1"],
        ),
        (
            "SparkApplication",
            format!("image: a:1\n  volumes: {nri}\n  executor: {{cores: 1, {mounts}}}"),
            &["executor=a:1"],
        ),
        (
            "Agent",
            format!("override: {{nodeAgent: {{volumes: {nri}, containers: {{agent: {{{mounts}}}}}}}}}"),
            &["agent="],
        ),
        (
            "Operator",
            format!("podSpec: {{volumes: {nri}, extraContainers: [{{name: x, image: a:1, {mounts}}}]}}"),
            &["x=a:1"],
        ),
        (
            "Operator",
            "agent: {image: registry.k8s.io/networking/dranet:v1}".to_owned(),
            &["agent=registry.k8s.io/networking/dranet:v1"],
        ),
        // Image volumes.
        (
            "Pod",
            "volumes: [{name: nri, hostPath: {path: /run/nri}}, {name: p, image: {reference: b:1, pullPolicy: Always}}, {name: q, image: {reference: c:1}}]\n  containers: [{name: c, image: a:1, volumeMounts: [{name: nri}, {name: p}]}]".to_owned(),
            &["c=a:1+b:1"],
        ),
        (
            "Pod",
            "volumes: [{name: p, image: {reference: registry.k8s.io/networking/dranet:v1}}]\n  containers: [{name: c, image: a:1, volumeMounts: [{name: p}]}]".to_owned(),
            &["c=a:1+registry.k8s.io/networking/dranet:v1"],
        ),
    ] {
        let text = format!("apiVersion: x/v1\nkind: {kind}\nmetadata: {{name: n}}\nspec:\n  {spec}\n");
        let found = found(&text);
        assert_eq!(found.len(), expected.len(), "{text}: {found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(&format!("{expected}: ")), "{text}: {found}");
        }
    }
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

/// Returns a pod, or an object around one, that mounts the volume `v`, and a persistent volume.
fn claimed(kind: &str, spec: &str, persistent: &str) -> String {
    format!(
        "apiVersion: v1\nkind: {kind}\nmetadata: {{name: web, namespace: team}}\nspec:\n  {spec}\n---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {{name: pv, labels: {{for: nri}}}}\nspec: {{{persistent}}}\n"
    )
}

#[test]
fn claims_lead_to_the_paths_of_persistent_volumes() {
    let pod = "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]\n  containers: [{name: c, image: a:1, volumeMounts: [{name: v, subPath: nri}]}]";
    let claim = |spec: &str| {
        format!(
            "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: c, namespace: team}}\nspec: {{{spec}}}\n"
        )
    };
    let certain =
        "c=a:1: mounts /run/nri of the host through the persistent volume `pv`: the NRI socket";
    let possible = "c=a:1: mounts /run/nri of the host if its claim is bound to the persistent volume `pv`: the NRI socket";
    let set = |claims: &str| {
        format!(
            "template: {{spec: {{containers: [{{name: c, image: a:1, volumeMounts: [{{name: v, subPath: nri}}]}}]}}}}\n  volumeClaimTemplates: [{{metadata: {{name: v}}, spec: {{{claims}}}}}]"
        )
    };
    let ephemeral = |claims: &str| {
        format!(
            "volumes: [{{name: v, ephemeral: {{volumeClaimTemplate: {{spec: {{{claims}}}}}}}}}]\n  containers: [{{name: c, image: a:1, volumeMounts: [{{name: v, subPath: nri}}]}}]"
        )
    };
    let path = "hostPath: {path: /run}";
    for (text, expected) in [
        // The claim names the volume, or the volume the claim.
        (
            claimed("Pod", pod, path) + &claim("volumeName: pv"),
            Some(certain),
        ),
        (
            claimed("Pod", pod, "local: {path: /run}") + &claim("volumeName: pv"),
            Some(certain),
        ),
        (
            claimed(
                "Pod",
                pod,
                &format!("{path}, claimRef: {{namespace: team, name: c}}"),
            ),
            Some(certain),
        ),
        (
            claimed("Pod", pod, &format!("{path}, claimRef: {{name: c}}")),
            Some(certain),
        ),
        (
            claimed(
                "Pod",
                pod,
                &format!("{path}, claimRef: {{namespace: other, name: c}}"),
            ),
            None,
        ),
        (
            claimed("Pod", pod, path) + &claim("volumeName: other"),
            None,
        ),
        (claimed("Pod", pod, path), None),
        // The cluster chooses.
        (
            claimed(
                "Pod",
                pod,
                &format!(
                    "{path}, storageClassName: manual, accessModes: [ReadWriteOnce, ReadOnlyMany]"
                ),
            ) + &claim("storageClassName: manual, accessModes: [ReadWriteOnce]"),
            Some(possible),
        ),
        (
            claimed("Pod", pod, path) + &claim("selector: {matchLabels: {for: nri}}"),
            Some(possible),
        ),
        (
            claimed("Pod", pod, path) + &claim("selector: {matchLabels: {for: data}}"),
            None,
        ),
        (
            claimed("Pod", pod, path) + &claim("storageClassName: fast"),
            None,
        ),
        (
            claimed("Pod", pod, &format!("{path}, claimRef: {{name: other}}")) + &claim(""),
            None,
        ),
        // Claims that are made from a template.
        (
            claimed("StatefulSet", &set("volumeName: pv"), path),
            Some(certain),
        ),
        (
            claimed(
                "StatefulSet",
                &set(""),
                &format!("{path}, claimRef: {{namespace: team, name: v-web-0}}"),
            ),
            Some(certain),
        ),
        (
            claimed(
                "StatefulSet",
                &set(""),
                &format!("{path}, claimRef: {{namespace: team, name: v-website-0}}"),
            ),
            None,
        ),
        (
            claimed("StatefulSet", &set("storageClassName: fast"), path),
            None,
        ),
        (
            claimed("Pod", &ephemeral("volumeName: pv"), path),
            Some(certain),
        ),
        (
            claimed(
                "Pod",
                &ephemeral("storageClassName: fast"),
                &format!("{path}, claimRef: {{name: web-v}}"),
            ),
            Some(certain),
        ),
    ] {
        let found = found(&text);
        assert_eq!(found.first().map(String::as_str), expected, "{text}");
    }
    let list = r#"{"kind": "PersistentVolumeList", "apiVersion": "v1", "items": [
        {"metadata": {"name": "pv"}, "spec": {"accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/run"}, "claimRef": {"name": "c"}}}]}"#;
    let text = claimed("Pod", pod, "");
    let (pod, _) = text.split_once("---").unwrap();
    assert_eq!(found(&format!("{pod}---\n{list}\n")), [certain]);
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
        [
            "2: Pod a: c=example.org/a:1@18",
            "3: Pod b: c=example.org/b:1@34"
        ],
        "{found:?}"
    );
    assert!(found[0].starts_with("1: line 1: invalid YAML"), "{found:?}");
    assert_eq!(found.len(), 3, "{found:?}");
    for prose in [
        "Thank you: for: installing\n\n",
        "* item\n1) x: y: z\n",
        "\t\n\"\n",
    ] {
        let found = items(&format!("{prose}{}", pod("a")));
        assert!(
            found.iter().any(|line| line.contains("Pod a: c=")),
            "{prose}: {found:?}"
        );
    }
}

#[test]
fn long_lists_without_an_object_around_them_are_read() {
    let element = "- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n  spec: {containers: [{name: c, env: [1, 2, 3, 4, 5, 6, 7, 8]}]}\n";
    assert_eq!(items(&element.repeat(20_000)).len(), 20_000);
}
