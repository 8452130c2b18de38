//! Finds the record of a runtime anywhere in a text, whatever a tool has put around it.

use memchr::memmem;

use super::{json, json_line, logfmt};
use crate::check::logs::fact;
use crate::check::logs::record::{Origin, Record, Unwrapped};

/// The maximum number of braces in a text at which no JSON value begins.
const MAX_BROKEN_VALUES: usize = 32;

/// The maximum number of mentions of a plugin in a text.
const MAX_MENTIONS: usize = 256;

/// The maximum length of a message within a text in bytes.
const MAX_MESSAGE: usize = 1024;

/// The beginnings of messages before `plugin`.
const MESSAGE_STARTS: [&str; 4] = ["NRI ", "Deprecated NRI ", "closing ", ""];

/// The records in a text.
pub(super) struct Found {
    pub(super) records: Vec<(Origin, Unwrapped)>,
    /// The text around them.
    pub(super) rest: String,
}

/// Finds JSON values.
pub(super) fn json(text: &str, origin: &Origin) -> Found {
    let (mut records, mut rest, mut at) = (Vec::new(), String::new(), text);
    let mut broken = 0;
    while let Some((before, value)) = at
        .find(['{', '['])
        .and_then(|brace| at.split_at_checked(brace))
    {
        rest.push_str(before);
        let parsed = json::parse(value).filter(|_| value.starts_with(['{', '[']));
        let length = match parsed {
            Some((parsed, length)) => {
                records.extend(json_line::unwrap(&parsed, origin));
                length
            }
            None => {
                broken += 1;
                1
            }
        };
        if broken > MAX_BROKEN_VALUES {
            at = value;
            break;
        }
        at = value.get(length..).unwrap_or("");
    }
    rest.push_str(at);
    Found { records, rest }
}

/// Finds logfmt.
pub(super) fn logfmt(text: &str, origin: &Origin) -> Found {
    let (found, after) = logfmt::find(text);
    let mut rest = String::new();
    let record = |found: logfmt::Found<'_>| {
        rest.push_str(found.before);
        rest.push('\n');
        let mut origin = origin.clone();
        origin.set_time(found.time);
        (origin, Unwrapped::Record(found.record))
    };
    let records = found.into_iter().map(record).collect();
    rest.push_str(after);
    Found { records, rest }
}

/// Finds plain messages in the text, with the pairs that follow them.
pub(super) fn messages(text: &str, origin: &Origin) -> Found {
    let mentions = memmem::find_iter(text.as_bytes(), "plugin").take(MAX_MENTIONS);
    let records = mentions.filter_map(|at| message(text, at));
    let records = records.map(|record| (origin.clone(), Unwrapped::Record(record)));
    Found {
        records: records.collect(),
        rest: String::new(),
    }
}

/// Returns the message with the mention of a plugin at `at`, if it has a fact.
fn message(text: &str, at: usize) -> Option<Record> {
    let before = text.get(..at)?;
    let starts = MESSAGE_STARTS.iter();
    let start = starts
        .filter(|start| before.ends_with(**start))
        .map(|start| at - start.len());
    start.into_iter().find_map(|start| {
        let message = window(text.get(start..)?);
        let record = fact::split_deprecation(message)
            .and_then(|(message, pairs)| logfmt::after_message(message, pairs))
            .unwrap_or_else(|| Record::of_text(message));
        (!fact::facts(&record).is_empty()).then_some(record)
    })
}

/// Returns the first bytes of a text.
fn window(text: &str) -> &str {
    let mut end = text.len().min(MAX_MESSAGE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}
