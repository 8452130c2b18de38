//! The statements in a line, whatever wrappers are around it.
//!
//! Each text in the JSON values of a line is a line itself. The records in what remains are found
//! wherever they are, so that the headers of journald, syslog and container engines and the
//! prefixes of `grep`, `kubectl logs --prefix` or `stern` need no removal.

use std::borrow::Cow;

use super::context::Context;
use super::fact::{self, Statement};
use super::json;
use super::logfmt::{self, Record};

/// The maximum number of wrappers: a collector around journald around logfmt is three.
const MAX_DEPTH: usize = 8;

/// A statement, and what the wrappers say about its line.
pub(super) type Found = (Context, Statement);

/// Returns all statements in a line.
pub(super) fn statements(line: &[u8]) -> Vec<Found> {
    let text = String::from_utf8_lossy(line);
    in_text(&text, &Context::default(), MAX_DEPTH)
}

fn in_text(text: &str, context: &Context, depth: usize) -> Vec<Found> {
    let Some(depth) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let plain = without_colours(text);
    let context = context.clone().with_header(&plain);
    let (groups, rest) = json::split(&plain, &context);
    let mut found: Vec<Found> = groups
        .iter()
        .flat_map(|group| in_group(group, depth))
        .collect();
    let records = logfmt::records(&rest, &context);
    found.extend(
        records
            .iter()
            .flat_map(|record| in_record(record, &plain, depth)),
    );
    found
}

/// Returns the statements in the texts of an object, each once: collectors keep a line before and
/// after parsing it.
fn in_group(group: &json::Group, depth: usize) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let texts = group.texts.iter();
    for (context, statement) in texts.flat_map(|text| in_text(text, &group.context, depth)) {
        if !found.iter().any(|(_, known)| *known == statement) {
            found.push((context, statement));
        }
    }
    // A truncated warning is the message of an entry or of a record that is complete elsewhere.
    if found.iter().any(|(_, statement)| !is_unread(statement)) {
        found.retain(|(_, statement)| !is_unread(statement));
    }
    found
}

fn is_unread(statement: &Statement) -> bool {
    matches!(statement, Statement::Unread(_))
}

/// Returns the statements in a record. If there are none, its message may be a line itself.
fn in_record(record: &Record, text: &str, depth: usize) -> Vec<Found> {
    let statements = fact::statements(record);
    if statements.is_empty() && record.message.len() < text.len() {
        return in_text(&record.message, &record.context, depth);
    }
    let with_context = |statement| (record.context.clone(), statement);
    statements.into_iter().map(with_context).collect()
}

/// Returns the text without colour escape sequences.
fn without_colours(text: &str) -> Cow<'_, str> {
    if text.contains('\x1b') {
        Cow::Owned(anstream::adapter::strip_str(text).to_string())
    } else {
        Cow::Borrowed(text)
    }
}
