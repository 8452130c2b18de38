//! Kubernetes manifests: YAML with any number of documents, or JSON.
//!
//! A file is decoded to text, and `documents` splits and parses it.

mod documents;

use std::borrow::Cow;
use std::collections::HashSet;
use std::thread;

use encoding_rs::UTF_8;

use super::content::{Content, Statement, is_complete};
use super::installers;
use super::node::{Node, Value};
use super::pod::Workload;
use documents::{Document, documents};

/// The maximum size of a file in bytes. The text and one document at a time are held in memory.
pub const MAX_BYTES: u64 = 64 << 20;

/// The stack for a document of the maximum depth, with a reserve.
const STACK_BYTES: usize = 16 << 20;

/// Something in a manifest. Documents that are not Kubernetes objects are omitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// An object with pods.
    Workload(Workload),
    /// A Kubernetes object without pods, such as a service.
    Object,
    /// A statement about NRI outside of a pod.
    Mention(Statement),
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
        Ok(None) => {}
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
        Value::Null | Value::Text(_) => {}
        Value::List(elements) => {
            for element in elements {
                values(document, element, each);
            }
        }
        Value::Map(_) => object(document, node, "", each),
    }
}

/// Passes an object, and the complete objects in it, to `each`. `kind` is its kind if it states none.
fn object(document: u32, node: &Node, kind: &str, each: &mut dyn FnMut(Item)) {
    let content = Content::new(node);
    let has_pods = !content.pods.is_empty();
    if has_pods && (is_complete(node) || node.get("metadata").is_some()) {
        let mut workload = Workload::new(node, kind, &content.pods);
        workload.place.document = Some(document);
        each(Item::Workload(workload));
    } else if is_complete(node) {
        each(Item::Object);
    }
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
fn mentions(mut statements: Vec<Statement>, each: &mut dyn FnMut(Item)) {
    if statements.iter().any(|statement| !statement.is_mount) {
        statements.retain(|statement| !statement.is_mount);
    }
    let mut texts = HashSet::new();
    for statement in statements {
        if texts.insert(statement.text.clone()) {
            each(Item::Mention(statement));
        }
    }
}

#[cfg(test)]
mod tests;
