//! Kubernetes objects in files: manifests, and Helm charts.

pub(super) mod charts;
pub(super) mod manifests;
