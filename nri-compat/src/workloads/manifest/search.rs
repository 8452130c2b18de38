//! Finds the pods of an object by their shape, whatever the kind of the object, and what it names
//! outside of pods: paths of the host, mounts and charts.

use super::super::candidate::{direct, listed};
use super::super::model::{HostPath, PodTemplate, Workload};
use super::Item;
use super::charts::{self, Statement};
use super::documents::parse_all;
use super::node::{Node, Value};
use super::pod::{self, host_path};

/// The fields that never contain a pod template.
const WITHOUT_PODS: [&str; 3] = ["managedFields", "metadata", "status"];

/// The fields of a kustomization whose texts are patches.
const PATCHES: [&str; 2] = ["patch", "patchesStrategicMerge"];

/// The field of a list with its objects, which have no kind in some answers of the API server.
const ITEMS: &str = "items";

/// The remedy for a part of an object.
const RENDER: &str = "render it with what it belongs to (`kustomize build`), and check the result";

/// A document, or a patch in one that is written as text.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// The number of the document, counted from 1.
    pub(super) document: u32,
    /// The number of lines before it.
    pub(super) lines_before: u32,
    /// True for a patch, in which no further patches are read.
    pub(super) is_patch: bool,
}

/// The content of an object. Lines are those in the part.
#[derive(Default)]
struct Search<'n> {
    lines_before: u32,
    templates: Vec<PodTemplate>,
    /// The complete objects in it, such as those of a `List`.
    objects: Vec<&'n Node>,
    /// Paths of the host that no container mounts.
    paths: Vec<(u32, HostPath)>,
    /// Paths in containers at which they mount volumes that are not declared with them.
    mounts: Vec<(u32, HostPath)>,
    /// Published plugins.
    charts: Vec<Statement>,
    /// Patches that are written as text.
    patches: Vec<(u32, &'n str)>,
}

/// Passes an object, and the complete objects in it, to `each`.
pub(super) fn read(part: Part, node: &Node, each: &mut dyn FnMut(Item)) {
    match &node.value {
        Value::Null => {}
        Value::List(elements) => {
            for element in elements {
                read(part, element, each);
            }
        }
        Value::Map(_) => object(part, node, each),
        Value::Text(_) => each(Item::Foreign),
    }
}

fn object(part: Part, node: &Node, each: &mut dyn FnMut(Item)) {
    let mut found = Search {
        lines_before: part.lines_before,
        ..Search::default()
    };
    found.search(node);
    found.charts.extend(charts::named(node));
    let mentions = found.mentions();
    let has_pods = !found.templates.is_empty();
    let is_item = has_pods && node.get("metadata").is_some_and(Node::is_map);
    each(if !is_complete(node) && !is_item {
        Item::Foreign
    } else if has_pods {
        Item::Workload {
            document: part.document,
            workload: workload(node, found.templates),
        }
    } else {
        Item::Object
    });
    for (line, reason) in mentions {
        let line = part.lines_before + line;
        each(Item::Mention { line, reason });
    }
    if !part.is_patch {
        for (line, text) in found.patches {
            patch(part, line, text, each);
        }
    }
    for nested in found.objects {
        object(part, nested, each);
    }
}

/// Passes what a patch contains that is written as text at a line of a document.
fn patch(part: Part, line: u32, text: &str, each: &mut dyn FnMut(Item)) {
    // A patch that cannot be read is an error of kustomize.
    let _ = parse_all(text, &mut |document, parsed| {
        let Ok(Some(node)) = parsed else { return };
        let patch = Part {
            // The node of a text has the first line of the text.
            lines_before: part.lines_before + line.saturating_sub(1) + document.lines_before,
            is_patch: true,
            ..part
        };
        read(patch, &node, &mut |item| match item {
            Item::Mention { .. } | Item::Workload { .. } => each(item),
            Item::Object | Item::Foreign | Item::Unreadable { .. } => {}
        });
    });
}

/// Returns true if a mapping is a complete object.
fn is_complete(node: &Node) -> bool {
    node.text("apiVersion").is_some() && node.text("kind").is_some()
}

