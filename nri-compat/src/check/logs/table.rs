//! Logs in tables, as Splunk, Grafana and others export them: each row of the CSV as a JSON object
//! on one line, with the cells of a row as fields beside the message.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use csv::{ByteRecord, ReaderBuilder};
use serde_json::{Map, Value};

use super::record::Field;
use crate::bounded_json;
use crate::pieces::{PieceStream, Pieces};

/// The separators of cells.
const SEPARATORS: [char; 3] = [',', ';', '\t'];

/// The maximum length of the name of a column.
const MAX_NAME: usize = 64;

/// Names of columns with the text of a line, beside those of JSON lines; in lower case.
const TEXTS: [&str; 6] = ["_raw", "body", "content", "event", "raw", "text"];

/// Returns the separator of a table with a log, if a text begins with the names of columns, one of
/// which is that of a message.
pub(super) fn separator(begin: &str) -> Option<u8> {
    let line = begin.trim_start_matches('\u{feff}').split_inclusive('\n').next()?;
    let line = line.strip_suffix('\n')?.trim_end_matches('\r');
    SEPARATORS.into_iter().find(|separator| is_header(line, *separator)).map(|found| found as u8)
}

fn is_header(line: &str, separator: char) -> bool {
    let names: Vec<&str> = line.split(separator).map(|name| name.trim_matches('"')).collect();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-. @/:".contains(letter);
    let is_name = |name: &&str| {
        !name.is_empty()
            && name.len() <= MAX_NAME
            && !name.contains(": ")
            && name.chars().all(is_plain)
    };
    names.len() > 1 && names.iter().all(is_name) && names.iter().any(|name| is_text(name))
}

fn is_text(name: &str) -> bool {
    let field = Field::of_key(&key(name)).map(|(field, _)| field);
    field == Some(Field::Message) || TEXTS.contains(&name.to_ascii_lowercase().as_str())
}

/// Returns the key of a column: tables begin the names of columns with a capital letter.
fn key(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    if Field::of_key(name).is_none() && Field::of_key(&lower).is_some() {
        lower
    } else {
        name.into()
    }
}

/// The rows of a table as JSON lines. Line ends follow a row that has several lines, so that
/// the number of a line is that of the first line of its row.
pub(super) struct Rows<R> {
    rows: csv::Reader<LimitedRow<R>>,
    keys: Vec<String>,
    /// The number of bytes that the next row may have.
    left: Rc<Cell<usize>>,
    limit: usize,
    /// The number of lines so far.
    lines: u64,
}

/// A reader that fails after some number of bytes: a quotation mark without an end makes a row of
/// all that follows.
struct LimitedRow<R> {
    input: R,
    left: Rc<Cell<usize>>,
}

impl<R: Read> Read for LimitedRow<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.input.read(buffer)?;
        match self.left.get().checked_sub(bytes) {
            Some(left) => self.left.set(left),
            None => return Err(io::Error::other("a row of the table has no end")),
        }
        Ok(bytes)
    }
}

impl<R: Read> Rows<R> {
    /// Returns the rows of a table, each of at most `limit` bytes, as a stream.
    pub(super) fn stream(input: R, separator: u8, limit: usize) -> PieceStream<Self> {
        let left = Rc::new(Cell::new(limit));
        let mut builder = ReaderBuilder::new();
        builder.delimiter(separator).flexible(true).has_headers(false);
        let rows = builder.from_reader(LimitedRow { input, left: Rc::clone(&left) });
        PieceStream::new(Self { rows, keys: Vec::new(), left, limit, lines: 0 })
    }

    fn object(&self, row: &ByteRecord) -> Value {
        let cells = self.keys.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
        Value::Object(cells.map(|(key, cell)| (key.clone(), value(cell))).collect::<Map<_, _>>())
    }
}

fn text(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell).trim_start_matches('\u{feff}').to_owned()
}

/// Returns the text of a cell, or its object: Grafana has the labels of a line in one cell.
fn value(cell: &[u8]) -> Value {
    cell.starts_with(b"{")
        .then(|| bounded_json::read(cell, bounded_json::VALUE).ok())
        .flatten()
        .unwrap_or_else(|| Value::String(text(cell)))
}

impl<R: Read> Pieces for Rows<R> {
    fn next(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        self.left.set(self.limit);
        let mut row = ByteRecord::new();
        if !self.rows.read_byte_record(&mut row)? {
            return Ok(false);
        }
        if self.keys.is_empty() {
            self.keys = row.iter().map(|name| key(&text(name))).collect();
        } else {
            line.extend_from_slice(self.object(&row).to_string().as_bytes());
        }
        let end = self.rows.position().line().saturating_sub(1).max(self.lines + 1);
        line.extend(std::iter::repeat_n(b'\n', usize::try_from(end - self.lines).unwrap_or(1)));
        self.lines = end;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_with_logs_are_told_from_lines() {
        for (text, expected) in [
            ("_raw,_time,host\n", Some(b',')),
            ("\u{feff}\"Time\",\"Line\",\"labels\"\r\n", Some(b',')),
            ("timestamp;message\n", Some(b';')),
            ("name,size\n", None),
            ("message\n", None),
            ("error: message, host\n", None),
            ("_raw,_time,host", None),
            ("time=\"a\",message=\"b\"\n", None),
        ] {
            assert_eq!(separator(text), expected, "{text}");
        }
    }

    #[test]
    fn each_row_is_an_object_on_its_first_line() {
        let table = "Time,Line,labels\n1,\"a\nb \"\"c\"\"\",\"{\"\"node\"\":\"\"n\"\"}\"\n2,d\n";
        let mut lines = String::new();
        Rows::stream(table.as_bytes(), b',', 1000).read_to_string(&mut lines).expect("in memory");
        assert_eq!(
            lines,
            "\n{\"labels\":{\"node\":\"n\"},\"line\":\"a\\nb \\\"c\\\"\",\"time\":\"1\"}\n\n{\"line\":\"d\",\"time\":\"2\"}\n"
        );
    }

    #[test]
    fn a_row_without_an_end_is_an_error() {
        let table = format!("time,line\n1,\"{}", "a".repeat(1 << 20));
        let mut lines = String::new();
        let error = Rows::stream(table.as_bytes(), b',', 1000).read_to_string(&mut lines);
        assert!(error.is_err());
    }
}
