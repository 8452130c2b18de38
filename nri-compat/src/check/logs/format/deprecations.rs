//! `ctr deprecations list`: a table, or JSON, which spreads one entry over lines.

use super::json::Object;
use super::{Around, Peeled, Said};

/// What the ids of all warnings begin with.
const PREFIX: &str = "io.containerd.deprecation/";

/// A row of the table, or a line out of an entry in JSON.
pub(super) fn peel(text: &str, _: &mut Around) -> Option<Peeled> {
    row(text).or_else(|| member(text)).map(Peeled::Said)
}

fn row(text: &str) -> Option<Said> {
    let mut cells = text.split_whitespace();
    let id = cells.next().filter(|id| id.starts_with(PREFIX))?;
    let time = cells.next().map(str::to_owned);
    Some(Said::Listed(vec![(id.to_owned(), time)]))
}

fn member(text: &str) -> Option<Said> {
    let (key, value) = text.strip_prefix('"')?.split_once("\":")?;
    let value = value.trim().trim_end_matches(',');
    let value = value.strip_prefix('"')?.strip_suffix('"')?;
    match key {
        "id" if value.starts_with(PREFIX) => Some(Said::Listed(vec![(value.to_owned(), None)])),
        "lastOccurrence" => Some(Said::ListedAt(value.to_owned())),
        _ => None,
    }
}

/// Entries that stand on one line.
pub(super) fn peel_objects(objects: &[Object]) -> Option<Peeled> {
    let entry = |object: &Object| {
        let id = object.text("id").filter(|id| id.starts_with(PREFIX))?;
        Some((id, object.text("lastOccurrence")))
    };
    let entries: Vec<_> = objects.iter().filter_map(entry).collect();
    (!entries.is_empty()).then_some(Peeled::Said(Said::Listed(entries)))
}

/// Whether a file begins like such a list.
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
