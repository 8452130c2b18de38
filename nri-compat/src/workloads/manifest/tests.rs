//! Realistic manifests, and manifests that try to break the reader.

use super::super::candidates;
use super::*;

/// Returns a line for each item: `1: Pod n/p: c=image@line`.
fn items(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    read(text, &mut |item| {
        lines.push(match item {
            Item::Workload { document, workload } => {
                let templates = workload.templates.iter();
                let containers = templates.flat_map(|template| &template.containers);
                let containers: Vec<String> = containers
                    .map(|one| {
                        let image = one.image.as_deref().unwrap_or("-");
                        format!("{}={image}@{}", one.name, one.line)
                    })
                    .collect();
                format!("{document}: {workload}: {}", containers.join(" "))
            }
            Item::Object => "object".to_owned(),
            Item::Mention { line, reason, .. } => format!("line {line}: {reason}"),
            Item::Foreign => "foreign".to_owned(),
            Item::Unreadable {
                document,
                line,
                reason,
            } => format!("{document}: line {line}: {reason}"),
        });
    });
    lines
}

/// Returns a pod with one candidate.
fn pod(name: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\nspec:\n  volumes:\n  - name: nri\n    hostPath: {{path: /run/nri}}\n  containers:\n  - name: c\n    image: example.org/{name}:1\n    volumeMounts: [{{name: nri, mountPath: /run/nri}}]\n"
    )
}

fn candidate_count(text: &str) -> usize {
    let mut count = 0;
    read(text, &mut |item| {
        if let Item::Workload { workload, .. } = item {
            count += candidates(&workload).len();
        }
    });
    count
}

#[test]
fn documents_are_counted_with_their_lines() {
    let text = format!("# a comment\n---\n{}---\n\n---\n{}", pod("a"), pod("b"));
    assert_eq!(
        items(&text),
        [
            "1: Pod a: c=example.org/a:1@13",
            "3: Pod b: c=example.org/b:1@28"
        ]
    );
}

#[test]
fn line_ends_and_encodings_are_read() {
    let text = format!("{}---\n{}", pod("a"), pod("b"));
    let expected = items(&text);
    assert_eq!(expected.len(), 2);
    assert_eq!(items(&text.replace('\n', "\r\n")), expected);
    let utf_16 = |to_bytes: fn(u16) -> [u8; 2], mark: &str| -> Vec<u8> {
        let text = format!("{mark}{text}");
        text.encode_utf16().flat_map(to_bytes).collect()
    };
    for bytes in [
        format!("\u{feff}{text}").into_bytes(),
        utf_16(u16::to_le_bytes, "\u{feff}"),
        utf_16(u16::to_be_bytes, "\u{feff}"),
        utf_16(u16::to_le_bytes, ""),
        utf_16(u16::to_be_bytes, ""),
    ] {
        assert_eq!(items(&decode(&bytes)), expected);
    }
}

#[test]
fn a_broken_document_does_not_hide_the_others() {
    for broken in [
        "kind: [",
        "a: b: c",
        "\tkind: x",
        "key: \"open",
        "*unknown",
        "&a",
        "a: {b",
        "%TAG broken",
        "- a\nb: c",
        "? ]",
        "\u{1}",
    ] {
        let text = format!("{}---\n{broken}\n---\n{}", pod("a"), pod("b"));
        let found = items(&text);
        assert_eq!(
            found.first().map(String::as_str),
            Some("1: Pod a: c=example.org/a:1@11")
        );
        let last = found.last().unwrap();
        assert!(
            last.contains(": Pod b: c=example.org/b:1@"),
            "{broken}: {found:?}"
        );
    }
}

#[test]
fn unrendered_templates_are_recognised() {
    for template in [
        "kind: Pod\nmetadata:\n  name: {{ .Release.Name }}-x\n",
        "{{- if .Values.enabled }}\nkind: Pod\n{{- end }}\n",
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Values.name }}\nspec:\n  containers: [{name: c}]\n",
        "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: c\n    image: {{ .Values.image }}\n",
        "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: c\n  volumes:\n    {{- toYaml .Values.volumes | nindent 4 }}\n",
    ] {
        let found = items(template).join("\n");
        assert!(
            found.contains("not been rendered: render it first"),
            "{template}: {found}"
        );
    }
    let found = items("kind: [\n---\nkind: {{ x }}-\n---\nkind: [\n");
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].contains("invalid YAML"), "{found:?}");
    assert!(found[1].contains("not been rendered"), "{found:?}");
    assert!(found[2].contains("invalid YAML"), "{found:?}");
}

