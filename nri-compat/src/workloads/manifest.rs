//! Kubernetes manifests: YAML with any number of documents, or JSON.
//!
//! A file is decoded to text, `yaml` turns its documents into nodes, and `pods` finds the pod
//! templates in them by their shape, regardless of the kind of the object. `containers` recognises
//! containers, and `scope` holds the volumes that are declared around them.

mod containers;
mod convert;
mod decode;
mod node;
mod pods;
mod scope;
mod storage;
mod yaml;

pub use decode::decode;

use super::claim::Claim;
use super::model::Workload;
use super::storage::PersistentVolume;

/// The maximum size of a file in bytes. The text and one object at a time are held in memory.
pub const MAX_BYTES: u64 = 64 << 20;

/// The reason for skipping the template of a chart.
const TEMPLATE: &str =
    "a template that has not been rendered: render it first (`helm template`, `kustomize build`)";

/// Something in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// An object with pods.
    Workload {
        /// The document, counted from 1.
        document: u32,
        /// The object.
        workload: Workload,
    },
    /// A persistent volume.
    PersistentVolume(PersistentVolume),
    /// A claim for a persistent volume.
    Claim(Claim),
    /// A Kubernetes object without pods, such as a service.
    Object,
    /// A document that is not a Kubernetes object. Empty documents are omitted.
    Foreign,
    /// A document, or an object in it, that cannot be read.
    Unreadable {
        /// The document, counted from 1.
        document: u32,
        /// The line of the error, counted from 1.
        line: u32,
        /// The reason: one line, in lower case.
        reason: String,
    },
}

/// Passes the objects of a manifest to `each`, in their order. A document that cannot be read does
/// not affect the others.
pub fn read(text: &str, each: &mut dyn FnMut(Item)) {
    yaml::objects(text, &mut |document, object| match object {
        Ok(node) => pods::read(document, node, each),
        Err(error) => each(Item::Unreadable {
            document,
            line: error.line,
            reason: error.reason,
        }),
    });
}

#[cfg(test)]
mod tests;
