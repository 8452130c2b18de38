//! Kubernetes objects that run pods, and the containers among them that may be NRI plugins.
//!
//! The types contain the few fields of a pod that matter here. They are deserialized from the answers
//! of the API server, or built from manifests in files. [`candidates`] compares volumes and images
//! with tables: the default paths of the runtimes, the further paths in `paths.rs`, and the published
//! plugins in `images.toml`.
//!
//! ```
//! use nri_compat::workloads::{Workload, candidates};
//!
//! let pod = r#"{"kind": "Pod", "metadata": {"name": "p", "namespace": "n"}, "spec": {
//!     "volumes": [{"name": "nri", "hostPath": {"path": "/run/nri"}}],
//!     "containers": [{"name": "c", "image": "example.org/p:1", "volumeMounts": [{"name": "nri"}]}]}}"#;
//! let pod: Workload = serde_json::from_str(pod)?;
//! let found = candidates(&pod);
//! assert_eq!(found[0].container.image.as_deref(), Some("example.org/p:1"));
//! assert_eq!(found[0].reason(), "mounts /run/nri of the host: the NRI socket");
//! # Ok::<(), serde_json::Error>(())
//! ```

mod candidate;
mod host_path;
mod images;
pub mod manifest;
mod model;
mod paths;

pub use candidate::{Candidate, CandidateImage, Reason, candidates};
pub use images::{images_in, is_own, mentions_published, published_chart};
pub use model::{
    Container, ContainerKind, ContainerStatus, HostPath, ImageSource, Mount, Owner, PodTemplate,
    Volume, Workload,
};
pub use paths::{Reach, Resource};

#[cfg(test)]
mod tests;
