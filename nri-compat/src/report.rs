//! The findings of the tool as plain data, and their formats.
//!
//! The types in [`mod@check`], [`mod@diff`], [`pairing`] and so on are independent of formats. [`template`] has the
//! formats that are text with values in it; [`json`], [`sarif`] and [`openmetrics`] are code. A check report may have very many
//! findings, so each of its formats can also be written piece by piece.

pub mod check;
#[cfg(feature = "conformance")]
pub mod conformance;
pub(crate) mod count;
pub mod diff;
pub mod finding;
pub mod fingerprint;
pub mod group;
mod issue;
pub mod json;
pub mod merge;
pub mod openmetrics;
pub mod pairing;
#[cfg(feature = "conformance")]
pub mod probe;
#[cfg(feature = "conformance")]
pub mod replay;
pub mod sarif;
#[cfg(feature = "schema")]
pub mod schema;
pub mod template;

pub use crate::escape::visible;

use std::io::{self, Write};

/// Returns the output of `write` as text.
fn written(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("renderers write only text")
}
