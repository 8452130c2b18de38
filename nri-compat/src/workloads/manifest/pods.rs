//! Finds the pods of an object by their shape, whatever the kind of the object, and paths of the
//! host that patches and other objects name outside of a pod.

use serde_json::json;

use super::super::candidate::direct;
use super::super::model::{Container, HostPath, PodTemplate, Workload};
use super::convert::{Error, from_json};
use super::node::{Node, Value};
use super::{Item, containers, releases, yaml};

/// The fields of `metadata` that are read.
const METADATA: [&str; 5] = [
    "annotations",
    "generateName",
    "name",
    "namespace",
    "ownerReferences",
];

/// The fields that never contain a pod template.
const WITHOUT_PODS: [&str; 3] = ["managedFields", "metadata", "status"];

/// The fields of a kustomization whose texts are patches.
const PATCHES: [&str; 2] = ["patch", "patchesStrategicMerge"];

const HOST_PATH: &str = "hostPath";
const MOUNT_PATH: &str = "mountPath";

/// What an object contains.
#[derive(Default)]
struct Search<'n> {
    templates: Vec<PodTemplate>,
    /// The complete objects in it, such as those of a `List`.
    objects: Vec<&'n Node>,
    /// Paths of the host outside of pods, with their lines.
    loose: Vec<(u32, HostPath)>,
    /// Mounts of volumes that are not declared with them, as lines and paths in the container.
    mounts: Vec<(u32, String)>,
    /// Images of published plugins outside of pods, with their lines.
    images: Vec<(u32, String)>,
    /// Patches that are written as text, with their lines.
    patches: Vec<(u32, &'n str)>,
    /// The first error.
    error: Option<Error>,
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
    let mut found = Search::default();
    found.search(node);
    let has_pods = !found.templates.is_empty() || found.error.is_some();
    let is_item = node.get("metadata").is_some_and(Node::is_map) && has_pods;
    let templates = found.templates;
    // The path of an anchor may stand outside of the pods that use it.
    let volumes = templates.iter().flat_map(|template| &template.volumes);
    let known: Vec<_> = volumes
        .filter_map(|volume| volume.host_path.clone())
        .collect();
    found.loose.retain(|(_, path)| !known.contains(path));
    each(if !is_complete(node) && !is_item {
        Item::Foreign
    } else if !has_pods {
        Item::Object
    } else {
        match found.error.map_or_else(|| workload(node, templates), Err) {
            Ok(workload) => Item::Workload { document, workload },
            Err((line, reason)) => Item::Unreadable {
                document,
                line,
                reason,
            },
        }
    });
    // The volume of such a mount is probably the one whose path is reported.
    let has_loose = !found.loose.is_empty();
    for (line, path) in found.loose {
        each(Item::HostPath { line, path });
    }
    let mounts = found.mounts.into_iter().filter(|(_, path)| is_of_nri(path));
    for (line, path) in mounts.filter(|_| !has_loose) {
        each(Item::Mount { line, path });
    }
    found.images.extend(releases::of(node));
    for (line, chart) in without_repetition(found.images) {
        each(Item::Release { line, chart });
    }
    for (line, patch) in found.patches {
        of_patch(document, line, patch, each);
    }
    for nested in found.objects {
        object(document, nested, each);
    }
}

/// Passes what a patch contains that is written as text at a line of the manifest.
fn of_patch(document: u32, line: u32, text: &str, each: &mut dyn FnMut(Item)) {
    yaml::objects(text, &mut |_, node| {
        // A patch that cannot be read is an error of kustomize.
        let Ok(node) = node else { return };
        read(document, node, &mut |item| match item {
            Item::HostPath { line: inner, path } => each(Item::HostPath {
                // The node of a text stands at the first line of the text.
                line: line + inner.saturating_sub(1),
                path,
            }),
            Item::Mount { line: inner, path } => each(Item::Mount {
                line: line + inner.saturating_sub(1),
                path,
            }),
            Item::Release { line: inner, chart } => each(Item::Release {
                line: line + inner.saturating_sub(1),
                chart,
            }),
            Item::Workload { workload, .. } => each(Item::Workload { document, workload }),
            Item::Object | Item::Foreign | Item::Unreadable { .. } => {}
        });
    });
}

