//! Reads a stream in pieces, in constant memory, and hands on the lines of interest.

use std::io::{self, Read};

use memchr::{memchr, memrchr};

use super::marker::{Markers, Numbers, Search};

/// Longest line that is read; a longer one is skipped, and counted.
pub const LONGEST_LINE: usize = 4 << 20;

/// Bytes asked for at once: what is searched again right after it was read should still be in the processor's cache.
const PIECE: usize = 256 << 10;

/// What takes the lines found.
pub(super) trait Sink {
    /// Takes a line of interest, without its end; returns whether it wants the line that follows, whatever it holds.
    /// A line that is not `ended` is the last, and may have been cut.
    fn line(&mut self, line: &[u8], ended: bool) -> bool;

    /// How many bytes were read.
    fn read(&mut self, bytes: usize);

    /// A line was too long.
    fn too_long(&mut self);
}

/// Reads all of `input`.
///
/// # Errors
///
/// When it cannot be read to its end; `sink` has what came before.
pub(super) fn scan(input: &mut dyn Read, sink: &mut dyn Sink) -> io::Result<()> {
    let markers = Markers::new();
    let mut scanner = Scanner::new(&markers, sink);
    let end = scanner.run(input);
    scanner.finish();
    end
}

struct Scanner<'s> {
    markers: &'s Markers,
    sink: &'s mut dyn Sink,
    buffer: Vec<u8>,
    /// Bytes of the buffer that hold an unfinished line.
    held: usize,
    /// Whether the line under way is too long and not to be kept.
    skipping: bool,
    /// Whether the sink wants the next line, whatever it holds.
    wants_next: bool,
    /// Messages in numbers that the log may hold, by its first line and those of interest. Logs of text are spared
    /// the search for them.
    numbers: Option<Numbers>,
}

impl<'s> Scanner<'s> {
    fn new(markers: &'s Markers, sink: &'s mut dyn Sink) -> Self {
        Self {
            markers,
            sink,
            buffer: vec![0; PIECE],
            held: 0,
            skipping: false,
            wants_next: false,
            numbers: None,
        }
    }

    fn run(&mut self, input: &mut dyn Read) -> io::Result<()> {
        loop {
            self.make_room();
            let end = (self.held + PIECE).min(self.buffer.len());
            let room = self.buffer.get_mut(self.held..end).unwrap_or_default();
            match input.read(room) {
                Ok(0) => return Ok(()),
                Ok(read) => self.took(read),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// A long line makes the buffer grow, up to the longest line and one byte that tells a longer one.
    fn make_room(&mut self) {
        if self.held >= self.buffer.len() {
            let grown = (self.buffer.len() * 2).min(LONGEST_LINE + 1);
            self.buffer.resize(grown, 0);
        }
    }

    fn took(&mut self, read: usize) {
        self.sink.read(read);
        let (old, filled) = (self.held, self.held + read);
        let fresh = self.buffer.get(old..filled).unwrap_or_default();
        let Some(last) = memrchr(b'\n', fresh).map(|at| old + at + 1) else {
            return self.unfinished(filled);
        };
        let mut buffer = std::mem::take(&mut self.buffer);
        self.lines(buffer.get(..last).unwrap_or_default());
        buffer.copy_within(last..filled, 0);
        self.buffer = buffer;
        self.unfinished(filled - last);
    }

    /// So many bytes of a line are there, and no end of it yet.
    fn unfinished(&mut self, held: usize) {
        if held > LONGEST_LINE && !self.skipping {
            self.sink.too_long();
            self.skipping = true;
        }
        self.held = if self.skipping { 0 } else { held };
    }

    fn finish(&mut self) {
        let buffer = std::mem::take(&mut self.buffer);
        self.lines(buffer.get(..self.held).unwrap_or_default());
    }

    /// Whole lines; only the last of a stream may lack its end.
    fn lines(&mut self, mut lines: &[u8]) {
        if std::mem::take(&mut self.skipping) {
            let end = memchr(b'\n', lines).map_or(lines.len(), |at| at + 1);
            lines = lines.get(end..).unwrap_or_default();
        }
        if lines.is_empty() {
            return;
        }
        let mut numbers = *self.numbers.get_or_insert_with(|| of_first(lines));
        let mut search = self.markers.search(lines, numbers);
        let mut from = 0;
        while let Some(at) = self.wanted(&mut search, from, lines.len()) {
            let (start, end) = bounds(lines, from, at);
            let line = lines.get(start..end).unwrap_or_default();
            self.wants_next = self.sink.line(line, end < lines.len());
            let more = numbers.and_of(line);
            search.look_for(numbers, more);
            numbers = more;
            from = end + 1;
        }
        self.numbers = Some(numbers);
    }

    /// A place in the next line for the sink.
    fn wanted(&self, search: &mut Search<'_, '_>, from: usize, end: usize) -> Option<usize> {
        match self.wants_next && from < end {
            true => Some(from),
            false => search.next(from),
        }
    }
}

fn of_first(lines: &[u8]) -> Numbers {
    let end = memchr(b'\n', lines).unwrap_or(lines.len());
    Numbers::default().and_of(lines.get(..end).unwrap_or_default())
}

/// Where the line around `at` begins and ends; it does not begin before `from`.
fn bounds(lines: &[u8], from: usize, at: usize) -> (usize, usize) {
    let before = lines.get(from..at).unwrap_or_default();
    let after = lines.get(at..).unwrap_or_default();
    let start = memrchr(b'\n', before).map_or(from, |newline| from + newline + 1);
    let end = memchr(b'\n', after).map_or(lines.len(), |newline| at + newline);
    (start, end)
}
