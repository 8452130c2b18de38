//! Reads a stream in chunks, in constant memory, and passes on the lines that may be about NRI. No other line is
//! parsed.

use std::io::{self, Read};
use std::ops::Range;

use memchr::memmem::{FindIter, Finder};
use memchr::{memchr, memchr_iter, memrchr};

/// The maximum length of a line in bytes. An export may have a whole log in one JSON document on one line.
pub const LONGEST_LINE: usize = 256 << 20;

/// The number of bytes read at once: few enough to stay in the processor's cache until they are
/// searched.
const CHUNK: usize = 256 << 10;

/// A word in every message about a plugin, the key of a message in journald's JSON, and a word in what journald and
/// rsyslog say of messages that they dropped.
const WORDS: [&str; 3] = ["plugin", "\"MESSAGE\"", " messages"];

/// The texts before `plugin` in messages of runtimes. The last ones are parts of the ids of deprecations.
const BEFORE_PLUGIN: [&[u8]; 6] = [
    b"NRI ",
    b"closing ",
    b"external ",
    b"synchronize ",
    b"/nri-",
    b"/nri-v010-",
];

/// A line that may be about NRI.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoundLine<'l> {
    /// The text without the line end.
    pub(super) bytes: &'l [u8],
    /// The number of the line, counted from 1.
    pub(super) number: u64,
    /// False for the last line if it has no line end: it may have been cut.
    pub(super) ended: bool,
}

/// A receiver of lines.
pub(super) trait LineHandler {
    fn line(&mut self, line: FoundLine<'_>);

    /// Counts bytes that were read.
    fn read(&mut self, bytes: usize);

    /// Counts a line that is too long to be read.
    fn too_long(&mut self);
}

/// Reads all of `input`.
///
/// # Errors
///
/// Returns an error if it cannot be read to its end; `handler` has received what came before.
pub(super) fn scan(input: &mut dyn Read, handler: &mut dyn LineHandler) -> io::Result<()> {
    let words = WORDS.map(Finder::new);
    let mut scanner = Scanner {
        words,
        handler,
        buffer: vec![0; CHUNK],
        held: 0,
        is_in_long_line: false,
        lines_before: 0,
    };
    let end = scanner.run(input);
    scanner.lines(0..scanner.held);
    end
}

struct Scanner<'s> {
    words: [Finder<'static>; WORDS.len()],
    handler: &'s mut dyn LineHandler,
    buffer: Vec<u8>,
    /// The number of bytes in the buffer that belong to an unfinished line.
    held: usize,
    /// True within a line that is too long.
    is_in_long_line: bool,
    /// The number of lines before those in the buffer.
    lines_before: u64,
}

impl Scanner<'_> {
    fn run(&mut self, input: &mut dyn Read) -> io::Result<()> {
        loop {
            // One byte more than the maximum identifies a longer line.
            if self.held == self.buffer.len() {
                let grown = (self.buffer.len() * 2).min(LONGEST_LINE + 1);
                self.buffer.resize(grown, 0);
            }
            let end = self.buffer.len().min(self.held + CHUNK);
            match input.read(&mut self.buffer[self.held..end]) {
                Ok(0) => return Ok(()),
                Ok(bytes) => {
                    self.handler.read(bytes);
                    self.filled(self.held + bytes);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Searches the complete lines in the buffer, and keeps the rest.
    fn filled(&mut self, filled: usize) {
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
        self.lines(start..end);
        self.buffer.copy_within(end..filled, 0);
        self.held = filled - end;
        if self.held > LONGEST_LINE {
            self.handler.too_long();
            self.is_in_long_line = true;
            self.held = 0;
            self.buffer = vec![0; CHUNK];
        }
    }

    /// Searches complete lines; only the last line of a stream may lack its end.
    fn lines(&mut self, range: Range<usize>) {
        let lines = &self.buffer[range];
        let (mut next, mut counted, mut before) = (0, 0, self.lines_before);
        for at in Hits::new(&self.words, lines) {
            if at >= next && may_be_relevant(lines, at) {
                let start = memrchr(b'\n', &lines[..at]).map_or(0, |end| end + 1);
                let end = memchr(b'\n', &lines[at..]).map_or(lines.len(), |end| at + end);
                before += line_ends(&lines[counted..start]);
                counted = start;
                self.handler.line(FoundLine {
                    bytes: &lines[start..end],
                    number: before + 1,
                    ended: end < lines.len(),
                });
                next = end + 1;
            }
        }
        self.lines_before = before + line_ends(&lines[counted..]);
    }
}

/// The positions of all words in lines, in their order. One search per word is faster than one for all words.
struct Hits<'l> {
    searches: [FindIter<'l, 'l>; WORDS.len()],
    next: [Option<usize>; WORDS.len()],
}

impl<'l> Hits<'l> {
    fn new(words: &'l [Finder<'static>; WORDS.len()], lines: &'l [u8]) -> Self {
        let mut searches = words.each_ref().map(|word| word.find_iter(lines));
        let next = searches.each_mut().map(Iterator::next);
        Self { searches, next }
    }
}

impl Iterator for Hits<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let first = self.next.iter().flatten().min().copied()?;
        for (next, search) in self.next.iter_mut().zip(&mut self.searches) {
            if *next == Some(first) {
                *next = search.next();
            }
        }
        Some(first)
    }
}

fn line_ends(lines: &[u8]) -> u64 {
    memchr_iter(b'\n', lines).count() as u64
}

/// Returns true if the bytes around the word at `at` may belong to a relevant line.
fn may_be_relevant(lines: &[u8], at: usize) -> bool {
    let (before, word) = lines.split_at(at);
    if let Some(after) = word.strip_prefix(b"plugin") {
        return BEFORE_PLUGIN.iter().any(|end| before.ends_with(end))
            || matches!(
                after,
                [b' ', b'"' | b'\\', ..] | [b' ', b'0'..=b'9', b'0'..=b'9', b'-', ..]
            );
    }
    match word.strip_prefix(b"\"MESSAGE\"") {
        // The value is an array of bytes if the message is not printable.
        Some(value) => {
            let value = value.trim_ascii_start().strip_prefix(b":");
            value.is_some_and(|value| value.trim_ascii_start().starts_with(b"["))
        }
        None => true,
    }
}
