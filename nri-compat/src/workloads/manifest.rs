//! Kubernetes manifests: YAML with any number of documents, or JSON.
//!
//! A file is decoded to text, and `documents` splits and parses it.

mod documents;

use std::borrow::Cow;
use std::thread;

use encoding_rs::UTF_8;

use super::installers;
use super::node::{Node, Value};
use super::pod::Workload;
use super::search::{Content, is_complete};
use super::statements::Statement;
use documents::{Document, documents};

/// The maximum size of a file in bytes. The text and one document at a time are held in memory.
pub const MAX_BYTES: u64 = 64 << 20;

/// The stack for a document of the maximum depth, with a reserve.
const STACK_BYTES: usize = 16 << 20;

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
        /// The published plugin that it installs, if it names one.
        plugin: Option<&'static str>,
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

/// Returns the text of a manifest, without a byte order mark. Windows shells write UTF-16. Invalid
/// bytes are replaced.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    UTF_8.decode(bytes).0
}

/// Passes the objects of a manifest to `each`, in their order. A document that cannot be read does
/// not affect the others.
pub fn read(text: &str, each: &mut (dyn FnMut(Item) + Send)) {
    // The parser and the search recurse, so they get a stack of a known size.
    let started = thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK_BYTES);
        let reading = thread.spawn_scoped(scope, || {
            for document in documents(text) {
                read_document(&document, &mut *each);
            }
        });
        reading.map(|_| ())
    });
    if let Err(error) = started {
        each(Item::Unreadable {
            document: 1,
            line: 1,
            reason: format!("cannot start a thread: {error}"),
        });
    }
}

fn read_document(document: &Document<'_>, each: &mut dyn FnMut(Item)) {
    match document.parse() {
        Ok(Some(node)) => values(document.number, &node, each),
        Ok(None) => each(Item::Foreign),
        Err(error) => each(Item::Unreadable {
            document: document.number,
            line: error.line,
            reason: error.reason,
        }),
    }
}

/// Passes the objects that a document consists of to `each`.
fn values(document: u32, node: &Node, each: &mut dyn FnMut(Item)) {
    match &node.value {
        Value::Null => {}
        Value::List(elements) => {
            for element in elements {
                values(document, element, each);
            }
        }
        Value::Map(_) => object(document, node, "", each),
        Value::Text(_) => each(Item::Foreign),
    }
}

/// Passes an object, and the complete objects in it, to `each`. `kind` is its kind if it states none.
fn object(document: u32, node: &Node, kind: &str, each: &mut dyn FnMut(Item)) {
    let content = Content::new(node);
    let has_pods = !content.pods.is_empty();
    let is_object = is_complete(node) || has_pods && node.get("metadata").is_some();
    each(match (is_object, has_pods) {
        (false, _) => Item::Foreign,
        (true, false) => Item::Object,
        (true, true) => Item::Workload {
            document,
            workload: Workload::new(node, kind, &content.pods),
        },
    });
    let statements = content.statements.into_iter();
    mentions(
        statements.chain(installers::statements(node)).collect(),
        each,
    );
    let list = node.text("kind").unwrap_or_default();
    let kind = list.strip_suffix("List").unwrap_or_default();
    for nested in content.objects {
        object(document, nested, kind, each);
    }
}

/// Passes each statement once to `each`, and those about mounts only if there are no others.
fn mentions(statements: Vec<Statement>, each: &mut dyn FnMut(Item)) {
    let has_others = statements.iter().any(|statement| !statement.is_mount);
    let mut said: Vec<String> = Vec::new();
    for statement in statements {
        if statement.is_mount && has_others || said.contains(&statement.text) {
            continue;
        }
        said.push(statement.text.clone());
        each(Item::Mention {
            line: statement.line,
            reason: statement.text,
            plugin: statement.plugin,
        });
    }
}

#[cfg(test)]
mod tests;
