//! Reads a stream in chunks, in constant memory, and passes on the relevant lines.

use std::io::{self, Read};
use std::ops::Range;

use memchr::{memchr, memrchr};

use super::line_handler::LineHandler;
use super::long_line::LongLine;
use super::marker::{Markers, Numbers, Search};

/// The maximum length of a line in bytes; a longer one is only searched for warnings.
pub const LONGEST_LINE: usize = 4 << 20;

/// The number of bytes read at once: few enough to stay in the processor's cache until they are
/// searched.
const CHUNK: usize = 256 << 10;

/// The size of a page of memory in bytes. Chunks begin with a page, because processors copy the pages
/// of the kernel's cache five times as slowly to a place just behind the beginning (AMD Zen 3).
const PAGE: usize = 4096;

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
    /// The index of the first byte in the buffer.
    start: usize,
    /// The number of bytes from there that belong to an unfinished line.
    held: usize,
    /// The current line, if it is too long.
    long: Option<LongLine>,
    /// True if the handler wants the next line, whatever it contains.
    wants_next: bool,
    /// Notations of numbers that the log may contain, suggested by its first line and the relevant
    /// lines. Text logs are not searched for them.
    numbers: Option<Numbers>,
}

impl<'s> Scanner<'s> {
    fn new(markers: &'s Markers, handler: &'s mut dyn LineHandler) -> Self {
        Self {
            markers,
            handler,
            buffer: vec![0; 2 * CHUNK],
            start: 0,
            held: 0,
            long: None,
            wants_next: false,
            numbers: None,
        }
    }

    fn run(&mut self, input: &mut dyn Read) -> io::Result<()> {
        self.keep(0..0);
        loop {
            self.make_room();
            let (_, room) = self.buffer.split_at_mut(self.start + self.held);
            // One byte more than a line may have shows that it is longer.
            let most = (LONGEST_LINE + 1).saturating_sub(self.held).min(CHUNK);
            let (room, _) = room.split_at_mut(most.min(room.len()));
            match input.read(room) {
                Ok(0) => return Ok(()),
                Ok(read) => self.took(read),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Grows the buffer for a long line.
    fn make_room(&mut self) {
        let needed = self.start + self.held + CHUNK;
        if needed > self.buffer.len() {
            self.buffer.resize(needed.max(self.buffer.len() * 2), 0);
        }
    }

    /// Moves less than a chunk of bytes, so that the next chunk, which follows them, begins with a
    /// page.
    fn keep(&mut self, bytes: Range<usize>) {
        let held = bytes.len();
        let after = self.buffer.as_ptr().wrapping_add(held);
        self.start = after.align_offset(PAGE).min(PAGE);
        self.buffer.copy_within(bytes, self.start);
        self.held = held;
    }

    /// Returns a part of the buffer.
    fn part(&self, part: Range<usize>) -> &[u8] {
        self.buffer.get(part).unwrap_or_default()
    }

    fn took(&mut self, read: usize) {
        self.handler.read(read);
        let fresh = self.start + self.held;
        if self.long.is_some() {
            return self.went_on(fresh..fresh + read);
        }
        self.filled(self.start, fresh..fresh + read);
    }

    /// Searches the complete lines from `start`, of which only the fresh bytes may have an end, and
    /// keeps the rest.
    fn filled(&mut self, start: usize, fresh: Range<usize>) {
        let Some(end) = last_line_end(self.part(fresh.clone())) else {
            return self.unfinished(start..fresh.end);
        };
        let last = fresh.start + end;
        let buffer = std::mem::take(&mut self.buffer);
        self.lines(buffer.get(start..last).unwrap_or_default());
        self.buffer = buffer;
        self.unfinished(last..fresh.end);
    }

    /// Searches the fresh bytes of a line that is too long, and keeps the bytes after its end.
    fn went_on(&mut self, fresh: Range<usize>) {
        let buffer = std::mem::take(&mut self.buffer);
        let bytes = buffer.get(fresh.clone()).unwrap_or_default();
        let end = memchr(b'\n', bytes);
        let (part, _) = bytes.split_at(end.unwrap_or(bytes.len()));
        if let Some(long) = &mut self.long {
            long.add(part, self.markers, self.handler);
        }
        self.buffer = buffer;
        match end {
            Some(end) => {
                self.end_long_line();
                let rest = fresh.start + end + 1;
                self.filled(rest, rest..fresh.end);
            }
            None => self.keep(0..0),
        }
    }

    fn end_long_line(&mut self) {
        if let Some(long) = self.long.take() {
            long.end(self.markers, self.handler);
        }
    }

    /// Keeps the bytes of an unfinished line, unless it is too long.
    fn unfinished(&mut self, line: Range<usize>) {
        if line.len() <= LONGEST_LINE {
            // A line of many chunks is not moved with each of them.
            if line.start == self.start {
                self.held = line.len();
            } else {
                self.keep(line);
            }
            return;
        }
        let buffer = std::mem::take(&mut self.buffer);
        let mut long = LongLine::default();
        let bytes = buffer.get(line).unwrap_or_default();
        long.add(bytes, self.markers, self.handler);
        self.buffer = buffer;
        self.long = Some(long);
        self.keep(0..0);
    }

    fn finish(&mut self) {
        self.end_long_line();
        let buffer = std::mem::take(&mut self.buffer);
        let rest = self.start..self.start + self.held;
        self.lines(buffer.get(rest).unwrap_or_default());
    }

    /// Searches complete lines; only the last line of a stream may lack its end.
    fn lines(&mut self, lines: &[u8]) {
        if lines.is_empty() {
            return;
        }
        let mut numbers = *self
            .numbers
            .get_or_insert_with(|| Numbers::default().with_line(first_line(lines)));
        let mut search = self.markers.search(lines, numbers);
        let mut from = 0;
        while let Some(at) = self.wanted(&mut search, from, lines.len()) {
            let (start, end) = bounds(lines, from, at);
            let line = lines.split_at(end).0.split_at(start).1;
            self.wants_next = self.handler.line(line, end < lines.len());
            let more = numbers.with_line(line);
            search.look_for(numbers, more);
            numbers = more;
            from = end + 1;
        }
        self.numbers = Some(numbers);
    }

    /// Returns a position in the next line for the handler.
    fn wanted(&self, search: &mut Search<'_, '_>, from: usize, end: usize) -> Option<usize> {
        if self.wants_next && from < end {
            return Some(from);
        }
        search.next(from)
    }
}

fn first_line(lines: &[u8]) -> &[u8] {
    let end = memchr(b'\n', lines).unwrap_or(lines.len());
    lines.split_at(end).0
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
