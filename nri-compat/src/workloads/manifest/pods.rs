//! Finds the pods of an object by their shape: a mapping with a list of containers.

use serde_json::{Value as Json, json};

use super::super::model::{PodTemplate, Workload};
use super::node::{Node, Value};
use super::{Item, TEMPLATE};

/// The lists of containers of a pod, in the order of [`PodTemplate::containers`].
const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// The other fields of a pod that are read.
const POD_FIELDS: [&str; 2] = ["nodeName", "volumes"];

/// The metadata that is read.
const METADATA: [&str; 5] = [
    "annotations",
    "generateName",
    "name",
    "namespace",
    "ownerReferences",
];

/// The fields that never contain a pod template.
const WITHOUT_PODS: [&str; 3] = ["managedFields", "metadata", "status"];

/// The pods of an object, and the complete objects in it, such as those of a `List`.
#[derive(Default)]
struct Found<'n> {
    pods: Vec<&'n Node>,
    objects: Vec<&'n Node>,
}

/// Passes an object, and the complete objects in it, to `each`.
pub(super) fn read(document: u32, node: &Node, each: &mut dyn FnMut(Item)) {
    match &node.value {
        Value::Null => {}
        Value::List(elements) => {
            for element in elements.iter() {
                read(document, element, each);
            }
        }
        Value::Map(_) => object(document, node, each),
        Value::Bool(_) | Value::Text(_) => each(Item::Foreign),
    }
}

fn object(document: u32, node: &Node, each: &mut dyn FnMut(Item)) {
    let mut found = Found::default();
    found.search(node);
    let is_item = node.get("metadata").is_some_and(Node::is_map) && !found.pods.is_empty();
    each(if !is_complete(node) && !is_item {
        Item::Foreign
    } else if found.pods.is_empty() {
        Item::Object
    } else {
        match workload(node, &found.pods) {
            Ok(workload) => Item::Workload { document, workload },
            Err((line, reason)) => Item::Unreadable {
                document,
                line,
                reason,
            },
        }
    });
    for nested in found.objects {
        object(document, nested, each);
    }
}

/// Reports whether a mapping is an object by itself.
fn is_complete(node: &Node) -> bool {
    node.text("apiVersion").is_some() && node.text("kind").is_some()
}

impl<'n> Found<'n> {
    /// Searches the fields of a mapping, or the elements of a sequence.
    fn search(&mut self, node: &'n Node) {
        if is_pod(node) {
            return self.pods.push(node);
        }
        for (key, value) in node.fields() {
            if !WITHOUT_PODS.contains(&key) {
                self.value(value);
            }
        }
        for element in node.elements() {
            self.value(element);
        }
    }

    fn value(&mut self, node: &'n Node) {
        if is_complete(node) {
            self.objects.push(node);
        } else {
            self.search(node);
        }
    }
}

/// Reports whether a mapping is the specification of a pod.
fn is_pod(node: &Node) -> bool {
    let is_container = |element: &Node| {
        let fields = ["name", "image", "volumeMounts"];
        fields.iter().any(|field| element.get(field).is_some())
    };
    let lists = CONTAINERS.iter().filter_map(|list| node.get(list));
    lists.flat_map(Node::elements).any(is_container)
}

/// Returns the object as a workload with these pods, or a line and a reason.
fn workload(object: &Node, pods: &[&Node]) -> Result<Workload, (u32, String)> {
    let metadata = object.get("metadata");
    let fields = metadata.map(|node| node.keys_to_json(|key| METADATA.contains(&key)));
    let head = json!({
        "kind": object.text("kind"),
        "metadata": fields,
    });
    let mut workload: Workload = from_json(metadata.unwrap_or(object), head)?;
    for pod in pods {
        workload.templates.push(template(pod)?);
    }
    if workload.kind.is_empty() && object.get("spec").is_some_and(is_pod) {
        "Pod".clone_into(&mut workload.kind);
    }
    Ok(workload)
}

fn template(pod: &Node) -> Result<PodTemplate, (u32, String)> {
    let is_wanted = |key: &str| CONTAINERS.contains(&key) || POD_FIELDS.contains(&key);
    let mut template: PodTemplate = from_json(pod, pod.keys_to_json(is_wanted))?;
    let containers = CONTAINERS.iter().filter_map(|list| pod.get(list));
    let containers = containers
        .flat_map(Node::elements)
        .filter(|one| !one.is_null());
    for (container, node) in template.containers.iter_mut().zip(containers) {
        let image = node.get("image").filter(|image| !image.is_null());
        container.line = Some(image.unwrap_or(node).line);
    }
    Ok(template)
}

fn from_json<T: serde::de::DeserializeOwned>(node: &Node, json: Json) -> Result<T, (u32, String)> {
    serde_json::from_value(json).map_err(|error| {
        let reason = if node.has_complex_key() {
            TEMPLATE.to_owned()
        } else {
            format!("not a valid Kubernetes object: {error}")
        };
        (node.line, reason)
    })
}
