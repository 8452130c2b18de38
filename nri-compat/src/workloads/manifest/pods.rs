//! Finds the pods of an object by their shape, whatever the kind of the object.

use std::collections::HashSet;

use serde_json::json;

use super::super::model::{PodTemplate, Workload};
use super::containers::{self, FoundContainer};
use super::convert::{Error, from_json};
use super::node::{Node, Value};
use super::scope::{self, Scope};
use super::{Item, storage};

/// The fields of `metadata` that are read.
const METADATA: [&str; 5] = [
    "annotations",
    "generateName",
    "name",
    "namespace",
    "ownerReferences",
];

/// The fields that never contain a pod template.
const WITHOUT_PODS: [&str; 4] = ["managedFields", "metadata", "status", "volumes"];

/// The pods of an object, and the complete objects in it, such as those of a `List`.
#[derive(Default)]
struct PodSearch<'n> {
    templates: Vec<PodTemplate>,
    objects: Vec<&'n Node>,
    /// The first error.
    error: Option<Error>,
    /// True if the object may describe containers in custom fields.
    is_custom: bool,
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
    if let Some(item) = storage::read(document, node) {
        return each(item);
    }
    let mut found = PodSearch {
        is_custom: !is_builtin(node),
        ..PodSearch::default()
    };
    found.search("", node, &mut Scope::default());
    let PodSearch {
        templates,
        objects,
        error,
        is_custom: _,
    } = found;
    let has_pods = !templates.is_empty() || error.is_some();
    let is_item = node.get("metadata").is_some_and(Node::is_map) && has_pods;
    each(if !is_complete(node) && !is_item {
        Item::Foreign
    } else if !has_pods {
        Item::Object
    } else {
        match error.map_or_else(|| workload(node, templates), Err) {
            Ok(workload) => Item::Workload { document, workload },
            Err((line, reason)) => Item::Unreadable {
                document,
                line,
                reason,
            },
        }
    });
    for nested in objects {
        object(document, nested, each);
    }
}

/// Returns true for a built-in kind of Kubernetes, whose containers are all in lists of pods.
fn is_builtin(node: &Node) -> bool {
    let version = node.text("apiVersion").unwrap_or_default();
    let group = version.split_once('/').map(|(group, _)| group);
    matches!(
        (group, version),
        (Some("apps" | "batch" | "extensions"), _) | (None, "v1")
    )
}

/// Returns true if a mapping is a complete object.
fn is_complete(node: &Node) -> bool {
    node.text("apiVersion").is_some() && node.text("kind").is_some()
}

impl<'n> PodSearch<'n> {
    /// Searches a mapping, which is in a field of this name, or the elements of a sequence.
    fn search(&mut self, field: &'n str, node: &'n Node, scope: &mut Scope<'n>) {
        let mut taken = Vec::new();
        let mut found = containers::of(node, &mut taken);
        if self.is_custom {
            found.extend(containers::itself(node, field));
        }
        if !found.is_empty() {
            match template(node, &found, scope) {
                Ok(template) => self.templates.push(template),
                Err(error) => self.error = self.error.take().or(Some(error)),
            }
        }
        let has_entered = scope.enter(node);
        for (key, value) in node.fields() {
            if !WITHOUT_PODS.contains(&key) && !taken.contains(&key) {
                self.value(key, value, scope);
            }
        }
        for element in node.elements() {
            self.value(field, element, scope);
        }
        if has_entered {
            scope.leave();
        }
    }

    fn value(&mut self, field: &'n str, node: &'n Node, scope: &mut Scope<'n>) {
        if is_complete(node) {
            self.objects.push(node);
        } else {
            self.search(field, node, scope);
        }
    }
}

/// Returns the object as a workload with these pods, or a line and a reason.
fn workload(object: &Node, templates: Vec<PodTemplate>) -> Result<Workload, Error> {
    let metadata = object.get("metadata");
    let fields = metadata.map(|node| node.keys_to_json(|key| METADATA.contains(&key)));
    let head = json!({
        "kind": object.text("kind"),
        "metadata": fields,
    });
    let mut workload: Workload = from_json(metadata.unwrap_or(object), head)?;
    workload.templates = templates;
    // A list of pods omits their kind.
    let spec = || {
        object
            .get("spec")
            .is_some_and(|spec| !containers::of(spec, &mut Vec::new()).is_empty())
    };
    if workload.kind.is_empty() && spec() {
        "Pod".clone_into(&mut workload.kind);
    }
    Ok(workload)
}

/// Returns the pod with these containers, and with the enclosing volumes that they mount.
fn template<'n>(
    pod: &'n Node,
    found: &[FoundContainer<'n>],
    scope: &Scope<'n>,
) -> Result<PodTemplate, Error> {
    let mut volumes = scope::volumes(pod)?;
    let mut known: HashSet<&str> = HashSet::new();
    let own: HashSet<String> = volumes.iter().map(|volume| volume.name.clone()).collect();
    for name in found.iter().flat_map(FoundContainer::mounts) {
        if known.insert(name) && !own.contains(name) {
            volumes.extend(scope.volume(name).transpose()?);
        }
    }
    let containers = found.iter().map(|container| container.read(scope));
    Ok(PodTemplate {
        node_name: pod.text("nodeName").map(str::to_owned),
        volumes,
        containers: containers.collect::<Result<_, _>>()?,
    })
}
