//! The fields of pods that matter for NRI.

use std::fmt;

use super::node::Node;

/// The lists of containers of a pod, in the order of [`PodTemplate::containers`].
const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// The list of volumes of a pod.
const VOLUMES: &str = "volumes";

/// The fields of which a container has one.
const CONTAINER_FIELDS: [&str; 3] = ["name", "image", "volumeMounts"];

/// A Kubernetes object that runs pods: a pod, or an object with pod templates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Workload {
    /// The kind of the object, such as `DaemonSet`.
    pub kind: String,
    /// The namespace, if the object names one.
    pub namespace: Option<String>,
    /// The name, or the prefix of generated names.
    pub name: String,
    /// The pods that it runs: one for a pod, and one for each template of any other object.
    pub templates: Vec<PodTemplate>,
}

/// The specification of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodTemplate {
    /// The volumes, in the order given.
    pub volumes: Vec<Volume>,
    /// The containers: init containers first, then the main ones, then the ephemeral ones.
    pub containers: Vec<Container>,
}

/// A volume of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// The name, to which mounts refer.
    pub name: String,
    /// The path on the host, for volumes of this type.
    pub host_path: Option<String>,
    /// The image whose files the volume has, for volumes of this type.
    pub image: Option<ImageVolume>,
}

/// An image that is mounted as a volume, and whose programs a container may run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageVolume {
    /// The reference, as written.
    pub reference: String,
    /// The line in a manifest, counted from 1.
    pub line: u32,
}

/// A container of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Container {
    /// The name.
    pub name: String,
    /// The image reference as written; `None` if there is none.
    pub image: Option<String>,
    /// The mounts of volumes.
    pub mounts: Vec<Mount>,
    /// The line of the image in a manifest, or else of the container, counted from 1.
    pub line: u32,
}

/// A mount of a volume in a container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mount {
    /// The name of the volume.
    pub name: String,
    /// The path in the container.
    pub mount_path: String,
    /// The path within the volume, if not its root.
    pub sub_path: Option<String>,
    /// The line in a manifest, counted from 1.
    pub line: u32,
}

/// Returns true for a field of a pod that is read here.
pub(super) fn is_field(key: &str) -> bool {
    key == VOLUMES || CONTAINERS.contains(&key)
}

/// Returns the pod that a mapping describes; `None` if it lists no containers.
pub(super) fn pod(node: &Node) -> Option<PodTemplate> {
    let containers = CONTAINERS.into_iter().flat_map(|list| node.maps(list));
    let is_container = |map: &&Node| CONTAINER_FIELDS.iter().any(|key| map.get(key).is_some());
    let containers: Vec<Container> = containers.filter(is_container).map(container).collect();
    (!containers.is_empty()).then(|| PodTemplate {
        volumes: node.maps(VOLUMES).map(volume).collect(),
        containers,
    })
}

/// Returns the path of the host that a volume is.
pub(super) fn host_path(volume: &Node) -> Option<&str> {
    volume.get("hostPath")?.text("path")
}

fn container(node: &Node) -> Container {
    let image = node.get("image").filter(|image| image.as_text().is_some());
    Container {
        name: text(node, "name"),
        image: node.text("image").map(str::to_owned),
        mounts: node.maps("volumeMounts").map(mount).collect(),
        line: image.unwrap_or(node).line,
    }
}

fn mount(node: &Node) -> Mount {
    Mount {
        name: text(node, "name"),
        mount_path: text(node, "mountPath"),
        sub_path: node.text("subPath").map(str::to_owned),
        line: node.line,
    }
}

fn volume(node: &Node) -> Volume {
    let reference = node
        .get("image")
        .and_then(|image| Some((image.get("reference")?.line, image.text("reference")?)));
    Volume {
        name: text(node, "name"),
        host_path: host_path(node).map(str::to_owned),
        image: reference.map(|(line, reference)| ImageVolume {
            reference: reference.to_owned(),
            line,
        }),
    }
}

fn text(node: &Node, key: &str) -> String {
    node.text(key).unwrap_or_default().to_owned()
}

impl Workload {
    /// Returns the object with these pods. `kind` is its kind if it states none, as in some lists.
    pub(super) fn new(object: &Node, kind: &str, templates: Vec<PodTemplate>) -> Self {
        let metadata = |key: &str| object.get("metadata")?.text(key);
        let name = metadata("name").or_else(|| metadata("generateName"));
        Self {
            kind: object.text("kind").unwrap_or(kind).to_owned(),
            namespace: metadata("namespace").map(str::to_owned),
            name: name.unwrap_or_default().to_owned(),
            templates,
        }
    }
}

impl PodTemplate {
    /// Returns true if a container mounts the volume with this name.
    pub(super) fn mounts(&self, volume: &str) -> bool {
        let mut mounts = self.containers.iter().flat_map(|one| &one.mounts);
        mounts.any(|mount| mount.name == volume)
    }
}

/// Shows the kind, namespace and name: `DaemonSet kube-system/plugin`.
impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let namespace = self.namespace.iter().map(|name| format!("{name}/"));
        write!(
            f,
            "{} {}{}",
            self.kind,
            namespace.collect::<String>(),
            self.name
        )
    }
}
