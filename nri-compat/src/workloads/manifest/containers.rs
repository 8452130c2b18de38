//! Finds the containers that a mapping declares: those of a pod, of an Argo Workflows template, of a
//! Tekton task, and those that a resource of an operator describes by their mounts.

use serde_json::{Value as Json, json};

use super::super::images;
use super::super::model::{Container, ContainerKind};
use super::convert::{Error, from_json};
use super::node::{Node, Value};
use super::scope::Scope;

/// The lists of containers, in the order of [`PodTemplate::containers`](super::super::PodTemplate).
const LISTS: [(&str, ContainerKind); 5] = [
    ("initContainers", ContainerKind::Init),
    ("containers", ContainerKind::Main),
    ("steps", ContainerKind::Main),
    ("sidecars", ContainerKind::Main),
    ("ephemeralContainers", ContainerKind::Ephemeral),
];

/// The lists whose elements only need a name, because no other objects have fields with these names.
const OF_PODS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// The fields of single containers.
const SINGLE: [&str; 2] = ["container", "script"];

/// The field of a mapping with a list of containers that share mounts.
const SET: &str = "containerSet";

/// The field with the common settings of the elements of `steps`.
const STEP_TEMPLATE: &str = "stepTemplate";

const CONTAINERS: &str = "containers";
const IMAGE: &str = "image";
const MOUNTS: &str = "volumeMounts";
const ENV: &str = "env";
const NAME: &str = "name";

/// A container in a manifest.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoundContainer<'n> {
    node: &'n Node,
    kind: ContainerKind,
    /// The name, if the container has none.
    field: &'n str,
    /// The mapping whose image, mounts and environment it inherits.
    base: Option<&'n Node>,
}

/// Returns the containers that a mapping lists; `is_taken` receives the fields that they are in.
pub(super) fn of<'n>(node: &'n Node, is_taken: &mut Vec<&'static str>) -> Vec<FoundContainer<'n>> {
    let mut all = Vec::new();
    for (field, kind) in LISTS {
        let base = (field == "steps")
            .then(|| node.get(STEP_TEMPLATE))
            .flatten();
        let elements = node.get(field).into_iter().flat_map(Node::elements);
        let elements: Vec<&Node> = elements.filter(|element| !element.is_null()).collect();
        let is_container = |element: &&Node| is_container(element, OF_PODS.contains(&field));
        if elements.iter().any(is_container) {
            is_taken.extend([field, STEP_TEMPLATE]);
            let found = |node| FoundContainer {
                node,
                kind,
                field,
                base,
            };
            all.extend(elements.into_iter().map(found));
        }
    }
    for field in SINGLE {
        let single = node.get(field).filter(|single| is_container(single, false));
        if let Some(node) = single {
            is_taken.push(field);
            let (kind, base) = (ContainerKind::Main, None);
            all.push(FoundContainer {
                node,
                kind,
                field,
                base,
            });
        }
    }
    if let Some(set) = node.get(SET) {
        is_taken.push(SET);
        let elements = set.get(CONTAINERS).into_iter().flat_map(Node::elements);
        all.extend(elements.map(|node| FoundContainer {
            node,
            kind: ContainerKind::Main,
            field: CONTAINERS,
            base: Some(set),
        }));
    }
    all
}

/// Returns a mapping outside of any list as a container, if it has mounts or an image that is known
/// to be a plugin.
pub(super) fn itself<'n>(node: &'n Node, field: &'n str) -> Option<FoundContainer<'n>> {
    let is_known = || node.text(IMAGE).and_then(images::published).is_some();
    (has_mounts(node) || is_known()).then_some(FoundContainer {
        node,
        kind: ContainerKind::Main,
        field,
        base: None,
    })
}

fn is_container(node: &Node, is_named: bool) -> bool {
    let has_name = || is_named && node.get(NAME).is_some();
    let has_image = || node.get(IMAGE).is_some() && (is_named || node.text(IMAGE).is_some());
    node.is_map() && (has_name() || has_image() || has_mounts(node))
}

/// Returns true if a mapping has a list of mounts, rather than a schema of one.
fn has_mounts(node: &Node) -> bool {
    let mounts = node.get(MOUNTS).into_iter().flat_map(Node::elements);
    mounts.into_iter().any(|mount| mount.get(NAME).is_some())
}

impl<'n> FoundContainer<'n> {
    /// Returns the names of the volumes that it mounts.
    pub(super) fn mounts(&self) -> impl Iterator<Item = &'n str> + use<'n> {
        let all = [Some(self.node), self.base];
        let mounts = all
            .into_iter()
            .flatten()
            .filter_map(|node| node.get(MOUNTS));
        mounts
            .flat_map(Node::elements)
            .filter_map(|mount| mount.text(NAME))
    }

    /// Returns the container.
    pub(super) fn read(&self, scope: &Scope<'n>) -> Result<Container, Error> {
        let image = self.image(scope);
        let mut json = json!({
            NAME: self.node.get(NAME).map_or_else(|| json!(self.field), Node::to_json),
            MOUNTS: self.joined(MOUNTS),
            ENV: self.joined(ENV),
        });
        if let (Some(image), Some(fields)) = (image, json.as_object_mut()) {
            fields.insert(IMAGE.to_owned(), image.to_json());
        }
        let container: Container = from_json(self.node, json)?;
        Ok(Container {
            kind: self.kind,
            line: Some(image.unwrap_or(self.node).line),
            ..container
        })
    }

    /// Returns the image of the container, or its inherited image.
    fn image(&self, scope: &Scope<'n>) -> Option<&'n Node> {
        let is_listed = LISTS.iter().any(|(field, _)| *field == self.field);
        let is_image =
            |image: &&Node| matches!(image.value, Value::Text(_)) || is_listed && !image.is_null();
        let own = self.node.get(IMAGE).filter(is_image);
        let inherited = || self.base.and_then(|base| base.get(IMAGE)).filter(is_image);
        let outer = || (!is_listed).then(|| scope.image()).flatten();
        own.or_else(inherited).or_else(outer)
    }

    /// Returns the list in a field, appended to the inherited one.
    fn joined(&self, field: &str) -> Json {
        let own = self.node.get(field);
        let Some(base) = self.base.and_then(|base| base.get(field)) else {
            return own.map_or(Json::Null, Node::to_json);
        };
        let all = base
            .elements()
            .iter()
            .chain(own.into_iter().flat_map(Node::elements));
        all.map(Node::to_json).collect()
    }
}
