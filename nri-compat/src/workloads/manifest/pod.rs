//! The pod that a mapping describes: its lists of containers, and its volumes.

use super::super::model::{
    Container, ContainerKind, HostPath, ImageSource, Mount, PodTemplate, Volume,
};
use super::node::Node;

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

/// Returns the pod that a mapping describes, in a document that is preceded by this number of lines;
/// `None` if it lists no containers.
pub(super) fn pod(node: &Node, lines_before: u32) -> Option<PodTemplate> {
    let containers: Vec<Container> = LISTS
        .into_iter()
        .flat_map(|(field, kind)| node.maps(field).map(move |map| (map, kind)))
        .filter(|(map, _)| {
            [NAME, IMAGE, MOUNTS]
                .iter()
                .any(|key| map.get(key).is_some())
        })
        .map(|(map, kind)| container(map, kind, lines_before))
        .collect();
    let volumes = node.maps(VOLUMES);
    (!containers.is_empty()).then(|| PodTemplate {
        node_name: node.text("nodeName").map(str::to_owned),
        volumes: volumes.map(|map| volume(map, lines_before)).collect(),
        containers,
    })
}

/// Returns the path of the host in the field of a volume.
pub(super) fn host_path(node: &Node) -> Option<HostPath> {
    Some(HostPath {
        path: node.text("path")?.to_owned(),
        required_type: node.text("type").map(str::to_owned),
    })
}

fn container(node: &Node, kind: ContainerKind, lines_before: u32) -> Container {
    let image = node.get(IMAGE).filter(|image| image.as_text().is_some());
    Container {
        name: node.text(NAME).unwrap_or_default().to_owned(),
        image: node.text(IMAGE).map(str::to_owned),
        kind,
        mounts: node.maps(MOUNTS).map(mount).collect(),
        line: Some(lines_before + image.unwrap_or(node).line),
    }
}

fn mount(node: &Node) -> Mount {
    let text = |key| node.text(key).map(str::to_owned);
    Mount {
        name: text(NAME).unwrap_or_default(),
        mount_path: text("mountPath").unwrap_or_default(),
        sub_path: text("subPath"),
    }
}

fn volume(node: &Node, lines_before: u32) -> Volume {
    let reference = node.get(IMAGE).and_then(|image| image.get("reference"));
    Volume {
        name: node.text(NAME).unwrap_or_default().to_owned(),
        host_path: node.get("hostPath").and_then(host_path),
        image: node.get(IMAGE).map(|image| ImageSource {
            reference: image.text("reference").map(str::to_owned),
        }),
        line: Some(lines_before + reference.unwrap_or(node).line),
    }
}
