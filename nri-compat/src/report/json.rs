//! JSON for machines: a schema version, arrays that are always present.
//!
//! `schema/check.schema.json` in this crate describes the document of `check` and `logs`, and so
//! on. The version increases when a field changes its meaning or is removed; adding a field does
//! not change it.

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use super::written;
use crate::escape::acts;

/// The version of all JSON documents that the tool writes.
pub const SCHEMA: u32 = 1;

/// A report with the version of its format.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Versioned<R> {
    /// The version of this format. It increases when a field changes its meaning or is removed.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    schema: u32,
    #[serde(flatten)]
    report: R,
}

/// Returns a report as JSON.
pub fn render(report: &impl Serialize) -> String {
    written(|out| write(report, out))
}

/// Returns a report on one line, for logs that are collected line by line.
pub fn line(report: &impl Serialize) -> String {
    written(|out| write_line(report, out))
}

/// Writes a report as JSON, with a newline at the end.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write(report: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_document(&versioned(report), out)
}

/// Writes a report on one line, with a newline at the end.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_line(report: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut out = Escaping(BufWriter::new(out));
    serde_json::to_writer(&mut out, &versioned(report))?;
    out.end()
}

fn versioned<R>(report: R) -> Versioned<R> {
    let schema = SCHEMA;
    Versioned { schema, report }
}

/// Writes a document that has its own version.
pub(super) fn write_document(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut out = Escaping(BufWriter::new(out));
    serde_json::to_writer_pretty(&mut out, document)?;
    out.end()
}

/// A writer that escapes terminal control characters. In JSON, these occur only within strings.
/// JSON is written in parts that are valid UTF-8.
struct Escaping<W>(W);

impl<W: Write> Escaping<W> {
    fn end(mut self) -> io::Result<()> {
        self.0.write_all(b"\n")?;
        self.0.flush()
    }
}

impl<W: Write> Write for Escaping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let must_be_escaped = |c: char| c != '\n' && acts(c);
        let text = str::from_utf8(bytes).unwrap_or_default();
        if !text.contains(must_be_escaped) {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        for c in text.chars() {
            if must_be_escaped(c) {
                write!(self.0, "\\u{:04x}", u32::from(c))?;
            } else {
                write!(self.0, "{c}")?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
