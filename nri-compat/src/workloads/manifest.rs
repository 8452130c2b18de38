//! Kubernetes manifests: YAML with any number of documents, or JSON.
//!
//! The documents of a file are parsed separately, so that an error in one does not affect the
//! others.

use std::borrow::Cow;
use std::collections::HashSet;
use std::thread;

use encoding_rs::UTF_8;
use serde::de::IgnoredAny;

use super::configuration::{self, EmbeddedText};
use super::content::{Mention, ObjectContent, is_complete};
use super::installers;
use super::node::{Node, Value};
use super::pod::Workload;
use super::settings;
use crate::bounded_yaml;

/// The maximum size of a file in bytes. The text and one document at a time are held in memory.
pub const MAX_BYTES: u64 = 64 << 20;

/// The stack for a document of the maximum depth, with a reserve.
const STACK_BYTES: usize = 16 << 20;

/// The marker between documents.
const MARKER: &str = "---";

/// The headings in the output of `helm install`, `helm get` and `helm status` that end a document.
const HEADINGS: [&str; 3] = ["NOTES:", "HOOKS:", "MANIFEST:"];

/// The headers with which MIME messages begin.
const MESSAGES: [&str; 2] = ["MIME-Version:", "Content-Type: multipart/"];

/// Words of which each object, and each part of one that matters here, has one.
const OBJECT_WORDS: [&str; 4] = ["apiVersion", "hostPath", "kind:", "mountPath"];

/// The marker of a template of a chart.
const TEMPLATE: &str = "{{";

/// Something in a manifest. Documents that are not Kubernetes objects are omitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// An object with pods.
    Workload(Workload),
    /// A Kubernetes object without pods, such as a service.
    Object,
    /// A part outside of a pod that has to do with NRI.
    Mention(Mention),
    /// A text that may be the configuration of a runtime.
    Embedded(EmbeddedText),
    /// A document that cannot be read.
    Unreadable(SyntaxError),
}

/// Returns the text of a manifest, without a byte order mark. Windows shells write UTF-16. Invalid
/// bytes are replaced.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    UTF_8.decode(bytes).0
}

/// Returns the items of a manifest, in their order. A document that cannot be read does not affect
/// the others.
pub fn read(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    // The parser and the search recurse, so they get a stack of a known size.
    let started = thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK_BYTES);
        let reading = thread.spawn_scoped(scope, || {
            for document in documents(text) {
                match document.parse() {
                    Ok(Some(node)) => {
                        values(document.number, &node, &mut items);
                        items.extend(configuration::texts(&node).into_iter().map(Item::Embedded));
                    }
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

/// Adds an object, and the complete objects in it, to `items`. `kind` is its kind if it states
/// none.
fn object(document: u32, node: &Node, kind: &str, items: &mut Vec<Item>) {
    let content = ObjectContent::new(node);
    let has_pods = !content.pods.is_empty();
    if has_pods && (is_complete(node) || node.get("metadata").is_some()) {
        let mut workload = Workload::new(node, kind, &content.pods);
        workload.place.document = Some(document);
        items.push(Item::Workload(workload));
    } else if is_complete(node) {
        items.push(Item::Object);
    }
    let mut mentions = content.mentions;
    mentions.extend(installers::mentions(node));
    if content.objects.is_empty() {
        mentions.extend(settings::mentions(node));
    }
    let mut known = HashSet::new();
    mentions.retain(|mention| known.insert(mention.kind.clone()));
    items.extend(mentions.into_iter().map(Item::Mention));
    let list = node.text("kind").unwrap_or_default();
    let kind_of_items = list.strip_suffix("List").unwrap_or_default();
    for nested in content.objects {
        object(document, nested, kind_of_items, items);
    }
}

/// A document of a file.
#[derive(Clone, Copy, Debug)]
struct Document<'t> {
    /// Its number, counted from 1.
    number: u32,
    /// The number of lines before it.
    lines_before: u32,
    text: &'t str,
}

/// A document that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The document, counted from 1.
    pub document: u32,
    /// The line of the error, counted from 1.
    pub line: u32,
    /// The reason: one line, in lower case.
    pub reason: String,
}

/// Returns the documents of a file, without empty ones.
fn documents(text: &str) -> Vec<Document<'_>> {
    let (mut documents, mut number, mut lines_before) = (Vec::new(), 0, 0);
    for part in parts(text) {
        let content = if is_message(text) { without_boundary(part) } else { part };
        let is_empty = is_empty(content);
        number += u32::from(!is_empty || part.starts_with(MARKER));
        if !is_empty {
            let lines_before = lines_before + u32::from(content.len() < part.len());
            documents.push(Document { number, lines_before, text: content });
        }
        lines_before += lines(part);
    }
    documents
}

impl Document<'_> {
    /// Parses the document. Returns `None` for prose.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not YAML and may be an object, or if it exceeds a limit.
    fn parse(&self) -> Result<Option<Node>, SyntaxError> {
        let error = match bounded_yaml::read::<Node>(self.text) {
            Ok(mut node) => {
                node.move_down(self.lines_before);
                return Ok(Some(node));
            }
            Err(error) => error,
        };
        if !OBJECT_WORDS.iter().any(|word| self.text.contains(word)) {
            return Ok(None);
        }
        // The parser counts a line more if the last one is cut off in a value.
        let last = line(self.text.lines().count() as u64);
        let at = error.location().map_or(1, |at| line(at.line()));
        Err(SyntaxError {
            document: self.number,
            line: self.lines_before + at.min(last),
            reason: reason(self.text, &error),
        })
    }
}