/// Returns the mounts of a pod whose volumes it does not declare, as lines and paths in the container.
fn undeclared(pod: &PodTemplate) -> Vec<(u32, String)> {
    let is_declared = |name: &str| pod.volumes.iter().any(|volume| volume.name == name);
    let of = |container: &Container| {
        let line = container.line.unwrap_or_default();
        let mounts = container.mounts.iter();
        let mounts = mounts.filter(|mount| !is_declared(&mount.name));
        let paths: Vec<_> = mounts
            .map(|mount| (line, mount.mount_path.clone()))
            .collect();
        paths
    };
    pod.containers.iter().flat_map(of).collect()
}

/// Returns true if a path in a container is one where plugins expect the files of NRI.
fn is_of_nri(path: &str) -> bool {
    let path = HostPath {
        path: path.to_owned(),
        required_type: None,
    };
    direct(&path).is_some()
}

/// Returns the statements without those that repeat an earlier one at another line.
fn without_repetition(statements: Vec<(u32, String)>) -> Vec<(u32, String)> {
    let mut distinct: Vec<(u32, String)> = Vec::new();
    for statement in statements {
        if distinct.iter().all(|(_, text)| *text != statement.1) {
            distinct.push(statement);
        }
    }
    distinct
}

/// Returns true if a mapping is a complete object.
fn is_complete(node: &Node) -> bool {
    node.text("apiVersion").is_some() && node.text("kind").is_some()
}

impl<'n> Search<'n> {
    /// Searches a mapping, or the elements of a sequence.
    fn search(&mut self, node: &'n Node) {
        let pod = containers::pod(node);
        let is_pod = pod.is_some();
        match pod {
            Some(Ok(template)) => {
                self.mounts.extend(undeclared(&template));
                self.templates.push(template);
            }
            Some(Err(error)) => self.error = self.error.take().or(Some(error)),
            None => {
                self.loose_path(node);
                self.loose_mount(node);
                self.images.extend(releases::image(node));
            }
        }
        for (key, value) in node.fields() {
            let is_read = is_pod && containers::FIELDS.contains(&key);
            if PATCHES.contains(&key) {
                self.texts(value);
            }
            if !WITHOUT_PODS.contains(&key) && !is_read {
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

    /// Adds the path of a volume, or the path that an operation of a JSON patch sets.
    fn loose_path(&mut self, node: &'n Node) {
        let path = || {
            if let Some(volume) = node.get(HOST_PATH) {
                return Some((volume.line, from_json(volume, volume.to_json()).ok()?));
            }
            let value = node.get("op").and(node.get("value"))?;
            let target = node.text("path")?;
            if target.ends_with("/hostPath/path") {
                let path = from_json(value, json!({ "path": value.to_json() })).ok()?;
                return Some((value.line, path));
            }
            target
                .ends_with("/hostPath")
                .then(|| Some((value.line, from_json(value, value.to_json()).ok()?)))?
        };
        self.loose.extend(path());
    }

    /// Adds the mount that a patch or an unusual object describes.
    fn loose_mount(&mut self, node: &'n Node) {
        if let Some(path) = node.text(MOUNT_PATH) {
            self.mounts.push((node.line, path.to_owned()));
        }
    }

    fn texts(&mut self, node: &'n Node) {
        for one in [node].into_iter().chain(node.elements()) {
            if let Value::Text(text) = &one.value
                && text.contains('\n')
            {
                self.patches.push((one.line, text));
            }
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
    let is_pod = || {
        object
            .get("spec")
            .is_some_and(|spec| containers::pod(spec).is_some())
    };
    if workload.kind.is_empty() && is_pod() {
        "Pod".clone_into(&mut workload.kind);
    }
    Ok(workload)
}
