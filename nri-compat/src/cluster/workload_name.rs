//! The names of objects that run pods.

/// A Kubernetes object that runs pods.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkloadName {
    /// The kind, such as `DaemonSet`; `Pod` for static and bare pods.
    pub kind: String,
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// Shows the kind, namespace and name: `DaemonSet kube-system/plugin`.
impl std::fmt::Display for WorkloadName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            kind,
            namespace,
            name,
        } = self;
        write!(f, "{kind} {namespace}/{name}")
    }
}
