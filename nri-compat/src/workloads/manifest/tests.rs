//! Odd manifests, and manifests that try to break the reader.

use super::*;
use crate::workloads::Container;

/// Returns a line for each item: `Pod n/p: c=image@line`.
fn items(text: &str) -> Vec<String> {
    read(text).into_iter().map(item_text).collect()
}

fn item_text(item: Item) -> String {
    match item {
        Item::Workload(workload) => {
            let containers: Vec<String> = workload.containers.iter().map(container_text).collect();
            format!("{}: {}", workload.place.workload(), containers.join(" "))
        }
        Item::Object => "object".to_owned(),
        Item::Mention(mention) => format!("line {}", mention.line),
        Item::Embedded(embedded) => format!("configuration on line {}", embedded.line),
        Item::Unreadable(error) => {
            format!("{}: line {}: {}", error.document, error.line, error.reason)
        }
    }
}

fn container_text(container: &Container) -> String {
    let image = container.image.as_deref().unwrap_or("-");
    format!("{}={image}@{}", container.name, container.line)
}

const POD: &str = "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: c}]}\n";

#[test]
fn odd_forms_are_read() {
    for (text, expected) in [
        (
            r#"{kind: PodList, apiVersion: v1, items: [{metadata: {name: a}, spec: {containers: [{name: c}]}}]}"#,
            &["object", "Pod a: c=-@1"][..],
        ),
        (
            "{apiVersion: template.openshift.io/v1, kind: Template, objects: [{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c}]}}]}",
            &["object", "Pod a: c=-@1"],
        ),
        (
            "apiVersion: v1\nkind: Pod\nmetadata: {name: '007', namespace: null, labels: , annotations: ~}\nspec:\n  volumes:\n  initContainers: null\n  containers:\n  -\n  - name: on\n    image: 1.10\n    image: example.org/last:1.10\n    env: []\n    volumeMounts:\nstatus:\n",
            &["Pod 007: on=example.org/last:1.10@11"],
        ),
        // Anchors, merge keys and tags.
        (
            "apiVersion: v1\nkind: Pod\nx: &volumes\n- hostPath: &path {path: /run/nri, type: ''}\ny: &base\n  image: !!str a:1\nmetadata: {name: !custom a}\nspec:\n  volumes: *volumes\n  containers:\n  - {<<: *base, name: c}\n  - <<: [*base, {image: never}]\n    name: d\n    image: b:1\n",
            &["Pod a: c=a:1@6 d=b:1@14", "line 4"],
        ),
        (
            "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: c}], volumes: 3}\n",
            &["Pod: c=-@3"],
        ),
        (
            r#"{
	"apiVersion": "v1", "kind": "Pod",
	"metadata": {"name": "\ud83d\ude00\u003c", "annotations": {"x": "\/\u00e9"},},
	"spec": {"containers": [
		{"name": "c",
		 "image": "x", },
	], },
}"#,
            &["Pod 😀<: c=x@6"],
        ),
    ] {
        assert_eq!(items(text), expected, "{text}");
    }
}

#[test]
fn bombs_and_anchors_of_other_documents_are_errors() {
    let laughs = (1..40).fold("a0: &a0 [x, x]\n".to_owned(), |text, level| {
        let below = [format!("*a{}", level - 1).as_str(); 10].join(", ");
        format!("{text}a{level}: &a{level} [{below}]\n")
    });
    let merges = (0..40).fold("m0: &m0 {a: b}\n".to_owned(), |text, level| {
        let next = level + 1;
        format!("{text}m{next}: &m{next} {{<<: [*m{level}, *m{level}], k{level}: v}}\n")
    });
    let deep = format!("a: {}", "[".repeat(100_000));
    let deep_block =
        (0..2_000).map(|level| format!("{}a:\n", " ".repeat(level))).collect::<String>();
    let others = ["a: &a [*a]\n", "a: *before\n"].map(str::to_owned);
    for bomb in [laughs, merges, deep, deep_block].into_iter().chain(others) {
        let text = format!("{POD}x: &before y\n---\nkind: x\n{bomb}\n---\n{POD}");
        let found = items(&text);
        let shown = found.join("\n");
        assert_eq!(found.len(), 3, "{}", shown.get(..200).unwrap_or(&shown));
        assert!(found[1].starts_with("2: line "), "{}", found[1]);
    }
}

#[test]
fn an_error_is_on_a_line_of_the_file() {
    for text in [
        "apiVersion: v1\n{{x}}:\n- ap--\np",
        "kind: Pod\n{{x}}:\n- ap--\np\n",
        "kind: Pod\na: [",
        "kind: Pod\na: [\n",
        "kind: Pod\na: |\n  b\nc",
    ] {
        let last = text.lines().count() as u32;
        let lines: Vec<u32> = read(text).iter().filter_map(error_line).collect();
        assert!(lines.iter().all(|line| *line <= last), "{text:?}: {lines:?}");
        assert_eq!(lines.len(), 1, "{text:?}");
    }
}

fn error_line(item: &Item) -> Option<u32> {
    match item {
        Item::Unreadable(error) => Some(error.line),
        Item::Workload(_) | Item::Object | Item::Mention(_) | Item::Embedded(_) => None,
    }
}
