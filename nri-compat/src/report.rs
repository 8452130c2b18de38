//! The findings of the tool as plain data, and their formats.
//!
//! The types in [`mod@check`], [`mod@diff`], [`pairing`] and so on are independent of formats.
//! [`template`] has the formats that are text with values in it; [`json`], [`sarif`],
//! [`openmetrics`] and [`policy_report`] are code. A check report may have very many findings, so
//! each of its formats can also be written piece by piece.

pub mod check;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod diff;
pub mod finding;
pub mod fingerprint;
pub mod format;
mod issue;
pub mod json;
pub mod merge;
pub mod openmetrics;
pub mod pairing;
pub mod policy_report;
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

/// Returns a number with its noun: `1 error`, `2 errors`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Formats a number of bytes: `512 B`, `3.4 MiB`.
pub(crate) fn bytes(count: u64) -> String {
    if count < 1024 {
        return format!("{count} B");
    }
    let mut amount = count as f64 / 1024.0;
    let mut units = ["KiB", "MiB", "GiB"].into_iter();
    // A number that would be shown as 1024.0 gets the next unit.
    while amount >= 1023.95 {
        let Some(_) = units.next() else { break };
        amount /= 1024.0;
    }
    format!("{amount:.1} {}", units.next().unwrap_or("TiB"))
}

/// Returns the relevant part of a full name: `Message.field`, `Plugin.Rpc`, or only the last part
/// if the rest is always the same (`RUN_POD_SANDBOX`).
pub(crate) fn short(element: &str) -> &str {
    let mut dots = element.rmatch_indices('.').map(|(at, _)| at);
    let (Some(last), before) = (dots.next(), dots.next()) else {
        return element;
    };
    let start = before.map_or(0, |at| at + 1);
    let parent = &element[start..last];
    if matches!(parent, "Event" | "Plugin") { &element[last + 1..] } else { &element[start..] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_fitting_unit() {
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1024 * 1024 - 1), "1.0 MiB");
        assert_eq!(bytes(u64::MAX), "16777216.0 TiB");
    }
}
