//! Reads a stream in chunks, in constant memory, and passes on the lines that may be about NRI. No
//! other line is parsed.

use std::io::{self, Read};
use std::iter::Peekable;
use std::ops::Range;

use memchr::memmem::find_iter;
use memchr::{memchr, memchr_iter, memrchr};

use super::wording::{RARE, may_match};
use crate::check::progress::Progress;

/// The maximum length of a line in bytes. An export may have a whole log in one JSON document on
/// one line.
pub const LONGEST_LINE: usize = 256 << 20;

/// The number of bytes read at once: few enough to stay in the processor's cache until they are
/// searched.
const CHUNK: usize = 256 << 10;

/// Returns the places in lines that may be about NRI, in lists that are each in order: words of
/// which every message about NRI has one; messages as arrays of bytes; what journald and rsyslog
/// say of messages that they dropped. Searches for something rare are faster than one for all
/// wordings.
fn relevant(lines: &[u8]) -> [Places<'_>; 4] {
    let [plugin, nri] = RARE.map(|word| find_iter(lines, word));
    let array = memchr_iter(b'[', lines);
    let places: [Box<dyn Iterator<Item = usize> + '_>; 4] = [
        Box::new(plugin),
        Box::new(nri),
        Box::new(array.filter(|at| is_message(&lines[..*at]))),
        Box::new(find_iter(lines, " messages")),
    ];
    places.map(Iterator::peekable)
}

type Places<'l> = Peekable<Box<dyn Iterator<Item = usize> + 'l>>;

/// Returns true if an array after this is a message of journald that is not printable, as bytes.
fn is_message(before: &[u8]) -> bool {
    let key = before.trim_ascii_end().strip_suffix(b":");
    key.is_some_and(|key| key.trim_ascii_end().ends_with(b"\"MESSAGE\""))
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
            let grown = (self.buffer.len() * 2).clamp(CHUNK, LONGEST_LINE + 1);
            self.buffer.resize(grown, 0);
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
        let (mut counted, mut end) = (0, 0);
        let mut places = relevant(lines);
        while let Some(found) = first(&mut places, end) {
            let start = memrchr(b'\n', &lines[..found]).map_or(0, |end| end + 1);
            end = memchr(b'\n', &lines[found..]).map_or(lines.len(), |end| found + end + 1);
            self.lines_before += line_ends(&lines[counted..start]);
            counted = start;
            let line = &lines[start..end];
            let mut others = places[RARE.len()..].iter_mut();
            let has_other = others.any(|places| places.peek().is_some_and(|place| *place < end));
            if has_other || may_match(line) {
                see(self.lines_before + 1, &String::from_utf8_lossy(line));
            }
        }
        self.lines_before += line_ends(&lines[counted..]);
    }
}

/// Returns the first place that is not before `from`.
fn first(places: &mut [Places<'_>], from: usize) -> Option<usize> {
    let firsts = places.iter_mut().filter_map(|places| {
        while places.next_if(|place| *place < from).is_some() {}
        places.peek().copied()
    });
    firsts.min()
}

fn line_ends(lines: &[u8]) -> u64 {
    memchr_iter(b'\n', lines).count() as u64
}
