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
use documents::documents;

pub use documents::SyntaxError;

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
    Unreadable(SyntaxError),
}

/// Returns the text of a manifest, without a byte order mark. Windows shells write UTF-16. Invalid
/// bytes are replaced.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    UTF_8.decode(bytes).0
}

/// Returns what is in a manifest, in its order. A document that cannot be read does not affect the others.
pub fn read(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    // The parser and the search recurse, so they get a stack of a known size.
    let started = thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK_BYTES);
        let reading = thread.spawn_scoped(scope, || {
            for document in documents(text) {
                match document.parse() {
                    Ok(Some(node)) => values(document.number, &node, &mut items),
                    Ok(None) => {}
                    Err(error) => items.push(Item::Unreadable(error)),
                }
            }
        });
        reading.map(|_| ())
    });
    if let Err(error) = started {
        items.push(Item::Unreadable(SyntaxError {
            document: 1,
            line: 1,
            reason: format!("cannot start a thread: {error}"),
        }));
    }
    items
}

/// Adds the objects that a document consists of to `items`.
fn values(document: u32, node: &Node, items: &mut Vec<Item>) {
    match &node.value {
        Value::Null | Value::Text(_) => {}
        Value::List(elements) => {
            for element in elements {
                values(document, element, items);
            }
        }
        Value::Map(_) => object(document, node, "", items),
    }
}

/// Adds an object, and the complete objects in it, to `items`. `kind` is its kind if it states none.
fn object(document: u32, node: &Node, kind: &str, items: &mut Vec<Item>) {
    let content = Content::new(node);
    let has_pods = !content.pods.is_empty();
    if has_pods && (is_complete(node) || node.get("metadata").is_some()) {
        let mut workload = Workload::new(node, kind, &content.pods);
        workload.place.document = Some(document);
        items.push(Item::Workload(workload));
    } else if is_complete(node) {
        items.push(Item::Object);
    }
    let mut statements = content.statements;
    statements.extend(installers::statements(node));
    items.extend(mentions(statements).into_iter().map(Item::Mention));
    let list = node.text("kind").unwrap_or_default();
    let kind = list.strip_suffix("List").unwrap_or_default();
    for nested in content.objects {
        object(document, nested, kind, items);
    }
}

/// Returns each statement once, and those about mounts only if there are no others.
fn mentions(mut statements: Vec<Statement>) -> Vec<Statement> {
    let has_others = statements.iter().any(|statement| !statement.is_mount);
    let mut texts = HashSet::new();
    statements.retain(|one| !(one.is_mount && has_others) && texts.insert(one.text.clone()));
    statements
}

#[cfg(test)]
mod tests;
