//! The content of an object: its pods, found by their shape, in an object of any kind, and parts
//! outside of complete pods that have to do with NRI, such as paths of the host that nothing
//! mounts, as in the patches of kustomize, and images of published plugins.

use super::images::published;
use super::node::{Node, Value};
use super::paths::{direct, mentions_nri};
use super::pod::{self, host_path};
use crate::unknown::{Installation, NriMention, NriPath};

/// The fields that never contain a pod template.
const WITHOUT_PODS: [&str; 3] = ["managedFields", "metadata", "status"];

/// The field of a list with its objects, which have no kind in some answers of the API server.
const ITEMS: &str = "items";

/// The fields of which a text that is a pod, or a patch of one, has at least one if it mounts a
/// path of the host.
const FIELDS: [&str; 2] = ["hostPath", "mountPath"];

/// A part of an object outside of a pod that has to do with NRI: a path of the host, a mount of a
/// volume that is declared elsewhere, or a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The line, counted from 1.
    pub line: u32,
    /// Its kind, with its path or plugin.
    pub kind: NriMention,
}

/// The content of an object.
#[derive(Default)]
pub(super) struct ObjectContent<'n> {
    /// The pods and pod templates.
    pub(super) pods: Vec<&'n Node>,
    /// The complete objects in it, such as those of a `List`.
    pub(super) objects: Vec<&'n Node>,
    /// The parts outside of pods that have to do with NRI.
    pub(super) mentions: Vec<Mention>,
}

/// Returns an object of this kind with its pods.
#[cfg(feature = "cluster")]
pub(crate) fn workload(object: &Node, kind: &str) -> pod::Workload {
    pod::Workload::new(object, kind, &ObjectContent::new(object).pods)
}

/// Returns true if a mapping is a complete object.
pub(super) fn is_complete(node: &Node) -> bool {
    node.text("apiVersion").is_some() && node.text("kind").is_some()
}

impl<'n> ObjectContent<'n> {
    pub(super) fn new(object: &'n Node) -> Self {
        let mut content = Self::default();
        content.search(object);
        content
    }

    /// Searches a mapping, or the elements of a sequence.
    fn search(&mut self, node: &'n Node) {
        if let Some(mentions) = of_operation(node) {
            return self.mentions.extend(mentions);
        }
        let is_pod = pod::containers(node).next().is_some();
        if is_pod {
            self.pods.push(node);
            self.mentions.extend(of_pod(node));
        } else {
            self.mentions.extend(of_part(node));
        }
        for (key, value) in node.entries() {
            match (key.as_str(), &value.value) {
                (ITEMS, Value::List(elements)) => self.objects.extend(elements),
                (key, _) if WITHOUT_PODS.contains(&key) || is_pod && pod::is_field(key) => {}
                (_, _) => self.inner(value),
            }
        }
        node.elements().iter().for_each(|element| self.inner(element));
    }

    fn inner(&mut self, node: &'n Node) {
        if is_complete(node) {
            self.objects.push(node);
        } else {
            self.search(node);
        }
    }
}

/// Returns what a pod says: the paths of its volumes that no container mounts, and the mounts of
/// volumes that it does not declare.
fn of_pod(pod: &Node) -> Vec<Mention> {
    let mounts = || pod::containers(pod).flat_map(pod::mounts);
    let is_mounted = |volume: &Node| mounts().any(|one| pod::name(one) == pod::name(volume));
    let is_declared =
        |mount: &Node| pod::volumes(pod).any(|one| pod::name(one) == pod::name(mount));
    let unmounted = pod::volumes(pod).filter(|volume| !is_mounted(volume));
    let undeclared = mounts().filter(|mount| !is_declared(mount));
    let volumes = unmounted.filter_map(volume);
    volumes.chain(undeclared.filter_map(mount)).collect()
}

/// Returns the paths of NRI that an operation of a JSON patch sets; `None` for another mapping.
fn of_operation(node: &Node) -> Option<Vec<Mention>> {
    let value = node.get("op").and(node.get("value"))?;
    let texts = value.texts().into_iter();
    Some(texts.filter_map(|(line, path)| about_path(line, path, NriMention::Patch)).collect())
}

/// Returns what a node that is not a pod says: the path of a volume, a mount, an image, a text with
/// YAML in it.
fn of_part(node: &Node) -> Vec<Mention> {
    let image = node.get("image").and_then(image);
    [volume(node), mount(node), image, text(node)].into_iter().flatten().collect()
}

/// Returns the mention of an image that a scalar names, if it is a published plugin.
pub(super) fn image(node: &Node) -> Option<Mention> {
    let image = published(node.as_text()?)?;
    let (repository, plugin) = (image.repository.as_str(), image.chart());
    Some(Mention::installs(node.line, Installation::Image { repository, plugin }))
}

fn volume(node: &Node) -> Option<Mention> {
    let line = node.get("hostPath")?.line;
    about_path(line, host_path(node)?, NriMention::UnmountedVolume)
}

fn mount(node: &Node) -> Option<Mention> {
    let path = node.get("mountPath")?;
    about_path(path.line, path.as_text()?, NriMention::UndeclaredVolume)
}

/// Returns the mention of a text that mounts a path of NRI.
fn text(node: &Node) -> Option<Mention> {
    let text = node.as_text()?;
    let names_path =
        FIELDS.iter().any(|field| text.contains(field)) && mentions_nri(text.as_bytes());
    names_path.then_some(Mention { line: node.line, kind: NriMention::Text })
}

/// Returns the mention of a path of NRI; `None` for another path.
fn about_path(line: u32, path: &str, mention: fn(NriPath) -> NriMention) -> Option<Mention> {
    let resource = direct(path)?;
    let path = crate::escape::bytes(path.as_bytes());
    Some(Mention { line, kind: mention(NriPath { path, resource }) })
}

impl Mention {
    pub(super) fn installs(line: u32, installation: Installation) -> Self {
        Self { line, kind: NriMention::Installation(installation) }
    }
}
