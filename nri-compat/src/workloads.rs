//! Kubernetes objects that run pods, and the containers among them that may be NRI plugins.
//!
//! Manifests and the answers of the API server are read into the same tree (`node`). `content`
//! finds the pods in it by their shape, in an object of any kind, and `pod` compares their mounts
//! and images with tables: the paths in `paths`, and the published plugins in `images.toml`.
//! `settings` knows the values of published charts that turn a plugin on, and `configuration` finds
//! the configurations of runtimes that are texts in other documents.
//!
//! ```
//! use nri_compat::workloads::manifest::{self, Item};
//!
//! let pod = r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {
//!     "volumes": [{"name": "nri", "hostPath": {"path": "/run/nri"}}],
//!     "containers": [{"name": "c", "image": "example.org/p:1", "volumeMounts": [{"name": "nri"}]}]}}"#;
//! let items = manifest::read(pod);
//! let [Item::Workload(workload)] = items.as_slice() else { panic!("{items:?}") };
//! let found = workload.candidates().next().unwrap();
//! assert_eq!(found.image.as_deref(), Some("example.org/p:1"));
//! assert_eq!(found.reason(), "mounts /run/nri of the host: the NRI socket");
//! ```

mod configuration;
mod content;
mod images;
mod installers;
pub mod manifest;
mod node;
mod paths;
mod pod;
mod settings;

pub use configuration::EmbeddedText;
pub(crate) use configuration::names_table;
pub use content::Mention;
#[cfg(feature = "cluster")]
pub(crate) use content::workload;
pub(crate) use images::{images_in, is_own, mentions_published, published_chart};
#[cfg(feature = "cluster")]
pub(crate) use node::Node;
pub(crate) use paths::mentions_nri;
pub use pod::{Container, Workload};
