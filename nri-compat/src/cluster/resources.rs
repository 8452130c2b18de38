//! The resources that are listed, which are also the permissions that a reader needs.

use super::error::ClusterError;
use crate::report::policy_report::{Api, ApiNames};

/// The only verb that is used. Lists contain whole objects, so `get` is not needed.
pub const VERB: &str = "list";

/// A resource of the Kubernetes API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The version of the API.
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
    Resource { is_namespaced: false, ..Resource::new("", "nodes", NODE) },
    Resource::new("", "pods", POD),
    Resource::new("apps", "daemonsets", "DaemonSet"),
    Resource::new("apps", "deployments", "Deployment"),
    Resource::new("apps", "statefulsets", "StatefulSet"),
    Resource::new("batch", "cronjobs", "CronJob"),
    Resource::new("batch", "jobs", "Job"),
];

/// The kind of nodes.
pub(super) const NODE: &str = "Node";

/// The kind of pods.
pub(super) const POD: &str = "Pod";

impl Resource {
    const fn new(group: &'static str, plural: &'static str, kind: &'static str) -> Self {
        Self { group, version: "v1", plural, kind, is_namespaced: true }
    }

    /// Returns the policy reports of an API, which are about nodes.
    pub(super) fn policy_reports(api: Api) -> Self {
        let ApiNames { group, version, kind, plural } = api.names();
        Self { group, version, plural, kind, is_namespaced: false }
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
        let scope = namespace
            .filter(|_| self.is_namespaced)
            .map(|name| format!("namespaces/{name}/"))
            .unwrap_or_default();
        let list = format!("{}/{scope}{}", self.version, self.plural);
        if self.group.is_empty() {
            return format!("/api/{list}");
        }
        format!("/apis/{}/{list}", self.group)
    }
}

/// Checks the name of a namespace, which becomes part of a path.
///
/// # Errors
///
/// Returns an error if Kubernetes cannot have a namespace with this name.
pub(super) fn check_namespace(name: &str) -> Result<(), ClusterError> {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if (1..=63).contains(&name.len()) && name.chars().all(is_letter) {
        return Ok(());
    }
    let message = format!("`{name}` is not the name of a namespace");
    Err(ClusterError::unusable(message)
        .with_help("a name has up to 63 lowercase letters, digits and `-`"))
}