#[test]
fn lists_and_nested_objects_are_read_one_by_one() {
    let item = |text: &str| text.replace('\n', "\n  ");
    let list = format!(
        "apiVersion: v1\nitems:\n- {}\n- {}\nkind: List\n",
        item(&pod("a")).trim_end(),
        item(&pod("b")).trim_end()
    );
    assert_eq!(
        items(&list),
        [
            "object",
            "1: Pod a: c=example.org/a:1@13",
            "1: Pod b: c=example.org/b:1@25"
        ]
    );
    let raw = r#"{"kind": "PodList", "apiVersion": "v1", "items": [
        {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "x"}]}}]}"#;
    assert_eq!(items(raw), ["object", "1: Pod a: c=x@2"]);
    let template = "apiVersion: template.openshift.io/v1\nkind: Template\nobjects:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n  spec: {containers: [{name: c}]}\n";
    assert_eq!(items(template), ["object", "1: Pod a: c=-@7"]);
    assert_eq!(
        items(
            "[{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c}]}}]"
        ),
        ["1: Pod a: c=-@1"]
    );
}

#[test]
fn pods_are_found_by_shape() {
    let spec = "{volumes: [], initContainers: [{name: i}], containers: [{name: c}]}";
    for (kind, path) in [
        ("Pod", format!("spec: {spec}")),
        ("PodTemplate", format!("template: {{spec: {spec}}}")),
        (
            "CronJob",
            format!("spec: {{jobTemplate: {{spec: {{template: {{spec: {spec}}}}}}}}}"),
        ),
        ("Rollout", format!("spec: {{template: {{spec: {spec}}}}}")),
        (
            "CloneSet",
            format!("spec: {{template: {{metadata: {{}}, spec: {spec}}}}}"),
        ),
        (
            "MPIJob",
            format!("spec: {{mpiReplicaSpecs: {{Worker: {{template: {{spec: {spec}}}}}}}}}"),
        ),
        (
            "RayCluster",
            format!("spec: {{workerGroupSpecs: [{{template: {{spec: {spec}}}}}]}}"),
        ),
    ] {
        let text = format!(
            "apiVersion: x/v1\nkind: {kind}\nmetadata: {{name: n, namespace: ns}}\n{path}\n"
        );
        assert_eq!(items(&text), [format!("1: {kind} ns/n: i=-@4 c=-@4")]);
    }
    let two = format!(
        "apiVersion: x/v1\nkind: Two\nspec: {{a: {{spec: {spec}}}, b: {{spec: {spec}}}}}\n"
    );
    assert_eq!(items(&two), ["1: Two : i=-@3 c=-@3 i=-@3 c=-@3"]);
}

#[test]
fn other_documents_are_foreign() {
    for text in [
        "a: b",
        "services: {web: {image: x}}",
        "just text",
        "- a\n",
        "true",
        "kind: Cluster\nnodes: []\n",
    ] {
        assert!(items(text).iter().all(|item| item == "foreign"), "{text}");
    }
    for text in [
        "",
        "---\n",
        "# only a comment\n",
        "---\n---\n...\n",
        "\u{feff}",
    ] {
        assert!(items(text).is_empty(), "{text:?}: {:?}", items(text));
    }
    assert_eq!(
        items("apiVersion: v1\nkind: Service\nspec: {ports: []}\n"),
        ["object"]
    );
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  versions:\n  - schema:\n      containers: {type: array, items: {type: object}}\n";
    assert_eq!(items(crd), ["object"]);
}

