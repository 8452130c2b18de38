//! The fields of Kubernetes objects that matter for NRI.

mod object;

use std::fmt;

use serde::{Deserialize, Deserializer};

use object::{Object, Spec};

/// A Kubernetes object that runs pods: a pod, or an object with pod templates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Object")]
pub struct Workload {
    /// The kind of the object, such as `DaemonSet`. The API server omits it for the items of a list.
    pub kind: String,
    /// The namespace, if the object names one.
    pub namespace: Option<String>,
    /// The name, or the prefix of generated names.
    pub name: String,
    /// The objects that own this one.
    pub owners: Vec<Owner>,
    /// True if it is the mirror of a static pod, which a node runs from a file.
    pub is_mirror: bool,
    /// The pods that it runs: one for a pod, and one for each template of any other object.
    pub templates: Vec<PodTemplate>,
    /// The status of each container, if the object is a pod of the API server.
    pub statuses: Vec<ContainerStatus>,
    /// The phase, if the object is a pod of the API server: `Running`, `Succeeded`, ….
    pub phase: Option<String>,
}

/// An object that owns another one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Owner {
    /// The kind, such as `ReplicaSet`.
    pub kind: String,
    /// The name.
    pub name: String,
    /// True if it is the managing controller.
    pub controller: bool,
}

/// The specification of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Spec")]
pub struct PodTemplate {
    /// The node that the pod runs on, or that the template names.
    pub node_name: Option<String>,
    /// The volumes, in the order given.
    pub volumes: Vec<Volume>,
    /// The containers: init containers first, then the main ones, then the ephemeral ones.
    pub containers: Vec<Container>,
}

/// A volume of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Volume {
    /// The name, to which mounts refer.
    pub name: String,
    /// The path on the host, for volumes of this type.
    pub host_path: Option<HostPath>,
    /// The image whose files the volume has, for volumes of this type.
    pub image: Option<ImageSource>,
    /// The line of the image in a manifest, or else of the volume, counted from 1; `None` for
    /// objects of the API server.
    #[serde(skip)]
    pub line: Option<u32>,
}

/// An image that is mounted as a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ImageSource {
    /// The reference; `None` if the image is not set.
    pub reference: Option<String>,
}

/// A path on the host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct HostPath {
    /// The path.
    pub path: String,
    /// The type that the path must have, such as `Socket`; `None` for any type.
    #[serde(rename = "type")]
    pub required_type: Option<String>,
}

/// A container of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Container {
    /// The name.
    pub name: String,
    /// The image reference as written; `None` if there is none.
    pub image: Option<String>,
    /// The list that contains it.
    #[serde(skip)]
    pub kind: ContainerKind,
    /// The mounts of volumes.
    #[serde(rename = "volumeMounts", deserialize_with = "null_as_default")]
    pub mounts: Vec<Mount>,
    /// The line of the image in a manifest, or else of the container, counted from 1; `None` for
    /// objects of the API server.
    #[serde(skip)]
    pub line: Option<u32>,
}

/// The list of containers in which a pod has a container.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContainerKind {
    /// `initContainers`, with sidecars that restart.
    Init,
    /// `containers`.
    #[default]
    Main,
    /// `ephemeralContainers`, which are added to a running pod.
    Ephemeral,
}

/// A mount of a volume in a container.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Mount {
    /// The name of the volume.
    pub name: String,
    /// The path in the container.
    pub mount_path: String,
    /// The path within the volume, if not its root.
    pub sub_path: Option<String>,
}

/// The status of a container of a running pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ContainerStatus {
    /// The name of the container.
    pub name: String,
    /// The image that runs: a reference with a digest for most runtimes, or only a digest.
    #[serde(rename = "imageID")]
    pub image_id: Option<String>,
}

impl Workload {
    /// Returns the object that manages this one, if any.
    pub fn controller(&self) -> Option<&Owner> {
        self.owners.iter().find(|owner| owner.controller)
    }

    /// Returns the image that a container runs according to the status of the pod, as named by the
    /// runtime.
    pub fn image_id(&self, container: &Container) -> Option<&str> {
        let is_its = |status: &&ContainerStatus| status.name == container.name;
        let id = self.statuses.iter().find(is_its)?.image_id.as_deref();
        id.filter(|id| !id.is_empty())
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
        if !self.kind.is_empty() {
            write!(f, "{} ", self.kind)?;
        }
        if let Some(namespace) = &self.namespace {
            write!(f, "{namespace}/")?;
        }
        f.write_str(&self.name)
    }
}

/// Reads a value; null is the default, as in Go.
fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
