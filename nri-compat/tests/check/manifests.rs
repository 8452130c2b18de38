//! Kubernetes manifests in `check`: what is found, what is only counted, and what every format
//! says.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use nri_compat::workloads::manifest::{self, Item};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The output of a chart, with a workload of each sort.
const RENDERED: &str = include_str!("rendered.yaml");

/// Runs `check` with `input` as standard input.
fn check(args: &[&str], input: &[u8]) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nri-compat"))
        .arg("check")
        .args(args)
        .args(["--target", "nri@0.12"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

fn json_of(args: &[&str], input: &[u8]) -> Value {
    let (_, out) = check(&[args, &["--format", "json"]].concat(), input);
    serde_json::from_str(&out).unwrap()
}

/// Returns a line for each subject: its line, path, verdict and the first evidence.
fn subjects(report: &Value) -> Vec<String> {
    let all = report["subjects"].as_array().unwrap();
    all.iter().map(subject_line).collect()
}

fn subject_line(subject: &Value) -> String {
    let line = &subject["place"]["workload"]["line"];
    let verdict = subject["verdicts"][0]["verdict"].as_str().unwrap_or("-");
    let path = subject["path"].as_str().unwrap();
    let within = path.split_once(": ").map_or(path, |(_, within)| within);
    let details: Vec<&str> = subject["evidence"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["detail"].as_str().unwrap())
        .collect();
    format!("{line} {within}: {verdict}: {}", details.join("; "))
}

#[test]
fn candidates_of_a_rendered_chart_are_listed_with_reasons() {
    let report = json_of(&["-"], RENDERED.as_bytes());
    assert_eq!(
        subjects(&report),
        [
            "null <stdin>: unknown: names /run/nri of the host (the NRI socket), which no container here mounts: render it with what it belongs to (`kustomize build`), and check the result",
            "113 CronJob tools/patched: no-image: unknown: mounts /etc/nri of the host: the configuration of NRI plugins; it has no image: check the complete manifest",
            "118 CronJob tools/patched: placeholder: unknown: mounts /etc/nri of the host: the configuration of NRI plugins; its image `${REGISTRY}/team/plugin:$(TAG)` is a placeholder: render the manifest first",
            "26 DaemonSet kube-system/nri-logger: install: unknown: mounts /opt/nri/plugins of the host: the folder of NRI plugins; its image registry.example.com/team/install:v1.4 was not fetched",
            "34 DaemonSet kube-system/nri-logger: plugin: unknown: mounts /var/run/nri/nri.sock of the host: the NRI socket; its image registry.example.com/team/nri-logger:v1.4@sha256:0000000000000000000000000000000000000000000000000000000000000000 was not fetched",
            "60 Rollout dranet: dranet: unknown: its image is the published plugin registry.k8s.io/networking/dranet (https://github.com/kubernetes-sigs/dranet); its image registry.k8s.io/networking/dranet:v1.2.0 was not fetched",
        ]
    );
    let workloads = &report["summary"]["workloads"];
    assert_eq!(workloads, &json!({"examined": 6, "candidates": 3}));
    assert_eq!(report["summary"]["files"], 1);
    assert_eq!(report["subjects"][4]["place"]["workload"]["document"], 2);

    let schema = include_str!("../../schema/check.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn every_format_points_at_the_container() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/check/rendered.yaml");
    let within = "DaemonSet kube-system/nri-logger: plugin";
    for (format, expected) in [
        ("text", format!("rendered.yaml:34: {within}")),
        ("json", r#""container": "plugin""#.to_owned()),
        ("jsonl", r#""container":"plugin""#.to_owned()),
        ("markdown", format!("rendered.yaml:34: {within}")),
        ("github", "rendered.yaml,line=34".to_owned()),
        ("junit", "line=\"34\"".to_owned()),
        ("sarif", "\"startLine\": 34".to_owned()),
        ("csv", format!("rendered.yaml: {within},manifest")),
        ("openmetrics", format!("rendered.yaml: {within}")),
    ] {
        let (code, out) = check(&[file, "--format", format], b"");
        assert_eq!(code, Some(0), "{format}");
        assert!(out.contains(&expected), "{format}: {out}");
    }
    let (_, text) = check(&[file], b"");
    // Where lines break depends on the path of this folder.
    let counts = "6 workloads examined, 3 candidates,";
    assert!(text.replace('\n', " ").contains(counts), "{text}");
    let (code, _) = check(&[file, "--fail-on", "unknown"], b"");
    assert_eq!(code, Some(100));
}

/// Returns the rule and the line of each finding about a configuration.
fn findings(document: &str) -> Vec<String> {
    let report = json_of(&["-", "--target", "containerd@2.1"], document.as_bytes());
    let incidents = report["subjects"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|one| one["incidents"].as_array().cloned().unwrap_or_default());
    let line = |one: Value| format!("{}: {}", one["place"]["line"], one["rule"].as_str().unwrap());
    incidents.map(line).collect()
}

#[test]
fn the_configuration_of_a_runtime_in_a_document_is_judged() {
    for (document, expected) in [
        // A ConfigMap.
        (
            "apiVersion: v1\nkind: ConfigMap\ndata:\n  config.toml: |\n    version = 3\n    [plugins.'io.containerd.nri.v1.nri']\n    disable = true\n",
            &["5: CONFIG_NRI_OFF"][..],
        ),
        // The machine configuration of Talos.
        (
            "version: v1alpha1\nmachine:\n  files:\n  - path: /etc/cri/conf.d/20-customization.part\n    content: |\n      [plugins.\"io.containerd.nri.v1.nri\"]\n      plugin_request_timeout = \"2\"\n",
            &["6: CONFIG_DURATION_WITHOUT_UNIT"],
        ),
        // The user data of cloud-init, with a table that containerd ignores.
        (
            "#cloud-config\nwrite_files:\n- path: /etc/containerd/config.toml\n  content: |\n    [plugins.\"io.containerd.nri.v1.nri.default_validator\"]\n    enable = true\n",
            &["5: CONFIG_TABLE_QUOTING"],
        ),
        // A MachineConfig of OpenShift.
        (
            "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\nspec:\n  config:\n    storage:\n      files:\n      - path: /etc/crio/crio.conf.d/10-nri.conf\n        contents:\n          source: data:,%5Bcrio.nri%5D%0Aenable_nri%20%3D%20false%0A\n",
            &["9: CONFIG_NRI_OFF"],
        ),
        // User data of EKS, as a MIME message, and in an object of Karpenter.
        (
            "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"B\"\n\n--B\nContent-Type: text/x-shellscript\n\n#!/bin/sh\necho 'a: [' >&2\n\n--B\nContent-Type: application/node.eks.aws\n\n---\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  containerd:\n    config: |\n      [plugins.'io.containerd.nri.v1.nri']\n      disable = true\n--B--\n",
            &["19: CONFIG_NRI_OFF"],
        ),
        (
            "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nspec:\n  userData: |\n    apiVersion: node.eks.aws/v1alpha1\n    kind: NodeConfig\n    spec:\n      containerd:\n        config: |\n          [plugins.'io.containerd.nri.v1.nri']\n          disable = true\n",
            &["5: CONFIG_NRI_OFF"],
        ),
        // A template of RKE2's agent, in an object of Rancher.
        (
            "apiVersion: rke.cattle.io/v1\nkind: RKE2ConfigTemplate\nspec:\n  files:\n  - path: /var/lib/rancher/rke2/agent/etc/containerd/config-v3.toml.tmpl\n    content: |\n      {{ template \"base\" . }}\n      [plugins.'io.containerd.nri.v1.nri']\n      disable = true\n",
            &["7: CONFIG_NRI_OFF"],
        ),
        // A script that edits a configuration is none.
        (
            "apiVersion: v1\nkind: ConfigMap\ndata:\n  setup.sh: |\n    cat >> /etc/containerd/config.toml <<EOF\n    [plugins.'io.containerd.nri.v1.nri']\n    disable = true\n    EOF\n",
            &[],
        ),
    ] {
        assert_eq!(findings(document), expected, "{document}");
    }
}

#[test]
fn the_configuration_of_a_runtime_in_a_folder_is_judged() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("containerd.toml", "[plugins.'io.containerd.nri.v1.nri']\ndisable = true\n"),
        ("crio.conf", "[crio.nri]\nenable_nri = false\n"),
        (
            "config.toml.tmpl",
            "{{ template \"base\" . }}\n[plugins.'io.containerd.nri.v1.nri']\ndisable = true\n",
        ),
        ("other.toml", "[plugins.nri]\ndisable = true\nplugin_path = '/opt/nri/plugins'\n"),
        ("broken.toml", "[crio.nri]\nenable_nri = \n"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let report = json_of(&[folder.path().to_str().unwrap()], b"");
    let found = report["subjects"].as_array().unwrap().iter().map(|one| {
        let file = Path::new(one["path"].as_str().unwrap()).file_name().unwrap().to_str().unwrap();
        let rules: Vec<&str> = one["incidents"]
            .as_array()
            .unwrap()
            .iter()
            .map(|incident| incident["rule"].as_str().unwrap())
            .collect();
        format!("{file}: {}", rules.join(" "))
    });
    let expected = ["config.toml.tmpl", "containerd.toml", "crio.conf"]
        .map(|file| format!("{file}: CONFIG_NRI_OFF"));
    assert_eq!(found.collect::<Vec<String>>(), expected);
}

#[test]
fn a_fingerprint_does_not_depend_on_the_order_of_documents() {
    let fingerprints = |text: &str| -> BTreeSet<String> {
        let (_, out) = check(&["-", "--format", "sarif"], text.as_bytes());
        let sarif: Value = serde_json::from_str(&out).unwrap();
        let results = sarif["runs"][0]["results"].as_array().unwrap();
        let fingerprint = |result: &Value| result["partialFingerprints"].to_string();
        results.iter().map(fingerprint).collect()
    };
    let mut documents: Vec<&str> = RENDERED.split("---\n").collect();
    documents.reverse();
    let all = fingerprints(RENDERED);
    assert_eq!(all.len(), 6);
    assert_eq!(fingerprints(&documents.join("\n\n---\n")), all);
}

#[test]
fn a_named_file_is_never_silent() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content, verdict, expected) in [
        (
            "template.yaml",
            "kind: Pod\nspec: {{ .Values.spec }}-\n",
            "unknown",
            "document 1: a template that has not been rendered: render it first",
        ),
        (
            "chart.tpl",
            "apiVersion: v1\n{{- if x }}\nkind: {{ y }}{{ end }}\n",
            "unknown",
            "a template that has not been rendered",
        ),
        ("broken.yaml", "apiVersion: v1\nkind: [\n", "unknown", "document 1: invalid YAML"),
        ("compose.yaml", "services: {}\n", "unknown", "no Kubernetes object in it"),
        ("comment.yml", "# nothing\n", "unknown", "no Kubernetes object in it"),
        (
            "path.yaml",
            "apiVersion: v1\nkind: Pod\nspec:\n  containers: [{name: c}]\n  volumes: [{name: v, hostPath: {path: \"{{ .Values.socket }}\"}}]\n",
            "unknown",
            "the path `{{ .Values.socket }}` of a volume is a placeholder",
        ),
        ("service.yaml", "apiVersion: v1\nkind: Service\n", "-", "a manifest without workloads"),
        (
            "service.json",
            "{\"apiVersion\": \"v1\", \"kind\": \"Service\"}",
            "-",
            "a manifest without workloads",
        ),
        (
            "noname",
            "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: c}]}\n",
            "-",
            "a manifest whose workload has nothing to do with NRI",
        ),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let report = json_of(&[path.to_str().unwrap()], b"");
        let found = subjects(&report).join("\n");
        let ends = format!(": {verdict}: ");
        assert!(found.contains(expected) && found.contains(&ends), "{name}: {found}");
    }
    let long = format!("{}\n{RENDERED}", "# a licence\n".repeat(2_000));
    assert_eq!(subjects(&json_of(&["-"], long.as_bytes())).len(), 6);
    let utf_16: Vec<u8> =
        format!("\u{feff}{RENDERED}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(subjects(&json_of(&["-"], &utf_16)).len(), 6);
}

#[test]
fn a_folder_is_searched_without_noise() {
    let folder = tempfile::tempdir().unwrap();
    let write =
        |name: &str, content: &str| std::fs::write(folder.path().join(name), content).unwrap();
    write("rendered.yaml", RENDERED);
    write("template.yaml", "apiVersion: v1\nkind: {{ .Values.kind }}-x\n");
    write("values.yaml", "image: {repository: x}\n");
    write("broken.yaml", "apiVersion: [\n");
    write("package.json", "{\"name\": \"x\"}");
    write("notes.txt", "apiVersion: v1\n");
    let path: &Path = folder.path();
    let report = json_of(&[path.to_str().unwrap()], b"");
    assert_eq!(subjects(&report).len(), 6);
    assert_eq!(report["skipped"], json!([]));
    assert_eq!(report["summary"]["files"], 6);

    let mount = "[{op: add, path: /spec/template/spec/containers/0/volumeMounts/-, value: {name: h, mountPath: /run/nri}}]\n";
    write("patch.yaml", mount);
    let patched = json_of(&[path.to_str().unwrap()], b"");
    assert_eq!(subjects(&patched).len(), 7, "a patch adds a mount");

    write(
        "nri.yaml",
        "apiVersion: v1\nkind: DaemonSet\n{{- if .Values.x }}\npath: /run/nri/{{ .Values.socket }}\n",
    );
    let templated = json_of(&[path.to_str().unwrap()], b"");
    let skipped = templated["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), 1, "{skipped:?}");
    assert!(skipped[0]["reason"].as_str().unwrap().contains("render it first"));
}

/// Returns a pod that may be a candidate.
fn pod() -> impl Strategy<Value = Value> {
    let path = prop::sample::select(vec![
        "/run/nri",
        "/var/run",
        "/",
        "/var/log",
        "/opt/nri/plugins",
        "C:\\x",
        "",
    ]);
    let sub_path = prop::option::of(prop::sample::select(vec!["nri", "x", "nri/nri.sock"]));
    let image = prop::option::of(prop::sample::select(vec![
        "a:1",
        "registry.k8s.io/networking/dranet:v1",
        "{{ x }}",
    ]));
    let list = prop::sample::select(vec!["containers", "initContainers", "ephemeralContainers"]);
    let kind = prop::sample::select(vec!["Pod", "DaemonSet", "CronJob"]);
    ("[a-z0-9]{1,4}", path, sub_path, image, list, kind).prop_map(|(name, path, sub_path, image, list, kind)| {
        let of_pod = json!({
            "volumes": [{"name": "v", "hostPath": {"path": path}}],
            list: [{"name": "c", "image": image, "volumeMounts": [{"name": "v", "subPath": sub_path}]}],
        });
        let spec = match kind {
            "Pod" => of_pod,
            "DaemonSet" => json!({"template": {"spec": of_pod}}),
            _ => json!({"jobTemplate": {"spec": {"template": {"spec": of_pod}}}}),
        };
        json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, "spec": spec})
    })
}

/// Returns a line for each candidate, sorted.
fn found(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for item in manifest::read(text) {
        if let Item::Workload(workload) = item {
            let name = workload.place.workload();
            for one in workload.candidates() {
                let image = one.image.as_deref();
                lines.push(format!("{name} {} {image:?} {}", one.name, one.reason()));
            }
        }
    }
    lines.sort();
    lines
}

proptest! {
    #[test]
    fn no_text_hides_the_document_after_it(words in prop::collection::vec(prop::sample::select(vec![
        "a", ":", " ", "\n", "- ", "[", "]", "{", "}", ", ", "&x ", "*x", "<<", "|", ">", "%YAML 1.2", "---", "...", "\"", "'", "#", "!!str ", "? ",
        "  ", "\t", "apiVersion: v1\n", "kind: Pod\n", "spec:\n", "containers:", "items:", "{{ x }}", "\r", "\u{e9}", "@", "`", "null", "\\u",
    ]), 0..40)) {
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: last}\nspec:\n  volumes: [{name: v, hostPath: {path: /run/nri}}]\n  containers: [{name: last, volumeMounts: [{name: v}]}]\n";
        let text = format!("{}\n---\n{pod}", words.concat());
        prop_assert!(found(&text).iter().any(|line| line.starts_with("Pod last last")), "{text:?}");
    }

    #[test]
    fn the_form_of_a_manifest_does_not_matter(pods in prop::collection::vec(pod(), 0..6)) {
        let yaml = |pod: &Value| serde_yaml_ng::to_string(pod).unwrap();
        let documents: Vec<String> = pods.iter().map(yaml).collect();
        let mut expected: Vec<String> = documents.iter().flat_map(|one| found(one)).collect();
        expected.sort();
        let list = json!({"apiVersion": "v1", "kind": "List", "items": pods});
        let reversed: Vec<String> = documents.iter().rev().cloned().collect();
        let json_lines: String = pods.iter().map(|pod| format!("{pod}\n")).collect();
        let mixed: String = pods.iter().map(|pod| format!("---\n{}\n", serde_json::to_string_pretty(pod).unwrap())).collect();
        for text in [
            documents.join("---\n"),
            reversed.join("\n---\n# next\n"),
            documents.join("---\n").replace('\n', "\r\n"),
            yaml(&list),
            list.to_string(),
            serde_json::to_string_pretty(&list).unwrap(),
            json_lines,
            mixed,
        ] {
            prop_assert_eq!(&found(&text), &expected, "{}", text);
        }
    }
}
