//! Reads a stream in chunks, in constant memory, and passes on the lines that may be about NRI. No
//! other line is parsed.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::LazyLock;

use memchr::{memchr, memchr_iter, memrchr};
use regex::bytes::Regex;

use super::wording::{RARE, may_match};
use crate::check::progress::Progress;

/// The maximum length of a line in bytes. An export may have a whole log in one JSON document on
/// one line.
pub const LONGEST_LINE: usize = 256 << 20;

/// The number of bytes read at once: few enough to stay in the processor's cache until they are
/// searched.
const CHUNK: usize = 256 << 10;

/// The words with which journald and rsyslog report messages that they dropped.
const DROPPED: &str = " messages";

/// The forms in which JSON has an array as a value: that of a message may be one of bytes.
const ARRAYS: [&str; 2] = ["\":[", ": ["];

/// A search for all that lines about NRI may have, in one pass: few literals, which are found with
/// vector instructions by their first three bytes. So these have to be rare in logs.
static RELEVANT: LazyLock<Regex> = LazyLock::new(|| {
    let words: Vec<String> =
        RARE.iter().chain(&ARRAYS).chain([&DROPPED]).map(|word| regex::escape(word)).collect();
    Regex::new(&words.join("|")).expect("the words are constants")
});

/// The kind of a match of the search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relevant {
    /// One of the words of messages about NRI.
    Word,
    Array,
    Dropped,
}

impl Relevant {
    fn of(found: &[u8]) -> Self {
        let is = |literal: &str| found == literal.as_bytes();
        if is(DROPPED) {
            Self::Dropped
        } else if ARRAYS.into_iter().any(is) {
            Self::Array
        } else {
            Self::Word
        }
    }
}

/// Returns true if an array after this is a message of journald that is not printable, as bytes.
fn is_message(before: &[u8]) -> bool {
    let key = before.trim_ascii_end();
    key.strip_suffix(b"\"").unwrap_or(key).ends_with(b"\"MESSAGE")
}

/// A reader of lines, for one stream.
#[derive(Default)]
pub(super) struct Scanner {
    /// The number of bytes read.
    pub(super) bytes: u64,
    /// The number of lines that are too long to be read.
    pub(super) too_long: u64,
    buffer: Vec<u8>,
    /// The number of bytes in the buffer that belong to an unfinished line.
    held: usize,
    /// True within a line that is too long.
    is_in_long_line: bool,
    /// The number of lines before those in the buffer.
    lines_before: u64,
}

impl Scanner {
    /// Reads all of `input`, and passes the lines that may be about NRI to `see`, with their
    /// numbers. Only the last line may lack its line end: it may have been cut.
    ///
    /// # Errors
    ///
    /// Returns the error that ended the stream early. What came before was passed on.
    pub(super) fn scan(
        &mut self,
        input: &mut dyn Read,
        progress: Option<&Progress>,
        see: &mut dyn FnMut(u64, &str),
    ) -> io::Result<()> {
        let end = loop {
            match self.fill(input) {
                Ok(0) => break Ok(()),
                Ok(bytes) => {
                    progress.inspect(|progress| progress.read(bytes as u64));
                    self.filled(self.held + bytes, see);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
        };
        self.lines(0..self.held, see);
        end
    }

    fn fill(&mut self, input: &mut dyn Read) -> io::Result<usize> {
        // One byte more than the maximum identifies a longer line.
        if self.held == self.buffer.len() {
            // Fresh zeros cost nothing, whereas `resize` would write them.
            let mut grown = vec![0; (self.held * 2).clamp(CHUNK, LONGEST_LINE + 1)];
            grown[..self.held].copy_from_slice(&self.buffer);
            self.buffer = grown;
        }
        let end = self.buffer.len().min(self.held + CHUNK);
        let bytes = input.read(&mut self.buffer[self.held..end])?;
        self.bytes += bytes as u64;
        Ok(bytes)
    }

    /// Searches the complete lines in the buffer, and keeps the rest.
    fn filled(&mut self, filled: usize, see: &mut dyn FnMut(u64, &str)) {
        let mut start = 0;
        if self.is_in_long_line {
            let Some(end) = memchr(b'\n', &self.buffer[..filled]) else {
                return;
            };
            start = end + 1;
            self.is_in_long_line = false;
            self.lines_before += 1;
        }
        let fresh = self.held.max(start);
        let end = memrchr(b'\n', &self.buffer[fresh..filled]).map_or(start, |end| fresh + end + 1);
        self.lines(start..end, see);
        self.buffer.copy_within(end..filled, 0);
        self.held = filled - end;
        if self.held > LONGEST_LINE {
            self.too_long += 1;
            self.is_in_long_line = true;
            self.held = 0;
            self.buffer = Vec::new();
        }
    }

    /// Searches complete lines.
    fn lines(&mut self, range: Range<usize>, see: &mut dyn FnMut(u64, &str)) {
        let lines = &self.buffer[range];
        // The ends of what was searched and of the last line whose words were judged, and the
        // beginning of the lines that were not counted.
        let (mut searched, mut judged, mut counted) = (0, 0, 0);
        while let Some(found) = RELEVANT.find_at(lines, searched) {
            searched = found.end();
            let kind = Relevant::of(found.as_bytes());
            let is_known = match kind {
                Relevant::Word => found.start() < judged,
                Relevant::Array => !is_message(&lines[..found.start()]),
                Relevant::Dropped => false,
            };
            if is_known {
                continue;
            }
            let start = memrchr(b'\n', &lines[..found.start()]).map_or(0, |end| end + 1);
            let end =
                memchr(b'\n', &lines[searched..]).map_or(lines.len(), |end| searched + end + 1);
            let line = &lines[start..end];
            if kind == Relevant::Word && !may_match(line) {
                judged = end;
                continue;
            }
            self.lines_before += line_ends(&lines[counted..start]);
            (searched, counted) = (end, start);
            see(self.lines_before + 1, &String::from_utf8_lossy(line));
        }
        self.lines_before += line_ends(&lines[counted..]);
    }
}

fn line_ends(lines: &[u8]) -> u64 {
    memchr_iter(b'\n', lines).count() as u64
}
