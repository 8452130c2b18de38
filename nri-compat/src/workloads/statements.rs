//! Statements of objects about NRI outside of complete pods: paths of the host that nothing mounts, as in the
//! patches of kustomize, and images of published plugins.

use super::images::published;
use super::node::Node;
use super::paths::{Resource, direct};
use super::pod::{PodTemplate, host_path};
use crate::chart::mentions_nri;

/// The fields of a kustomization whose texts are patches.
const PATCHES: [&str; 2] = ["patch", "patchesStrategicMerge"];

/// The remedy for a part of an object.
const RENDER: &str = "render it with what it belongs to (`kustomize build`), and check the result";

/// A statement about NRI.
#[derive(Debug)]
pub(super) struct Statement {
    /// The line in the document.
    pub(super) line: u32,
    /// The statement: one line, in lower case.
    pub(super) text: String,
    /// The plugin that it installs, if it names one.
    pub(super) plugin: Option<&'static str>,
    /// True for a mount of a volume that is declared elsewhere, probably in the place that another
    /// statement is about.
    pub(super) is_mount: bool,
}

/// Returns what a pod says: the paths of its volumes that no container mounts, and the mounts of volumes that
/// it does not declare.
pub(super) fn of_pod(node: &Node, pod: &PodTemplate) -> Vec<Statement> {
    let is_used = |volume: &&Node| pod.mounts(volume.text("name").unwrap_or_default());
    let volumes = node.maps("volumes").filter(|volume| !is_used(volume));
    let is_declared = |name: &str| pod.volumes.iter().any(|volume| volume.name == name);
    let mounts = pod.containers.iter().flat_map(|one| &one.mounts);
    let undeclared = mounts.filter(|mount| !is_declared(&mount.name));
    let mounts = undeclared.filter_map(|mount| mounted(mount.line, &mount.mount_path));
    volumes.filter_map(volume).chain(mounts).collect()
}

/// Returns what an operation of a JSON patch says: the paths that it sets; `None` for another mapping.
pub(super) fn of_operation(node: &Node) -> Option<Vec<Statement>> {
    let value = node.get("op").and(node.get("value"))?;
    Some(value.texts().into_iter().filter_map(sets_path).collect())
}

/// Returns what a mapping that is not a pod says: the path of a volume, a mount, an image, a patch.
pub(super) fn of_part(node: &Node) -> Vec<Statement> {
    let mount = node.get("mountPath");
    let mount = mount.and_then(|path| mounted(path.line, path.as_text()?));
    let patches = PATCHES.iter().filter_map(|key| node.get(key));
    let patches = patches.flat_map(Node::texts).filter_map(patch);
    let found = [volume(node), mount, node.get("image").and_then(image)];
    found.into_iter().flatten().chain(patches).collect()
}

/// Returns the statement that something which is not rendered is installed: the named plugin, or
/// something else.
pub(super) fn installs(line: u32, what: &str, plugin: Option<&'static str>) -> Statement {
    Statement {
        plugin,
        ..Statement::new(line, format!("installs {what}; it is not rendered"))
    }
}

/// Returns the statement about the image that a scalar names, if it is a published plugin.
pub(super) fn image(node: &Node) -> Option<Statement> {
    let image = published(node.as_text()?)?;
    let what = format!("the image {}, a published plugin", image.repository);
    Some(installs(node.line, &what, image.chart()))
}

fn volume(node: &Node) -> Option<Statement> {
    names_path(node.get("hostPath")?.line, host_path(node)?)
}

fn names_path(line: u32, path: &str) -> Option<Statement> {
    let (path, resource) = of_nri(path)?;
    let text =
        format!("names {path} of the host ({resource}), which no container here mounts: {RENDER}");
    Some(Statement::new(line, text))
}

fn sets_path((line, path): (u32, &str)) -> Option<Statement> {
    let (path, resource) = of_nri(path)?;
    let text = format!("a patch sets {path} ({resource}): {RENDER}");
    Some(Statement::new(line, text))
}

fn mounted(line: u32, path: &str) -> Option<Statement> {
    let (path, resource) = of_nri(path)?;
    let text =
        format!("mounts a volume that is declared elsewhere at {path} ({resource}): {RENDER}");
    Some(Statement {
        is_mount: true,
        ..Statement::new(line, text)
    })
}

/// Returns a path of NRI, escaped, with what it is; `None` for another path.
fn of_nri(path: &str) -> Option<(String, Resource)> {
    let resource = direct(path)?;
    Some((crate::escape::bytes(path.as_bytes()), resource))
}

fn patch((line, text): (u32, &str)) -> Option<Statement> {
    let statement = || format!("a patch that is a text names a path of NRI: {RENDER}");
    mentions_nri(text.as_bytes()).then(|| Statement::new(line, statement()))
}

impl Statement {
    fn new(line: u32, text: String) -> Self {
        Self {
            line,
            text,
            plugin: None,
            is_mount: false,
        }
    }
}
