//! The resources that are listed, which are also the permissions that a reader needs.

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, StatefulSet};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{Node, Pod};

use super::error::ClusterError;

/// The only verb that is used. Lists contain whole objects, so `get` is not needed.
pub const VERB: &str = "list";

/// A resource of the Kubernetes API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The version within the group.
    pub version: &'static str,
    /// The name in URLs and in roles, in the plural.
    pub plural: &'static str,
    /// The kind of its objects.
    pub kind: &'static str,
    /// True if its objects belong to namespaces.
    pub is_namespaced: bool,
}

/// All resources that are listed: nodes for their runtimes, pods for their containers, and the
/// workloads that create pods.
pub const RESOURCES: [Resource; 7] = [
    Resource {
        is_namespaced: false,
        ..Resource::namespaced::<Node>()
    },
    Resource::namespaced::<Pod>(),
    Resource::namespaced::<DaemonSet>(),
    Resource::namespaced::<Deployment>(),
    Resource::namespaced::<StatefulSet>(),
    Resource::namespaced::<CronJob>(),
    Resource::namespaced::<Job>(),
];

/// The nodes.
pub(super) const NODES: &Resource = &RESOURCES[0];

/// The pods.
pub(super) const PODS: &Resource = &RESOURCES[1];

impl Resource {
    /// Returns the resource of a type, with namespaces.
    const fn namespaced<R: k8s_openapi::Resource>() -> Self {
        Self {
            group: R::GROUP,
            version: R::VERSION,
            plural: R::URL_PATH_SEGMENT,
            kind: R::KIND,
            is_namespaced: true,
        }
    }

    /// Returns the name with the group, as in messages of `kubectl`: `daemonsets.apps`.
    pub fn name(&self) -> String {
        if self.group.is_empty() {
            return self.plural.to_owned();
        }
        format!("{}.{}", self.plural, self.group)
    }

    /// Returns the path of the list in a namespace, or in all of them.
    pub fn path(&self, namespace: Option<&str>) -> String {
        let group = if self.group.is_empty() {
            format!("/api/{}", self.version)
        } else {
            format!("/apis/{}/{}", self.group, self.version)
        };
        match namespace.filter(|_| self.is_namespaced) {
            Some(namespace) => format!("{group}/namespaces/{namespace}/{}", self.plural),
            None => format!("{group}/{}", self.plural),
        }
    }
}

/// The maximum length of the name of a namespace in bytes.
const MAX_NAMESPACE: usize = 63;

/// Checks the name of a namespace, which becomes part of a path.
///
/// # Errors
///
/// Returns an error if Kubernetes cannot have a namespace with this name.
pub(super) fn check_namespace(name: &str) -> Result<(), ClusterError> {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !name.is_empty() && name.len() <= MAX_NAMESPACE && name.chars().all(is_letter) {
        return Ok(());
    }
    let message = format!("`{name}` is not the name of a namespace");
    Err(ClusterError::unusable(message)
        .with_help("a name has up to 63 lowercase letters, digits and `-`"))
}