fn reason(text: &str, error: &serde_saphyr::Error) -> String {
    if text.contains(TEMPLATE) {
        return "a template that has not been rendered: render it first (`helm template`, `kustomize build`)".to_owned();
    }
    let message = error.to_string();
    let words: Vec<&str> = message.split_whitespace().collect();
    format!("invalid YAML: {}", words.join(" "))
}

/// Splits a file at the lines that are document markers, which cannot occur within a document. JSON
/// documents may follow each other without a marker, as in the input of `kubectl`.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, rest) = json(text);
    let mut start = 0;
    for at in markers(rest) {
        parts.extend(rest.get(start..at));
        start = at;
    }
    parts.extend(rest.get(start..));
    parts
}

/// Splits off the complete JSON values at the beginning of a text.
fn json(text: &str) -> (Vec<&str>, &str) {
    let mut parts = Vec::new();
    let mut start = 0;
    if text.trim_start().starts_with('{') {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
        while let Some(Ok(_)) = values.next() {
            parts.extend(text.get(start..values.byte_offset()));
            start = values.byte_offset();
        }
    }
    (parts, text.get(start..).unwrap_or_default())
}

/// Returns true if a text is a MIME message.
fn is_message(text: &str) -> bool {
    MESSAGES.iter().any(|header| text.starts_with(header))
}

/// Returns true for a line between the parts of a MIME message.
fn is_boundary(line: &str) -> bool {
    line.starts_with("--") && !line.starts_with(MARKER)
}

/// Returns a part without the line that separates it from the one before, in a MIME message.
fn without_boundary(part: &str) -> &str {
    if is_boundary(part) { part.split_once('\n').map_or("", |(_, content)| content) } else { part }
}

/// Returns the offsets of the lines that are document markers, or headings after a document, or
/// that separate the parts of a MIME message, as which machines in clouds get their user data.
fn markers(text: &str) -> impl Iterator<Item = usize> {
    let is_message = is_message(text);
    let mut offset = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let at = offset;
        offset += line.len();
        let after = line.strip_prefix(MARKER);
        let is_marker = |rest: &str| rest.is_empty() || rest.starts_with(char::is_whitespace);
        let is_end = HEADINGS.contains(&line.trim_end()) || is_message && is_boundary(line);
        (is_end || after.is_some_and(is_marker)).then_some(at)
    })
}

/// Returns true if a text has only comments, directives, markers and headings.
fn is_empty(text: &str) -> bool {
    text.lines().map(str::trim).all(|line| {
        let line = line.strip_prefix(MARKER).unwrap_or(line).trim();
        let is_mark = line.is_empty() || line == "..." || HEADINGS.contains(&line);
        is_mark || line.starts_with(['#', '%'])
    })
}

fn lines(text: &str) -> u32 {
    line(memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64)
}

fn line(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
