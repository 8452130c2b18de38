//! Reads a stream in chunks, in constant memory, and passes on the relevant lines.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memrchr};

use super::line_handler::{FoundLine, LineHandler};
use super::marker::{Markers, Search};

/// The maximum length of a line in bytes. An export may have a whole log in one JSON document on one line.
pub const LONGEST_LINE: usize = 256 << 20;

/// The number of bytes read at once: few enough to stay in the processor's cache until they are
/// searched.
const CHUNK: usize = 256 << 10;

/// Reads all of `input`.
///
/// # Errors
///
/// Returns an error if it cannot be read to its end; `handler` has received what came before.
pub(super) fn scan(input: &mut dyn Read, handler: &mut dyn LineHandler) -> io::Result<()> {
    let markers = Markers::new();
    let mut scanner = Scanner::new(&markers, handler);
    let end = scanner.run(input);
    scanner.finish();
    end
}

struct Scanner<'s> {
    markers: &'s Markers,
    handler: &'s mut dyn LineHandler,
    buffer: Vec<u8>,
    /// The number of bytes in the buffer that belong to an unfinished line.
    held: usize,
    /// True within a line that is too long.
    is_in_long_line: bool,
    /// True if the handler wants the next line, whatever it contains.
    wants_next: bool,
    /// The number of lines before those in the buffer.
    lines_before: u64,
}

impl<'s> Scanner<'s> {
    fn new(markers: &'s Markers, handler: &'s mut dyn LineHandler) -> Self {
        Self {
            markers,
            handler,
            buffer: vec![0; CHUNK],
            held: 0,
            is_in_long_line: false,
            wants_next: false,
            lines_before: 0,
        }
    }

    fn run(&mut self, input: &mut dyn Read) -> io::Result<()> {
        loop {
            self.make_room();
            let end = (self.held + CHUNK).min(self.buffer.len());
            let (_, room) = self.buffer.split_at_mut(self.held.min(end));
            let (room, _) = room.split_at_mut(end - self.held.min(end));
            match input.read(room) {
                Ok(0) => return Ok(()),
                Ok(read) => self.took(read),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Grows the buffer for a long line, up to the maximum length plus one byte that identifies a
    /// longer line.
    fn make_room(&mut self) {
        if self.held >= self.buffer.len() {
            let grown = (self.buffer.len() * 2).min(LONGEST_LINE + 1);
            self.buffer.resize(grown, 0);
        }
    }

    fn took(&mut self, read: usize) {
        self.handler.read(read);
        if self.is_in_long_line {
            return self.went_on(read);
        }
        self.filled(self.held, self.held + read);
    }

    /// Searches the complete lines in a buffer, whose bytes before `old` have no end of a line, and keeps the rest.
    fn filled(&mut self, old: usize, filled: usize) {
        let fresh = self.buffer.split_at(filled).0.split_at(old).1;
        let Some(last) = last_line_end(fresh).map(|end| old + end) else {
            return self.unfinished(filled);
        };
        let mut buffer = std::mem::take(&mut self.buffer);
        self.lines(buffer.split_at(last).0);
        buffer.copy_within(last..filled, 0);
        self.buffer = buffer;
        self.unfinished(filled - last);
    }

    /// Drops what was read of a line that is too long, and keeps what follows it.
    fn went_on(&mut self, read: usize) {
        let Some(end) = memchr(b'\n', self.buffer.split_at(read).0) else {
            return;
        };
        self.buffer.copy_within(end + 1..read, 0);
        self.is_in_long_line = false;
        self.lines_before += 1;
        self.filled(0, read - end - 1);
    }

    /// Keeps the bytes of an unfinished line, unless it is too long.
    fn unfinished(&mut self, held: usize) {
        self.held = held;
        if held > LONGEST_LINE {
            self.handler.too_long();
            self.is_in_long_line = true;
            self.held = 0;
            self.buffer = vec![0; CHUNK];
        }
    }

    fn finish(&mut self) {
        let buffer = std::mem::take(&mut self.buffer);
        self.lines(buffer.split_at(self.held).0);
    }

    /// Searches complete lines; only the last line of a stream may lack its end.
    fn lines(&mut self, lines: &[u8]) {
        if lines.is_empty() {
            return;
        }
        let mut search = self.markers.search(lines);
        let (mut from, mut counted) = (0, 0);
        while let Some(at) = self.wanted(&mut search, from, lines.len()) {
            let (start, end) = bounds(lines, from, at);
            self.lines_before += line_ends(lines, counted, start);
            counted = start;
            self.wants_next = self.handler.line(FoundLine {
                bytes: lines.split_at(end).0.split_at(start).1,
                number: self.lines_before + 1,
                ended: end < lines.len(),
            });
            from = end + 1;
        }
        self.lines_before += line_ends(lines, counted, lines.len());
    }

    /// Returns a position in the next line for the handler.
    fn wanted(&self, search: &mut Search<'_>, from: usize, end: usize) -> Option<usize> {
        if self.wants_next && from < end {
            return Some(from);
        }
        search.next(from)
    }
}

/// Returns the number of line ends in a range.
fn line_ends(lines: &[u8], start: usize, end: usize) -> u64 {
    let range = lines.get(start..end).unwrap_or_default();
    memchr_iter(b'\n', range).count() as u64
}

/// Returns the end of the last complete line.
fn last_line_end(bytes: &[u8]) -> Option<usize> {
    memrchr(b'\n', bytes).map(|at| at + 1)
}

/// Returns start and end of the line around `at`, not before `from`.
fn bounds(lines: &[u8], from: usize, at: usize) -> (usize, usize) {
    let (before, after) = lines.split_at(at);
    let start = memrchr(b'\n', before.split_at(from).1).map_or(from, |newline| from + newline + 1);
    let end = memchr(b'\n', after).map_or(lines.len(), |newline| at + newline);
    (start, end)
}
