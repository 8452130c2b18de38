//! JSON for machines: structs of its own, a schema version, arrays that are always present.
//!
//! `schema/diff.schema.json` in this crate describes what [`diff`] writes. The version goes up when a field changes
//! its meaning or goes; a field that is added does not change it.

mod diff;
mod history;

pub use diff::diff;
pub use history::{runtime, runtimes, versions};

/// Version of the shape of every JSON document the tool writes.
pub const SCHEMA: u32 = 1;

/// Pretty-prints with a newline at the end. The structs of these renderers always serialize.
fn print(document: &impl serde::Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}