#[test]
fn anchors_merge_keys_and_tags_are_read() {
    let text = "apiVersion: v1
kind: Pod
x-volumes: &volumes
- name: nri
  hostPath: &path {path: /run/nri, type: ''}
x-container: &base
  image: !!str example.org/a:1
  volumeMounts: [{name: nri}]
metadata: {name: !custom a}
spec:
  volumes: *volumes
  containers:
  - <<: *base
    name: c
  - <<: [*base, {image: never}]
    name: d
    image: example.org/b:1
";
    assert_eq!(
        items(text),
        [
            "1: Pod a: c=example.org/a:1@7 d=example.org/b:1@17",
            "line 5: names /run/nri of the host (the NRI socket), which no container here mounts: render it with what it belongs to (`kustomize build`), and check the result"
        ]
    );
    assert_eq!(candidate_count(text), 2);
    // An anchor ends with its document.
    let text = format!("x: &x y\n---\nkind: *x\n---\n{}", pod("a"));
    let found = items(&text);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[1].starts_with("2: line 3: invalid YAML"), "{found:?}");
}

#[test]
fn odd_values_are_read() {
    let text = "apiVersion: v1
kind: Pod
metadata: {name: '007', namespace: null, labels: , annotations: ~}
spec:
  volumes:
  initContainers: null
  containers:
  -
  - name: on
    image: 1.10
    image: example.org/last:1.10
    env: []
    volumeMounts:
status:
";
    assert_eq!(items(text), ["1: Pod 007: on=example.org/last:1.10@11"]);
    let text =
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  x: |\n    ---\n    kind: Pod\n    {{ x }}\n";
    assert_eq!(items(text), ["object"]);
    let text = "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: c}], volumes: 3}\n";
    assert_eq!(items(text), ["1: Pod : c=-@3"]);
}

#[test]
fn json_is_read_with_lines() {
    let one = r#"{
	"apiVersion": "v1", "kind": "Pod",
	"metadata": {"name": "\ud83d\ude00\u003c", "annotations": {"x": "\/\u00e9"},},
	"spec": {"containers": [
		{"name": "c",
		 "image": "x", },
	], },
}"#;
    assert_eq!(items(one), ["1: Pod 😀<: c=x@6"]);
    let strict = one
        .replace(", }", "}")
        .replace("},}", "}}")
        .replace("},\n\t]", "}]")
        .replace("],\n", "]\n")
        .replace("},\n}", "}\n}");
    let two = format!("{strict}\n{strict}{strict}");
    let found = items(&two);
    assert_eq!(found.len(), 3, "{two}\n{found:?}");
    let long = format!(
        r#"{{"apiVersion": "v1", "kind": "Pod", "x": "{}", "spec": {{"containers": [{{"name": "c"}}]}}}}"#,
        "y".repeat(100_000)
    );
    assert_eq!(items(&long), ["1: Pod : c=-@1"]);
}

#[test]
fn bombs_are_errors() {
    let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..40 {
        let below = format!("*a{}", level - 1);
        laughs.push_str(&format!(
            "a{level}: &a{level} [{}]\n",
            [below.as_str(); 10].join(", ")
        ));
    }
    let deep = format!("a: {}", "[".repeat(100_000));
    let deep_block = (0..2_000)
        .map(|level| format!("{}a:\n", " ".repeat(level)))
        .collect::<String>();
    let cycle = "a: &a [*a]\n".to_owned();
    for bomb in [laughs, deep, deep_block, cycle] {
        let found = items(&format!(
            "{}---\nkind: x\n{bomb}\n---\n{}",
            pod("a"),
            pod("b")
        ));
        let shown = found.join("\n");
        assert_eq!(found.len(), 3, "{}", shown.get(..200).unwrap_or(&shown));
        assert!(found[1].starts_with("2: line "), "{}", found[1]);
    }
    let merges = (0..40).fold("m0: &m0 {a: b}\n".to_owned(), |text, level| {
        format!(
            "{text}m{}: &m{} {{<<: [*m{level}, *m{level}], k{level}: v}}\n",
            level + 1,
            level + 1
        )
    });
    assert_eq!(items(&merges).len(), 1);
}

#[test]
fn many_documents_are_read() {
    let text = vec![pod("a"); 10_000].join("---\n");
    assert_eq!(candidate_count(&text), 10_000);
    let broken = "---\nkind: [\n".repeat(10_000);
    assert_eq!(items(&broken).len(), 10_000);
}
