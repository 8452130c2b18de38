//! Pods, and the containers in them that may be NRI plugins.

use super::images::published;
use super::node::Node;
use super::paths::{around, direct};
use crate::bridge::Relayed;
use crate::place::WorkloadPlace;

/// The lists of containers of a pod, in the order of [`Workload::containers`].
const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// The list of volumes of a pod.
const VOLUMES: &str = "volumes";

/// The fields of which a container has one.
const CONTAINER_FIELDS: [&str; 3] = ["name", "image", "volumeMounts"];

/// A Kubernetes object that runs pods: a pod, or an object with pod templates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Workload {
    /// The object: its kind, namespace, and name, or the prefix of generated names.
    pub place: WorkloadPlace,
    /// The containers of its pods: init containers first, then the main ones, then the ephemeral
    /// ones.
    pub containers: Vec<Container>,
    /// The paths of the host that its pods have as volumes.
    pub host_paths: Vec<String>,
}

/// A container of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Container {
    /// The name.
    pub name: String,
    /// The image reference as written; `None` if there is none.
    pub image: Option<String>,
    /// The line of the image in a manifest, or else of the container, counted from 1.
    pub line: u32,
    /// True if it mounts images as volumes, whose programs it may run.
    pub mounts_images: bool,
    /// The plugin behind the bridge, if its command is the bridge.
    pub relayed: Option<Relayed>,
    /// The reasons for treating it as a plugin: mounts in their order, then images.
    pub reasons: Vec<String>,
}

/// Returns true for a field of a pod that is read here.
pub(super) fn is_field(key: &str) -> bool {
    key == VOLUMES || CONTAINERS.contains(&key)
}

/// Returns the containers of a pod; none for a mapping that is not a pod.
pub(super) fn containers(pod: &Node) -> impl Iterator<Item = &Node> {
    let all = CONTAINERS.into_iter().flat_map(|list| pod.maps(list));
    all.filter(|one| CONTAINER_FIELDS.iter().any(|key| one.get(key).is_some()))
}

/// Returns the mounts of a container.
pub(super) fn mounts(container: &Node) -> impl Iterator<Item = &Node> {
    container.maps("volumeMounts")
}

/// Returns the words of the command of a container; those of the image are not in it.
fn command(container: &Node) -> impl Iterator<Item = &str> {
    let words = ["command", "args"].into_iter().filter_map(|key| container.get(key));
    words.flat_map(Node::elements).filter_map(Node::as_text)
}

/// Returns the volumes of a pod.
pub(super) fn volumes(pod: &Node) -> impl Iterator<Item = &Node> {
    pod.maps(VOLUMES)
}

/// Returns the name of a container, volume or mount.
pub(super) fn name(node: &Node) -> &str {
    node.text("name").unwrap_or_default()
}

/// Returns the path of the host that a volume is.
pub(super) fn host_path(volume: &Node) -> Option<&str> {
    volume.get("hostPath")?.text("path")
}

impl Workload {
    /// Returns the object with these pods. `kind` is its kind if it states none, as in some lists.
    pub(super) fn new(object: &Node, kind: &str, pods: &[&Node]) -> Self {
        let metadata = |key: &str| object.get("metadata")?.text(key);
        let name = metadata("name").or_else(|| metadata("generateName"));
        let of_pod = |pod| containers(pod).map(move |node| Container::new(node, pod));
        let host_paths = pods.iter().flat_map(|pod| volumes(pod)).filter_map(host_path);
        Self {
            place: WorkloadPlace {
                kind: object.text("kind").unwrap_or(kind).to_owned(),
                namespace: metadata("namespace").map(str::to_owned),
                name: name.unwrap_or_default().to_owned(),
                ..WorkloadPlace::default()
            },
            containers: pods.iter().copied().flat_map(of_pod).collect(),
            host_paths: host_paths.map(str::to_owned).collect(),
        }
    }

    /// Returns the containers that may be NRI plugins.
    pub fn candidates(&self) -> impl Iterator<Item = &Container> {
        self.containers.iter().filter(|container| !container.reasons.is_empty())
    }
}

impl Container {
    fn new(node: &Node, pod: &Node) -> Self {
        let volume_of = |mount| volumes(pod).find(|volume| name(volume) == name(mount));
        let mounts: Vec<(&Node, &Node)> =
            mounts(node).filter_map(|mount| Some((mount, volume_of(mount)?))).collect();
        let own_image = node.text("image");
        let of_mounts = mounts.iter().filter_map(|(mount, volume)| mounts_nri(mount, volume));
        let mounted: Vec<&Node> =
            mounts.iter().filter_map(|(_, volume)| volume.get("image")).collect();
        let references = mounted.iter().filter_map(|image| image.text("reference"));
        let images = own_image.into_iter().chain(references);
        let mut reasons: Vec<String> = of_mounts.chain(images.filter_map(is_published)).collect();
        reasons.dedup();
        let place = node.get("image").filter(|image| image.as_text().is_some());
        Self {
            name: name(node).to_owned(),
            image: own_image.map(str::to_owned),
            line: place.unwrap_or(node).line,
            mounts_images: !mounted.is_empty(),
            relayed: Relayed::by_name(command(node)),
            reasons,
        }
    }

    /// Returns the reasons for treating the container as a plugin, as one line.
    pub fn reason(&self) -> String {
        self.reasons.join("; ")
    }
}

/// Returns a reason if a mount makes a path of NRI on the host visible.
fn mounts_nri(mount: &Node, volume: &Node) -> Option<String> {
    let whole = host_path(volume)?;
    let path = match mount.text("subPath") {
        Some(sub_path) => format!("{}/{sub_path}", whole.trim_end_matches('/')),
        None => whole.to_owned(),
    };
    let shown = crate::escape::bytes(path.as_bytes());
    if let Some(resource) = direct(&path) {
        return Some(format!("mounts {shown} of the host: {resource}"));
    }
    let resource = around(&path)?;
    Some(format!("mounts {shown} of the host, which contains {resource}"))
}

/// Returns a reason if an image is a published plugin.
fn is_published(image: &str) -> Option<String> {
    let image = published(image)?;
    Some(format!("its image is the published plugin {} ({})", image.repository, image.source))
}
