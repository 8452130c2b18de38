//! Recognises logs by their first lines.

use super::{context, json, source};
use crate::check::head::HEAD_LINES;

/// Returns true if a text begins like a log, or like a list of deprecations.
pub(crate) fn is_log(head: &[u8]) -> bool {
    if source::is_binary(head) {
        return false;
    }
    let text = String::from_utf8_lossy(head);
    source::is_list(head) || is_table(&text) || text.lines().take(HEAD_LINES).any(is_log_line)
}

/// Returns true if a text begins like the table of `ctr deprecations list`.
fn is_table(head: &str) -> bool {
    let words = head.split_whitespace().take(4);
    words.eq(["ID", "LAST", "OCCURRENCE", "MESSAGE"])
}

/// Returns true if a line is one of a log: it begins with a time, or is an object with a time and a message.
pub(super) fn is_log_line(line: &str) -> bool {
    let line = line.trim_start_matches(['\0', '\u{1e}', '\u{feff}']).trim();
    if !line.starts_with('{') {
        return context::begins_with_time(line);
    }
    json::has_message_and_time(line)
}
