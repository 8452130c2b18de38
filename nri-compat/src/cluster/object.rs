//! The fields of objects of the API server that say which workload they belong to, and which images
//! run.

use crate::place::WorkloadPlace;
use crate::workloads::{Container, Node};

/// The annotation with which the kubelet marks the mirror of a static pod.
const MIRROR: &str = "kubernetes.io/config.mirror";

/// The lists of the status of containers in the status of a pod.
const STATUSES: [&str; 3] =
    ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"];

/// The remark about an image if the status of its pods does not name one yet.
const NOT_STARTED: &str = "has not started: checked the image in the pod specification";

/// The remark about an image if the status of its pods only has an id.
const ID_ONLY: &str = "the runtime reports only the id of the image, which no registry knows: checked the image in the pod specification";

/// The remark about an image of a pod template.
pub(super) const TEMPLATE: &str =
    "no pod runs it: checked for all pools, with the image in the pod template";

/// An image, as a registry and the specification of a pod name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Image {
    /// The reference, with the digest that runs if it is known.
    pub reference: String,
    /// A remark about an image that may differ from the one that runs.
    pub remark: Option<&'static str>,
}

/// Returns the owner of a pod, or the pod itself if it has none. Mirrors of static pods have the
/// same name on each node, without the name of the node at the end.
pub(super) fn owner(pod: &Node, mut itself: WorkloadPlace) -> WorkloadPlace {
    if !is_mirror(pod) {
        return controller(pod, &itself).unwrap_or(itself);
    }
    let node = pod.get("spec").and_then(|spec| spec.text("nodeName"));
    let name = itself.name.strip_suffix(node.unwrap_or_default());
    if let Some(name) = name.and_then(|name| name.strip_suffix('-')) {
        itself.name = name.to_owned();
    }
    itself
}

/// Returns the object that manages the one at this place.
pub(super) fn controller(object: &Node, place: &WorkloadPlace) -> Option<WorkloadPlace> {
    let metadata = object.get("metadata")?;
    let mut owners = metadata.maps("ownerReferences");
    let owner = owners.find(|owner| owner.text("controller") == Some("true"))?;
    Some(WorkloadPlace {
        kind: owner.text("kind")?.to_owned(),
        name: owner.text("name")?.to_owned(),
        ..place.clone()
    })
}

/// Returns the deployment that may have created this replica set: it adds a hash to its own name.
pub(super) fn deployment(replicas: &WorkloadPlace) -> Option<WorkloadPlace> {
    let (name, _hash) = replicas.name.rsplit_once('-')?;
    (replicas.kind == "ReplicaSet").then(|| WorkloadPlace {
        kind: "Deployment".to_owned(),
        name: name.to_owned(),
        ..replicas.clone()
    })
}

/// Returns true for the mirror of a static pod, which a node runs from a file.
pub(super) fn is_mirror(pod: &Node) -> bool {
    let annotations = pod.get("metadata").and_then(|data| data.get("annotations"));
    annotations.is_some_and(|annotations| annotations.get(MIRROR).is_some())
}

/// Returns true for a pod whose containers no longer run.
pub(super) fn has_ended(pod: &Node) -> bool {
    let phase = pod.get("status").and_then(|status| status.text("phase"));
    matches!(phase, Some("Succeeded" | "Failed"))
}

impl Image {
    /// Returns the image of a container of a pod: the one that its status names, if a registry
    /// knows it.
    pub(super) fn running(container: &Container, pod: &Node) -> Self {
        let mut lists =
            pod.get("status").into_iter().flat_map(|status| STATUSES.map(|list| status.maps(list)));
        let of_container = lists.find_map(|mut list| {
            list.find(|status| status.text("name") == Some(container.name.as_str()))
        });
        let Some(id) = of_container.and_then(|status| status.text("imageID")) else {
            return Self::specified(container, NOT_STARTED);
        };
        // Docker, which has no NRI, adds a scheme.
        if !id.contains('@') || id.contains("://") {
            return Self::specified(container, ID_ONLY);
        }
        Self { reference: id.to_owned(), remark: None }
    }

    /// Returns the image that the specification names, with a remark.
    pub(super) fn specified(container: &Container, remark: &'static str) -> Self {
        Self { reference: container.image.clone().unwrap_or_default(), remark: Some(remark) }
    }
}
