//! The findings of the tool as plain data, and one renderer per format.
//!
//! The types in [`mod@check`], [`mod@diff`], [`pairing`] and [`history`] are independent of
//! formats; the renderers in [`text`], [`json`], [`markdown`], [`html`], [`csv`], [`github`],
//! [`junit`], [`sarif`] and [`openmetrics`] are pure functions from them to text. A check report may
//! have very many findings, so each of its formats can also be written piece by piece.

pub mod check;
#[cfg(feature = "conformance")]
pub mod conformance;
pub(crate) mod count;
pub mod csv;
pub mod diff;
pub mod finding;
pub mod fingerprint;
pub mod github;
pub mod group;
mod hash;
pub mod history;
pub mod html;
mod issue;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod merge;
pub mod openmetrics;
pub mod pairing;
#[cfg(feature = "conformance")]
pub mod probe;
pub mod sarif;
pub mod template;
pub mod text;
pub(crate) mod visible;

pub use visible::{VisibleReport, visible};

use std::io::{self, Write};

/// Returns the output of `write` as text.
fn written(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("renderers write only text")
}
