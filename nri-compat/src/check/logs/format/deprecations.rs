//! `ctr deprecations list`: a table, or JSON, in which an entry has several lines.

use super::json::Object;
use crate::check::logs::record::{Origin, Unwrapped};

/// The prefix of the ids of all warnings.
const PREFIX: &str = "io.containerd.deprecation/";

/// Parses a row of the table, or a line of an entry in JSON.
pub(super) fn unwrap(text: &str, _: &mut Origin) -> Option<Unwrapped> {
    row(text).or_else(|| member(text))
}

fn row(text: &str) -> Option<Unwrapped> {
    let mut cells = text.split_whitespace();
    let id = cells.next().filter(|id| id.starts_with(PREFIX))?;
    let time = cells.next().map(str::to_owned);
    Some(Unwrapped::Deprecations(vec![(id.to_owned(), time)]))
}

fn member(text: &str) -> Option<Unwrapped> {
    let (key, value) = text.strip_prefix('"')?.split_once("\":")?;
    let value = value.trim().trim_end_matches(',');
    let value = value.strip_prefix('"')?.strip_suffix('"')?;
    match key {
        "id" if value.starts_with(PREFIX) => {
            Some(Unwrapped::Deprecations(vec![(value.to_owned(), None)]))
        }
        "lastOccurrence" => Some(Unwrapped::LastOccurrence(value.to_owned())),
        _ => None,
    }
}

/// Returns id and last occurrence of an entry on one line.
pub(super) fn entry(object: &Object) -> Option<(String, Option<String>)> {
    let id = object.id().filter(|id| id.starts_with(PREFIX))?;
    Some((id, object.last_occurrence()))
}

/// Reports whether a file may begin like such a list: its first character is that of one, or white
/// space outside ASCII.
pub(in super::super) fn may_be_list(head: &[u8]) -> bool {
    let first = head.trim_ascii_start().first();
    first.is_some_and(|byte| matches!(byte, b'[' | b'{' | b'"' | b'I' | b'i' | 0x0b | 0x80..))
}

/// Returns true if a file begins like such a list.
pub(in super::super) fn is_list(head: &str) -> bool {
    let mut words = head.split_whitespace();
    let table = words
        .by_ref()
        .take(4)
        .eq(["ID", "LAST", "OCCURRENCE", "MESSAGE"]);
    let entry = head
        .trim_start()
        .trim_start_matches(['[', '{', ' ', '\n', '\r', '\t']);
    let id = entry
        .strip_prefix("\"id\"")
        .and_then(|rest| rest.trim_start().strip_prefix(':'));
    let json = id.is_some_and(|id| id.trim_start().trim_start_matches('"').starts_with(PREFIX));
    table || json || entry.starts_with(PREFIX)
}
