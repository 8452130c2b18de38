//! Logs as streams of UTF-8 lines: decompressed, decoded, and with each entry on one line.

use std::io::{self, Read};

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use encoding_rs_io::DecodeReaderBytesBuilder;

use super::LONGEST_LINE;
use super::pieces::{self, Form, Joined};
use super::pretty::{self, OneLine};
use crate::packing::{LONGEST_MAGIC, Packing};
use crate::unpack::{peek, unpacked};

/// The number of first bytes that identify the encoding of a stream, and whether its entries are
/// spread over lines.
const HEAD: usize = 1024;

/// The number of first bytes that show that a file is not text: a tar header ends there.
const TEXT_HEAD: usize = 512;

/// The maximum number of control characters in these bytes of a text.
const MAX_CONTROLS: usize = 3;

/// Returns the lines in `input`, decompressed if necessary, as UTF-8.
///
/// # Errors
///
/// Returns an error if `input` cannot be read.
pub(super) fn lines<'r>(input: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
    lines_of(input, None)
}

/// Like [`lines`], for a file with this extension.
pub(super) fn lines_of<'r>(
    input: impl Read + 'r,
    extension: Option<&str>,
) -> io::Result<Box<dyn Read + 'r>> {
    let (head, input) = peek(Box::new(input), LONGEST_MAGIC)?;
    if Packing::is_cut(&head, extension) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    decoded(unpacked(input)?)
}

/// Returns the lines in a text as UTF-8.
fn decoded<'r>(text: Box<dyn Read + 'r>) -> io::Result<Box<dyn Read + 'r>> {
    let (head, text) = peek(text, HEAD)?;
    if head.starts_with(b"LPKSHHRH") {
        return Err(io::Error::other(
            "it is a journal in systemd's own format: use `journalctl --file` to read it",
        ));
    }
    if let Some(encoding) = utf_16(&head) {
        let decoded = DecodeReaderBytesBuilder::new()
            .encoding(Some(encoding))
            .build(text);
        let (head, text) = peek(Box::new(decoded), HEAD)?;
        return Ok(on_one_line(&head, text));
    }
    Ok(on_one_line(&head, text))
}

/// Puts entries on one line each, if the head shows that they are spread over several.
fn on_one_line<'r>(head: &[u8], text: Box<dyn Read + 'r>) -> Box<dyn Read + 'r> {
    let head = String::from_utf8_lossy(head);
    if pretty::is_spread(&head) {
        Box::new(OneLine::new(text))
    } else if pieces::is_in_entries(&head) {
        Box::new(Joined::new(text, Form::Entries, LONGEST_LINE))
    } else {
        text
    }
}

/// Returns the encoding of UTF-16 text, from its byte order mark or else from the zeros in ASCII
/// characters.
pub(super) fn utf_16(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        // Other bytes may look like a byte order mark: a log has ASCII characters as well.
        [0xff, 0xfe, rest @ ..] if has_zero_at(rest, 1) => Some(UTF_16LE),
        [0xfe, 0xff, rest @ ..] if has_zero_at(rest, 0) => Some(UTF_16BE),
        [a, 0, b, 0, c, 0, d, 0, ..] if [a, b, c, d].into_iter().all(|byte| *byte != 0) => {
            Some(UTF_16LE)
        }
        [0, a, 0, b, 0, c, 0, d, ..] if [a, b, c, d].into_iter().all(|byte| *byte != 0) => {
            Some(UTF_16BE)
        }
        _ => None,
    }
}

/// Returns true if the byte at `place`, 0 or 1, of any pair of bytes is zero.
fn has_zero_at(bytes: &[u8], place: usize) -> bool {
    let mut pairs = bytes.chunks_exact(2);
    pairs.any(|pair| pair.get(place) == Some(&0))
}

/// Returns true if bytes are not the beginning of a text: they contain zeros, except at the very
/// beginning, where a crash may leave them in a log, or other control characters that logs do not
/// contain.
pub(super) fn is_binary(head: &[u8]) -> bool {
    if let [0x1f, 0x8b..=0xa0, ..] = head {
        return true; // compressed by `compress` or `pack`, or with a damaged header
    }
    let start = head.iter().position(|byte| *byte != 0);
    let text = &head[start.unwrap_or(head.len())..];
    let text = &text[..text.len().min(TEXT_HEAD)];
    let is_control = |byte: &u8| matches!(byte, 0..=6 | 14..=26);
    // Without an early end, the compiler compares many bytes at a time.
    let has_controls = text.iter().fold(false, |any, byte| any | is_control(byte));
    has_controls
        && (text.contains(&0) || text.iter().filter(|byte| is_control(byte)).count() > MAX_CONTROLS)
}

/// A reader that notes whether its first bytes are those of a text.
pub(super) struct Noted<'r> {
    input: &'r mut dyn Read,
    head: Vec<u8>,
}

impl<'r> Noted<'r> {
    pub(super) fn new(input: &'r mut dyn Read) -> Self {
        let head = Vec::new();
        Self { input, head }
    }

    /// Returns true if what was read so far is not a text.
    pub(super) fn is_binary(&self) -> bool {
        is_binary(&self.head)
    }
}

impl Read for Noted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let missing = HEAD.saturating_sub(self.head.len()).min(read);
        self.head.extend(buffer.iter().take(missing));
        Ok(read)
    }
}

/// Returns the first lines of a log from its first bytes, as far as they can be decoded.
pub(super) fn head(text: &[u8], longest: usize) -> Vec<u8> {
    let mut head = vec![0; longest];
    let mut filled = 0;
    if let Ok(mut text) = decoded(Box::new(text)) {
        while let Some(room) = head.get_mut(filled..).filter(|room| !room.is_empty()) {
            match text.read(room) {
                Ok(read) if read > 0 => filled += read,
                _ => break,
            }
        }
    }
    head.truncate(filled);
    head
}
