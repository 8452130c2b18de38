//! Kubernetes manifests: YAML with any number of documents, or JSON.
//!
//! A file is decoded to text, `documents` splits and parses it, and `search` finds the pod templates
//! in its objects by their shape, regardless of the kind of the object. `charts` recognises the
//! objects that install charts.

mod charts;
mod decode;
mod documents;
mod node;
mod pod;
mod search;

pub use decode::decode;

use super::model::Workload;

/// The maximum size of a file in bytes. The text and one document at a time are held in memory.
pub const MAX_BYTES: u64 = 64 << 20;

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
    /// A statement about NRI outside of a pod: a path of the host, a mount of a volume that is declared
    /// elsewhere, or a chart.
    Mention {
        /// The line, counted from 1.
        line: u32,
        /// The reason why nothing can be said about plugins: one line, in lower case.
        reason: String,
    },
    /// A Kubernetes object without pods, such as a service.
    Object,
    /// A document that is not a Kubernetes object. Empty documents are omitted.
    Foreign,
    /// A document that cannot be read.
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
    let read = documents::parse_all(text, &mut |document, parsed| match parsed {
        Ok(Some(node)) => {
            let part = search::Part {
                document: document.number,
                lines_before: document.lines_before,
                is_patch: false,
            };
            search::read(part, &node, each);
        }
        Ok(None) => each(Item::Foreign),
        Err(error) => each(Item::Unreadable {
            document: document.number,
            line: error.line,
            reason: error.reason,
        }),
    });
    if let Err(error) = read {
        each(Item::Unreadable {
            document: 1,
            line: 1,
            reason: format!("cannot start a thread: {error}"),
        });
    }
}

#[cfg(test)]
mod tests;
