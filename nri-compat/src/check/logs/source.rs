//! Logs as streams of lines: decompressed, and with each entry on one line.

use std::io::{self, Read};

use super::LONGEST_LINE;
use super::pieces::{self, Form, Joined};
use crate::packing::{LONGEST_MAGIC, Packing};
use crate::unpack::{peek, unpacked};

/// The number of first bytes that show whether entries are in pieces.
const HEAD: usize = 1024;

/// The number of first bytes that show that a file is not text: a tar header ends there.
const TEXT_HEAD: usize = 512;

/// The maximum number of control characters in these bytes of a text.
const MAX_CONTROLS: usize = 3;

/// Returns the lines in `input`, decompressed if necessary.
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

/// Returns the lines in a text, each entry on one line.
fn decoded<'r>(text: Box<dyn Read + 'r>) -> io::Result<Box<dyn Read + 'r>> {
    let (head, text) = peek(text, HEAD)?;
    if head.starts_with(b"LPKSHHRH") {
        return Err(io::Error::other(
            "it is a journal in systemd's own format: use `journalctl --file` to read it",
        ));
    }
    if pieces::is_in_entries(&String::from_utf8_lossy(&head)) {
        return Ok(Box::new(Joined::new(text, Form::Entries, LONGEST_LINE)));
    }
    Ok(text)
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
