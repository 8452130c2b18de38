//! Kubernetes manifests: YAML with any number of documents, or JSON.
//!
//! A file is decoded to text, `yaml` turns its documents into nodes, and `pods` finds the pod
//! templates in them by their shape, regardless of the kind of the object. `releases` recognises the
//! objects that install charts.

mod containers;
mod convert;
mod decode;
mod node;
mod pods;
mod releases;
mod yaml;

pub use decode::decode;

use super::model::{HostPath, Workload};

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
    /// A path of the host outside of a pod: of a persistent volume, or in a patch.
    HostPath {
        /// The line, counted from 1.
        line: u32,
        /// The path.
        path: HostPath,
    },
    /// A mount at a path of NRI, of a volume that is declared elsewhere, for example in a patch.
    Mount {
        /// The line, counted from 1.
        line: u32,
        /// The path in the container.
        path: String,
    },
    /// An object that installs a chart that has to do with NRI.
    Release {
        /// The line, counted from 1.
        line: u32,
        /// What it installs, as the end of a sentence.
        chart: String,
    },
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
