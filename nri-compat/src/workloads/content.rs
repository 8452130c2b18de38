//! The content of an object: its pods, found by their shape, in an object of any kind, and
//! statements about NRI outside of complete pods, such as paths of the host that nothing mounts, as
//! in the patches of kustomize, and images of published plugins.

use super::images::published;
use super::node::{Node, Value};
use super::paths::{HostResource, direct, mentions_nri};
use super::pod::{self, host_path};

/// The fields that never contain a pod template.
const WITHOUT_PODS: [&str; 3] = ["managedFields", "metadata", "status"];

/// The field of a list with its objects, which have no kind in some answers of the API server.
const ITEMS: &str = "items";

/// The fields of which a text that is a pod, or a patch of one, has at least one if it mounts a
/// path of the host.
const FIELDS: [&str; 2] = ["hostPath", "mountPath"];

/// The remedy for a part of an object.
const RENDER: &str = "render it with what it belongs to (`kustomize build`), and check the result";

/// A statement about NRI outside of a pod: a path of the host, a mount of a volume that is declared
/// elsewhere, or a chart. Nothing can be said about plugins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The line, counted from 1.
    pub line: u32,
    /// The statement with its remedy: one line, in lower case.
    pub text: String,
    /// The published plugin that it installs, if it names one.
    pub plugin: Option<&'static str>,
}

/// The content of an object.
#[derive(Default)]
pub(super) struct ObjectContent<'n> {
    /// The pods and pod templates.
    pub(super) pods: Vec<&'n Node>,
    /// The complete objects in it, such as those of a `List`.
    pub(super) objects: Vec<&'n Node>,
    /// Statements about NRI outside of pods.
    pub(super) statements: Vec<Statement>,
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
        if let Some(statements) = of_operation(node) {
            return self.statements.extend(statements);
        }
        let is_pod = pod::containers(node).next().is_some();
        if is_pod {
            self.pods.push(node);
            self.statements.extend(of_pod(node));
        } else {
            self.statements.extend(of_part(node));
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
fn of_pod(pod: &Node) -> Vec<Statement> {
    let mounts = || pod::containers(pod).flat_map(pod::mounts);
    let is_mounted = |volume: &Node| mounts().any(|one| pod::name(one) == pod::name(volume));
    let is_declared =
        |mount: &Node| pod::volumes(pod).any(|one| pod::name(one) == pod::name(mount));
    let unmounted = pod::volumes(pod).filter(|volume| !is_mounted(volume));
    let undeclared = mounts().filter(|mount| !is_declared(mount));
    let volumes = unmounted.filter_map(volume);
    volumes.chain(undeclared.filter_map(mount)).collect()
}

/// Returns what an operation of a JSON patch says: the paths that it sets; `None` for another
/// mapping.
fn of_operation(node: &Node) -> Option<Vec<Statement>> {
    let value = node.get("op").and(node.get("value"))?;
    let texts = value.texts().into_iter();
    let say = |path: &str, resource: HostResource| format!("a patch sets {path} ({resource})");
    Some(texts.filter_map(|(line, path)| about_path(line, path, say)).collect())
}

/// Returns what a node that is not a pod says: the path of a volume, a mount, an image, a text with
/// YAML in it.
fn of_part(node: &Node) -> Vec<Statement> {
    let image = node.get("image").and_then(image);
    let found = [volume(node), mount(node), image, text(node)];
    found.into_iter().flatten().collect()
}

/// Returns the statement that something which is not rendered is installed: the named plugin, or
/// something else.
pub(super) fn installs(line: u32, what: &str, plugin: Option<&'static str>) -> Statement {
    Statement { plugin, ..Statement::new(line, format!("installs {what}; it is not rendered")) }
}

/// Returns the statement about the image that a scalar names, if it is a published plugin.
pub(super) fn image(node: &Node) -> Option<Statement> {
    let image = published(node.as_text()?)?;
    let what = format!("the image {}, a published plugin", image.repository);
    Some(installs(node.line, &what, Some(image.chart())))
}

fn volume(node: &Node) -> Option<Statement> {
    about_path(node.get("hostPath")?.line, host_path(node)?, |path, resource| {
        format!("names {path} of the host ({resource}), which no container here mounts")
    })
}

fn mount(node: &Node) -> Option<Statement> {
    let path = node.get("mountPath")?;
    about_path(path.line, path.as_text()?, |path, resource| {
        format!("mounts a volume that is declared elsewhere at {path} ({resource})")
    })
}

/// Returns the statement about a text that mounts a path of NRI: a patch, or a pod that something
/// else creates.
fn text(node: &Node) -> Option<Statement> {
    let text = node.as_text()?;
    let statement = || format!("a text in it names a path of NRI: {RENDER}");
    let names_path =
        FIELDS.iter().any(|field| text.contains(field)) && mentions_nri(text.as_bytes());
    names_path.then(|| Statement::new(node.line, statement()))
}

/// Returns the statement that `say` makes about a path of NRI; `None` for another path.
fn about_path(line: u32, path: &str, say: fn(&str, HostResource) -> String) -> Option<Statement> {
    let resource = direct(path)?;
    let statement = say(&crate::escape::bytes(path.as_bytes()), resource);
    Some(Statement::new(line, format!("{statement}: {RENDER}")))
}

impl Statement {
    fn new(line: u32, text: String) -> Self {
        Self { line, text, plugin: None }
    }
}
