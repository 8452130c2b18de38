//! JSON for machines: separate structs, a schema version, arrays that are always present.
//!
//! `schema/diff.schema.json` in this crate describes the output of [`diff`],
//! `schema/check.schema.json` that of [`check`] and [`check_line`]. The version increases when a
//! field changes its meaning or is removed; adding a field does not change it.

#[cfg(feature = "conformance")]
mod conformance;
#[cfg(feature = "conformance")]
mod probe;
#[cfg(feature = "conformance")]
mod replay;
#[cfg(feature = "conformance")]
mod statement;

#[cfg(feature = "conformance")]
pub use conformance::conformance;
#[cfg(feature = "conformance")]
pub use probe::probe;
#[cfg(feature = "conformance")]
pub use replay::replay;
#[cfg(feature = "conformance")]
pub use statement::statements;

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use super::check::{CheckDocument, CheckReport};
use super::diff::{DiffDocument, DiffReport};
use super::history::{RuntimeReport, RuntimesReport, VersionsReport};
use super::merge::{MergeDocument, MergeReport};
use super::visible::acts;
use super::written;

/// The version of all JSON documents that the tool writes.
pub const SCHEMA: u32 = 1;

/// Renders the answer of `check` or `logs` as JSON.
pub fn check(report: &CheckReport) -> String {
    written(|out| write_check(report, out))
}

/// Writes the answer of `check` or `logs` as JSON.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check(report: &CheckReport, out: &mut dyn Write) -> io::Result<()> {
    write(&CheckDocument::from(report), out)
}

/// Renders the same document on one line, for logs that are collected line by line.
pub fn check_line(report: &CheckReport) -> String {
    written(|out| write_check_line(report, out))
}

/// Writes the same document on one line, for logs that are collected line by line.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check_line(report: &CheckReport, out: &mut dyn Write) -> io::Result<()> {
    write_line(&CheckDocument::from(report), out)
}

/// Renders the answer of `diff` as JSON.
pub fn diff(report: &DiffReport) -> String {
    print(&DiffDocument::from(report))
}

/// Renders the answer of `merge` as JSON.
pub fn merge(report: &MergeReport) -> String {
    print(&MergeDocument::from(report))
}

/// Renders the answer of `versions` as JSON.
pub fn versions(report: &VersionsReport) -> String {
    print(&Versioned::new(report))
}

/// Renders the answer of `runtimes` without a release as JSON.
pub fn runtimes(report: &RuntimesReport) -> String {
    print(&Versioned::new(report))
}

/// Renders the answer of `runtimes NAME@VERSION` as JSON.
pub fn runtime(report: &RuntimeReport) -> String {
    print(&Versioned::new(report))
}

/// A report with the version of its format.
#[derive(Serialize)]
struct Versioned<'r, R> {
    schema: u32,
    #[serde(flatten)]
    report: &'r R,
}

impl<'r, R> Versioned<'r, R> {
    fn new(report: &'r R) -> Self {
        Self {
            schema: SCHEMA,
            report,
        }
    }
}

/// The invariant by which serializing a report cannot fail.
const SERIALIZABLE: &str = "keys of maps in reports are strings";

/// Pretty-prints with a newline at the end.
pub(super) fn print(document: &impl serde::Serialize) -> String {
    escaped(serde_json::to_string_pretty(document).expect(SERIALIZABLE))
}

/// Pretty-prints to a writer, with a newline at the end.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub(super) fn write(document: &impl serde::Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut out = Escaping(BufWriter::new(out));
    serde_json::to_writer_pretty(&mut out, document)?;
    out.0.write_all(b"\n")?;
    out.0.flush()
}

/// Prints to a writer on one line, with a newline at the end.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
fn write_line(document: &impl serde::Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut out = Escaping(BufWriter::new(out));
    serde_json::to_writer(&mut out, document)?;
    out.0.write_all(b"\n")?;
    out.0.flush()
}

/// Returns the same document with a newline at the end, and with terminal control characters escaped.
/// In JSON, these occur only within strings.
fn escaped(mut json: String) -> String {
    if json.chars().any(must_be_escaped) {
        json = escape(&json);
    }
    json.push('\n');
    json
}

fn must_be_escaped(c: char) -> bool {
    c != '\n' && acts(c)
}

fn escape(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if must_be_escaped(c) {
            text.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            text.push(c);
        }
    }
    text
}

/// A writer that escapes terminal control characters. JSON is written in parts that are valid
/// UTF-8.
struct Escaping<W>(W);

impl<W: Write> Write for Escaping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(bytes) {
            Ok(text) if text.chars().any(must_be_escaped) => {
                self.0.write_all(escape(text).as_bytes())?;
            }
            Ok(_) | Err(_) => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
