//! JSON for machines: structs of its own, a schema version, arrays that are always present.
//!
//! `schema/diff.schema.json` in this crate describes what [`diff`] writes, `schema/check.schema.json` what [`check`]
//! and [`check_line`] write. The version goes up when a field changes
//! its meaning or goes; a field that is added does not change it.

mod check;
mod diff;
mod history;
mod merge;

pub use check::{check, check_line};
pub use diff::diff;
pub use history::{runtime, runtimes, versions};
pub use merge::merge;

use super::visible::acts;

/// Version of the shape of every JSON document the tool writes.
pub const SCHEMA: u32 = 1;

/// Pretty-prints with a newline at the end. The structs of these renderers always serialize.
pub(super) fn print(document: &impl serde::Serialize) -> String {
    escaped(&serde_json::to_string_pretty(document).unwrap_or_default())
}

/// On one line, with a newline at the end.
fn print_line(document: &impl serde::Serialize) -> String {
    escaped(&serde_json::to_string(document).unwrap_or_default())
}

/// The same document with a newline at the end, and with escapes for characters that act on a terminal, which JSON
/// allows within strings; nowhere else does it have any.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        if c != '\n' && acts(c) {
            text.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            text.push(c);
        }
    }
    text.push('\n');
    text
}
