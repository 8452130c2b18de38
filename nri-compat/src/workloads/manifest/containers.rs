//! The pod that a mapping describes: its lists of containers, and its volumes.

use super::super::model::{Container, ContainerKind, PodTemplate, Volume};
use super::convert::{Error, from_json};
use super::node::{Node, Value};

/// The lists of containers, in the order of [`PodTemplate::containers`].
const LISTS: [(&str, ContainerKind); 3] = [
    ("initContainers", ContainerKind::Init),
    ("containers", ContainerKind::Main),
    ("ephemeralContainers", ContainerKind::Ephemeral),
];

const VOLUMES: &str = "volumes";
const IMAGE: &str = "image";
const MOUNTS: &str = "volumeMounts";
const NAME: &str = "name";

/// The fields of a pod that are read here, so that no search continues in them.
pub(super) const FIELDS: [&str; 4] = [
    "initContainers",
    "containers",
    "ephemeralContainers",
    VOLUMES,
];

/// Returns the pod that a mapping describes; `None` if it lists no containers.
pub(super) fn pod(node: &Node) -> Option<Result<PodTemplate, Error>> {
    let lists = LISTS.map(|(field, kind)| (containers(node, field), kind));
    lists
        .iter()
        .any(|(list, _)| list.iter().any(|element| is_container(element)))
        .then(|| template(node, &lists))
}

fn containers<'n>(node: &'n Node, field: &str) -> Vec<&'n Node> {
    let elements = node.get(field).into_iter().flat_map(Node::elements);
    elements.filter(|element| !element.is_null()).collect()
}

fn is_container(node: &Node) -> bool {
    node.is_map()
        && (node.get(NAME).is_some() || node.get(IMAGE).is_some() || node.get(MOUNTS).is_some())
}

fn template(pod: &Node, lists: &[(Vec<&Node>, ContainerKind)]) -> Result<PodTemplate, Error> {
    let all = lists.iter();
    let all = all.flat_map(|(list, kind)| list.iter().map(move |node| container(node, *kind)));
    Ok(PodTemplate {
        node_name: pod.text("nodeName").map(str::to_owned),
        volumes: volumes(pod)?,
        containers: all.collect::<Result<_, _>>()?,
    })
}

fn container(node: &Node, kind: ContainerKind) -> Result<Container, Error> {
    let image = node.get(IMAGE).filter(|image| !image.is_null());
    let fields = node.keys_to_json(|key| [NAME, IMAGE, MOUNTS].contains(&key));
    let container: Container = from_json(node, fields)?;
    Ok(Container {
        kind,
        line: Some(image.unwrap_or(node).line),
        ..container
    })
}

/// Returns the volumes that a pod declares.
fn volumes(pod: &Node) -> Result<Vec<Volume>, Error> {
    let Some(list) = pod.get(VOLUMES) else {
        return Ok(Vec::new());
    };
    if !matches!(list.value, Value::List(_) | Value::Null) {
        // Converts the list only to return the error.
        from_json::<Vec<Volume>>(list, list.to_json())?;
    }
    let elements = list.elements().iter().filter(|element| !element.is_null());
    elements.map(volume).collect()
}

fn volume(node: &Node) -> Result<Volume, Error> {
    let reference = node.get(IMAGE).and_then(|image| image.get("reference"));
    let fields = node.keys_to_json(|key| [NAME, "hostPath", IMAGE].contains(&key));
    let volume: Volume = from_json(
        node,
        if node.is_map() {
            fields
        } else {
            node.to_json()
        },
    )?;
    Ok(Volume {
        line: Some(reference.unwrap_or(node).line),
        ..volume
    })
}
