//! The resources that are listed, which are also the permissions that a reader needs.

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, StatefulSet};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{Node, Pod};

use super::error::{ClusterError, ClusterErrorKind};

/// The only verb that is used. Lists contain whole objects, so `get` is not needed.
pub const VERB: &str = "list";

/// The name of the ClusterRole.
const ROLE: &str = "nri-compat-cluster-reader";

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

/// The objects with pod templates.
pub(super) const TEMPLATES: [&Resource; 5] = [
    &RESOURCES[2],
    &RESOURCES[3],
    &RESOURCES[4],
    &RESOURCES[5],
    &RESOURCES[6],
];

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
    Err(ClusterError::new(ClusterErrorKind::Namespace, message)
        .with_help("a name has up to 63 lowercase letters, digits and `-`"))
}

/// Returns the ClusterRole that permits exactly the requests that are made, as YAML.
pub fn cluster_role() -> String {
    let mut text = format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: {ROLE}\nrules:\n"
    );
    let mut groups: Vec<&str> = RESOURCES.iter().map(|resource| resource.group).collect();
    groups.dedup();
    for group in groups {
        let resources = RESOURCES.iter().filter(|resource| resource.group == group);
        let plurals: Vec<&str> = resources.map(|resource| resource.plural).collect();
        text.push_str(&format!(
            "  - apiGroups: [{group:?}]\n    resources: [{}]\n    verbs: [{VERB}]\n",
            plurals.join(", ")
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_api() {
        let path = |kind: &str, namespace: Option<&str>| {
            let resource = RESOURCES.iter().find(|resource| resource.kind == kind);
            resource.expect("listed").path(namespace)
        };
        assert_eq!(path("Node", Some("a")), "/api/v1/nodes");
        assert_eq!(path("Pod", None), "/api/v1/pods");
        assert_eq!(path("Pod", Some("a")), "/api/v1/namespaces/a/pods");
        assert_eq!(
            path("DaemonSet", Some("a")),
            "/apis/apps/v1/namespaces/a/daemonsets"
        );
    }

    #[test]
    fn a_group_has_one_rule() {
        let role = cluster_role();
        assert_eq!(role.matches("apiGroups").count(), 3, "{role}");
        assert!(role.contains("- apiGroups: [\"\"]\n    resources: [nodes, pods]\n"));
    }
}
