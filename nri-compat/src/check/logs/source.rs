//! Logs as streams of lines: decompressed, and with each entry on one line.

use std::io::{self, Cursor, Read};

use crate::container_log::{self, Form, Joined};
use crate::packing::{LONGEST_MAGIC, Packing};
use crate::unpack::{peek, unpacked};

use super::scan::LONGEST_LINE;

/// The number of first bytes that show the form of a log.
const HEAD: usize = 1024;

/// The number of first bytes that show that a file is not text: a tar header ends there.
const TEXT_HEAD: usize = 512;

/// The maximum number of control characters in these bytes of a text.
const MAX_CONTROLS: usize = 3;

/// The maximum size of a list of deprecations in bytes.
const MAX_LIST: u64 = 1 << 20;

/// Returns the lines in `input`, decompressed if necessary, of a file with this extension.
///
/// # Errors
///
/// Returns an error if `input` cannot be read.
pub(super) fn lines<'r>(
    input: impl Read + 'r,
    extension: Option<&str>,
) -> io::Result<Box<dyn Read + 'r>> {
    let (head, input) = peek(Box::new(input), LONGEST_MAGIC)?;
    if Packing::is_cut(&head, extension) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let (head, text) = peek(unpacked(input)?, HEAD)?;
    if head.starts_with(b"LPKSHHRH") {
        return Err(io::Error::other(
            "it is a journal in systemd's own format: use `journalctl --file` to read it",
        ));
    }
    if is_list(&head) {
        return list(text);
    }
    if container_log::is_in_entries(&String::from_utf8_lossy(&head)) {
        return Ok(Box::new(Joined::new(text, Form::Entries, LONGEST_LINE)));
    }
    Ok(text)
}

/// Returns true if a text begins like the output of `ctr deprecations list --format json`, in which an entry has several
/// lines.
pub(super) fn is_list(head: &[u8]) -> bool {
    let words = String::from_utf8_lossy(head);
    let mut words = words.split_whitespace();
    let id = "\"io.containerd.deprecation/";
    words.by_ref().take(3).eq(["[", "{", "\"id\":"])
        && words.next().is_some_and(|word| word.starts_with(id))
}

/// Returns such a list on one line.
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
pub(super) fn is_binary(head: &[u8]) -> bool {
    if let [0x1f, 0x8b..=0xa0, ..] = head {
        return true; // compressed by `compress` or `pack`, or with a damaged header
    }
    let start = head.iter().position(|byte| *byte != 0);
    let text = &head[start.unwrap_or(head.len())..];
    let text = &text[..text.len().min(TEXT_HEAD)];
    let is_control = |byte: &&u8| matches!(byte, 0..=6 | 14..=26);
    text.contains(&0) || text.iter().filter(is_control).count() > MAX_CONTROLS
}

/// A reader that keeps its first bytes.
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
        self.head.extend_from_slice(&buffer[..missing]);
        Ok(read)
    }
}