impl<'n> Search<'n> {
    /// Searches a mapping, or the elements of a sequence.
    fn search(&mut self, node: &'n Node) {
        let pod = pod::pod(node, self.lines_before);
        let is_pod = pod.is_some();
        match pod {
            Some(template) => self.pod(node, template),
            None => self.part(node),
        }
        for (key, value) in node.entries() {
            let key = key.as_str();
            if PATCHES.contains(&key) {
                self.patches(value);
            }
            let is_read = is_pod && pod::FIELDS.contains(&key);
            if key == ITEMS && value.is_list() {
                self.objects.extend(value.elements());
            } else if !WITHOUT_PODS.contains(&key) && !is_read {
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

    /// Adds a pod, the paths of its volumes that no container mounts, and its mounts of volumes that
    /// it does not declare.
    fn pod(&mut self, node: &Node, template: PodTemplate) {
        for volume in node.maps("volumes") {
            if !template.mounts(volume.text("name").unwrap_or_default()) {
                self.path(volume);
            }
        }
        let is_declared = |name: &str| template.volumes.iter().any(|volume| volume.name == name);
        for container in &template.containers {
            let undeclared = container
                .mounts
                .iter()
                .filter(|mount| !is_declared(&mount.name));
            let line = container.line.unwrap_or_default() - self.lines_before;
            self.mounts
                .extend(undeclared.map(|mount| (line, path(&mount.mount_path))));
        }
        self.templates.push(template);
    }

    /// Adds what a mapping that is not a pod names: the path of a volume, a mount, an image.
    fn part(&mut self, node: &Node) {
        self.path(node);
        if let Some(mount) = node.text("mountPath") {
            self.mounts.push((node.line, path(mount)));
        }
        self.charts.extend(charts::image(node));
    }

    /// Adds the path of a volume, or the path that an operation of a JSON patch sets.
    fn path(&mut self, node: &Node) {
        let in_volume = node
            .get("hostPath")
            .map(|volume| (volume, host_path(volume)));
        let in_patch = || {
            let value = node.get("op").and(node.get("value"))?;
            let target = node.text("path")?;
            if target.ends_with("/hostPath/path") {
                return Some((value, value.as_text().map(path)));
            }
            target
                .ends_with("/hostPath")
                .then(|| (value, host_path(value)))
        };
        if let Some((at, Some(path))) = in_volume.or_else(in_patch) {
            self.paths.push((at.line, path));
        }
    }

    fn patches(&mut self, node: &'n Node) {
        for one in [node].into_iter().chain(node.elements()) {
            let text = one.as_text().filter(|text| text.contains('\n'));
            self.patches.extend(text.map(|text| (one.line, text)));
        }
    }

    /// Returns the statements about NRI outside of pods, each once.
    fn mentions(&self) -> Vec<Statement> {
        let is_of = |template: &PodTemplate, path: &HostPath| {
            let mut volumes = template.volumes.iter();
            volumes.any(|volume| {
                volume.host_path.as_ref() == Some(path) && template.mounts(&volume.name)
            })
        };
        // The path of an anchor may stand outside of the pods that use it.
        let is_used = |path: &HostPath| self.templates.iter().any(|one| is_of(one, path));
        let paths = self.paths.iter().filter(|(_, path)| !is_used(path));
        let paths = paths.filter_map(|(line, path)| {
            let (path, resources) = named(path)?;
            let what =
                format!("names {path} of the host ({resources}), which no container here mounts");
            Some((*line, format!("{what}: {RENDER}")))
        });
        let mut mentions: Vec<Statement> = paths.collect();
        // The volume of such a mount is probably the one whose path is reported.
        if mentions.is_empty() {
            mentions.extend(self.mounts.iter().filter_map(|(line, path)| {
                let (path, resources) = named(path)?;
                let what =
                    format!("mounts a volume that is declared elsewhere at {path} ({resources})");
                Some((*line, format!("{what}: {RENDER}")))
            }));
        }
        let charts = self.charts.iter();
        mentions.extend(
            charts.map(|(line, chart)| (*line, format!("installs {chart}; it is not rendered"))),
        );
        let mut distinct: Vec<Statement> = Vec::new();
        for mention in mentions {
            if distinct.iter().all(|(_, reason)| *reason != mention.1) {
                distinct.push(mention);
            }
        }
        distinct
    }
}

/// Returns a path without a required type.
fn path(path: &str) -> HostPath {
    HostPath {
        path: path.to_owned(),
        required_type: None,
    }
}

/// Returns a path and the resources of NRI that it is or belongs to, as text; `None` if there are none.
fn named(path: &HostPath) -> Option<(String, String)> {
    let resources = direct(path)?;
    Some((
        crate::escape::bytes(path.path.as_bytes()),
        listed(&resources),
    ))
}

/// Returns the object as a workload with these pods.
fn workload(object: &Node, templates: Vec<PodTemplate>) -> Workload {
    let metadata = |key: &str| object.get("metadata")?.text(key).map(str::to_owned);
    // A list of pods omits their kind.
    let is_pod = || {
        object
            .get("spec")
            .is_some_and(|spec| pod::pod(spec, 0).is_some())
    };
    let kind = object.text("kind").map(str::to_owned);
    Workload {
        kind: kind.unwrap_or_else(|| {
            if is_pod() {
                "Pod".to_owned()
            } else {
                String::new()
            }
        }),
        namespace: metadata("namespace"),
        name: metadata("name")
            .or_else(|| metadata("generateName"))
            .unwrap_or_default(),
        templates,
        ..Workload::default()
    }
}
