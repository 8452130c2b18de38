//! Kubernetes objects that run pods, and the containers among them that may be NRI plugins.
//!
//! Manifests and the answers of the API server are read into the same tree (`node`). `search` finds the
//! pods in it by their shape, whatever the kind of the object. [`candidates`] compares their mounts and
//! images with tables: the paths in `paths`, and the published plugins in `images.toml`.
//!
//! ```
//! use nri_compat::workloads::candidates;
//! use nri_compat::workloads::manifest::{self, Item};
//!
//! let pod = r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {
//!     "volumes": [{"name": "nri", "hostPath": {"path": "/run/nri"}}],
//!     "containers": [{"name": "c", "image": "example.org/p:1", "volumeMounts": [{"name": "nri"}]}]}}"#;
//! manifest::read(pod, &mut |item| {
//!     let Item::Workload { workload, .. } = item else { panic!("another item") };
//!     let found = candidates(&workload);
//!     assert_eq!(found[0].container.image.as_deref(), Some("example.org/p:1"));
//!     assert_eq!(found[0].reason(), "mounts /run/nri of the host: the NRI socket");
//! });
//! ```

mod candidate;
mod images;
mod installers;
pub mod manifest;
mod node;
mod paths;
mod pod;
mod search;
mod statements;

pub use candidate::{Candidate, candidates};
pub use images::{images_in, is_own, mentions_published, published_chart};
#[cfg(feature = "cluster")]
pub(crate) use node::Node;
pub use pod::{Container, ImageVolume, Mount, PodTemplate, Volume, Workload};
#[cfg(feature = "cluster")]
pub(crate) use search::templates;

#[cfg(test)]
mod tests;
