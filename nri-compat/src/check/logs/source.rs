//! Logs as streams of lines: recognised by their first bytes, decompressed, and with each entry on
//! one line.

use std::io::{self, Cursor, Read};

use encoding_rs::UTF_8;
use encoding_rs_io::DecodeReaderBytesBuilder;

use crate::check::content::HEAD_LINES;
use crate::container_log::{self, Joined};
use crate::unpack::{LONGEST_MAGIC, Packing, peek, unpacked};

use super::document::{self, OnOneLine};
use super::scan::LONGEST_LINE;
use super::table::{self, Rows};
use super::{json, record};

/// The number of first bytes that show the form of a log.
const HEAD: usize = 1024;

/// The number of first bytes that show that a file is not text: a tar header ends there.
const TEXT_HEAD: usize = 512;

/// The maximum number of control characters in these bytes of a text.
const MAX_CONTROLS: usize = 3;

/// The maximum size of a list of deprecations in bytes.
const MAX_LIST: u64 = 1 << 20;

/// Returns the lines of the log in `input`, a file with this extension, decompressed, and true if
/// it does not begin like a text.
///
/// # Errors
///
/// Returns an error if `input` cannot be read.
pub(super) fn open<'r>(
    input: impl Read + 'r,
    extension: Option<&str>,
) -> io::Result<(Box<dyn Read + 'r>, bool)> {
    let (magic, input) = peek(Box::new(input), LONGEST_MAGIC)?;
    if Packing::is_cut(&magic, extension) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let (head, text) = in_utf_8(unpacked(input)?)?;
    if head.starts_with(b"LPKSHHRH") {
        return Err(io::Error::other(
            "it is a journal in systemd's own format: use `journalctl --file` to read it",
        ));
    }
    let begin = String::from_utf8_lossy(&head);
    // Each entry of a list of deprecations has several lines.
    let is_list = begin.trim_start().starts_with('[')
        && begin.contains("\"id\": \"io.containerd.deprecation/");
    let lines = if is_list {
        list(text)?
    } else if container_log::is_in_entries(&begin) {
        Box::new(Joined::stream(text, LONGEST_LINE))
    } else if document::is_document(&begin) {
        Box::new(OnOneLine::new(text))
    } else if let Some(separator) = table::separator(&begin) {
        Box::new(Rows::stream(text, separator, LONGEST_LINE))
    } else {
        text
    };
    Ok((lines, is_binary(&head)))
}

/// Returns the first bytes of a text, and all of it. UTF-16 is decoded: Windows shells write it
/// into files, with a mark.
fn in_utf_8<'r>(text: Box<dyn Read + 'r>) -> io::Result<(Vec<u8>, Box<dyn Read + 'r>)> {
    let (head, text) = peek(text, HEAD)?;
    if !is_utf_16(&head) {
        return Ok((head, text));
    }
    let decoded = DecodeReaderBytesBuilder::new().strip_bom(true).build(text);
    peek(Box::new(decoded), HEAD)
}

/// Returns true if bytes begin with a mark of UTF-16, and most letters after it are ASCII, as in
/// every log. A mark alone may be noise before a log.
fn is_utf_16(head: &[u8]) -> bool {
    // A mark takes precedence over the encoding that is asked for.
    let (text, encoding, _) = UTF_8.decode(head);
    let is_ascii = |letter: &char| letter.is_ascii() && *letter != '\0';
    encoding != UTF_8 && text.chars().filter(is_ascii).count() * 2 > text.chars().count()
}

/// Returns true if a text begins like a log, or like a list of deprecations.
pub(crate) fn is_log(head: &[u8]) -> bool {
    if is_binary(head) {
        return false;
    }
    let mut lines = head.split(|byte| *byte == b'\n').take(HEAD_LINES);
    lines.any(|line| is_log_line(&String::from_utf8_lossy(line)))
}

/// Returns true if a line is one of a log or a list, or an object with a time and a message.
fn is_log_line(line: &str) -> bool {
    let line = line.trim_start_matches(['\0', '\u{1e}', '\u{feff}']).trim();
    if line.starts_with('{') {
        return json::has_message_and_time(line);
    }
    record::LOG_LINE.is_match(line)
}

/// Returns the output of `ctr deprecations list --format json` on one line.
fn list<'r>(mut text: Box<dyn Read + 'r>) -> io::Result<Box<dyn Read + 'r>> {
    let mut list = Vec::new();
    text.by_ref().take(MAX_LIST).read_to_end(&mut list)?;
    let line = match serde_json::from_slice::<serde_json::Value>(&list) {
        Ok(value) => value.to_string().into_bytes(),
        Err(_) => list,
    };
    Ok(Box::new(Cursor::new(line).chain(text)))
}

/// Returns true if bytes are not the beginning of a text: they contain zeros, except at the very
/// beginning, where a crash may leave them in a log, or other control characters that logs do not
/// contain.
fn is_binary(head: &[u8]) -> bool {
    // Compressed by `compress` or `pack`, or with a damaged header.
    let is_packed = matches!(head, [0x1f, 0x8b..=0xa0, ..]);
    let start = head.iter().position(|byte| *byte != 0);
    let after_zeros = &head[start.unwrap_or(head.len())..];
    let text = &after_zeros[..after_zeros.len().min(TEXT_HEAD)];
    let is_control = |byte: &&u8| matches!(byte, 0..=6 | 14..=26);
    is_packed || text.contains(&0) || text.iter().filter(is_control).count() > MAX_CONTROLS
}
