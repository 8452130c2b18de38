//! Splits a stream into JSON objects, in constant memory, and finds the next one after a broken
//! one.

use std::io::{self, BufRead, BufReader, Read};

/// The maximum size of a report in bytes.
pub(super) const MAX_REPORT: usize = 32 << 20;

/// The number of bytes read at once.
const CHUNK: usize = 128 << 10;

/// A piece of the stream: an object from its first brace to its last, or the reason why it is something else.
pub(super) type Piece<'b> = Result<&'b [u8], &'static str>;

/// Tracks braces and strings. A brace at the beginning of a line begins a new report, whatever is
/// unfinished: in our formats, only a new report has one there, so the report after a broken one is
/// found.
pub(super) struct Splitter<'r> {
    input: BufReader<&'r mut dyn Read>,
    object: Vec<u8>,
    depth: usize,
    state: State,
    line_begins: bool,
    /// True if the line so far contains anything except spaces and separators of reports.
    garbage: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Plain,
    String,
    Escape,
}

impl<'r> Splitter<'r> {
    pub(super) fn new(input: &'r mut dyn Read) -> Self {
        Self {
            input: BufReader::with_capacity(CHUNK, input),
            object: Vec::new(),
            depth: 0,
            state: State::Plain,
            line_begins: true,
            garbage: false,
        }
    }

    /// Calls `take` with every piece.
    ///
    /// # Errors
    ///
    /// Returns an error if the stream cannot be read to its end.
    pub(super) fn each(mut self, mut take: impl FnMut(Piece<'_>)) -> io::Result<()> {
        loop {
            let read = match self.input.fill_buf() {
                Ok([]) => break,
                Ok(bytes) => bytes.to_vec(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            for byte in &read {
                self.byte(*byte, &mut take);
            }
            self.input.consume(read.len());
        }
        self.line_end(&mut take);
        self.give_up("cut: the input ends before it does", &mut take);
        Ok(())
    }

    fn byte(&mut self, byte: u8, take: &mut impl FnMut(Piece<'_>)) {
        if byte == b'{' && self.line_begins {
            self.give_up("cut: another begins before it ends", take);
        }
        self.line_begins = byte == b'\n';
        if self.depth == 0 && byte != b'{' {
            return self.between(byte, take);
        }
        self.garbage = false;
        if self.object.len() <= MAX_REPORT {
            self.object.push(byte);
        }
        self.follow(byte);
        if self.depth == 0 {
            self.whole(take);
        }
    }

    fn between(&mut self, byte: u8, take: &mut impl FnMut(Piece<'_>)) {
        match byte {
            b'\n' => self.line_end(take),
            b'[' | b']' | b',' => {}
            _ => self.garbage |= !byte.is_ascii_whitespace() && byte != 0x1e,
        }
    }

    fn line_end(&mut self, take: &mut impl FnMut(Piece<'_>)) {
        if std::mem::take(&mut self.garbage) {
            take(Err("a line without a report"));
        }
    }

    fn follow(&mut self, byte: u8) {
        self.state = match (self.state, byte) {
            (State::Plain, b'{') => {
                self.depth += 1;
                State::Plain
            }
            (State::Plain, b'}') => {
                self.depth -= 1;
                State::Plain
            }
            (State::Plain, b'"') | (State::Escape, _) => State::String,
            (State::String, b'\\') => State::Escape,
            (State::String, b'"') => State::Plain,
            (state, _) => state,
        };
    }

    fn whole(&mut self, take: &mut impl FnMut(Piece<'_>)) {
        let is_too_large = self.object.len() > MAX_REPORT;
        take(if is_too_large {
            Err("larger than 32 MiB")
        } else {
            Ok(&self.object)
        });
        self.object.clear();
    }

    /// Ends the current piece, which will not be completed for this reason.
    fn give_up(&mut self, reason: &'static str, take: &mut impl FnMut(Piece<'_>)) {
        if self.depth > 0 {
            take(Err(reason));
        }
        self.object.clear();
        (self.depth, self.state) = (0, State::Plain);
    }
}
