//! Splits a stream into JSON objects, in constant memory, and finds the next one after a broken
//! one.

use std::io::{self, BufReader, Read};

/// The maximum size of a report in bytes.
pub(super) const MAX_REPORT: usize = 32 << 20;

/// A piece of the stream: an object from its first brace to its last, or the reason why it is
/// something else.
pub(super) type Piece<'b> = Result<&'b [u8], &'static str>;

/// Calls `take` with every piece.
pub(super) fn each(input: &mut dyn Read, take: &mut dyn FnMut(Piece<'_>)) -> io::Result<()> {
    let mut splitter = Splitter {
        object: Vec::new(),
        depth: 0,
        is_string: false,
        is_escaped: false,
        line_begins: true,
        garbage: false,
        take,
    };
    for byte in BufReader::new(input).bytes() {
        splitter.byte(byte?);
    }
    splitter.line_end();
    splitter.give_up("cut: the input ends before it does");
    Ok(())
}

/// Tracks braces and strings. A brace at the beginning of a line begins a new report even if the
/// last one is unfinished: only a report has one there, so that the report after a broken one is
/// found.
struct Splitter<'t> {
    object: Vec<u8>,
    depth: usize,
    is_string: bool,
    is_escaped: bool,
    line_begins: bool,
    /// True if the line so far contains anything except spaces and separators of reports.
    garbage: bool,
    take: &'t mut dyn FnMut(Piece<'_>),
}

impl Splitter<'_> {
    fn byte(&mut self, byte: u8) {
        if byte == b'{' && self.line_begins {
            self.give_up("cut: another begins before it ends");
        }
        self.line_begins = byte == b'\n';
        if self.depth > 0 || byte == b'{' {
            self.within(byte);
        } else if byte == b'\n' {
            self.line_end();
        } else {
            let is_separator = matches!(byte, b'[' | b']' | b',' | 0x1e);
            self.garbage |= !is_separator && !byte.is_ascii_whitespace();
        }
    }

    fn within(&mut self, byte: u8) {
        self.garbage = false;
        if self.object.len() <= MAX_REPORT {
            self.object.push(byte);
        }
        match byte {
            _ if std::mem::take(&mut self.is_escaped) => {}
            b'\\' => self.is_escaped = self.is_string,
            b'"' => self.is_string = !self.is_string,
            b'{' if !self.is_string => self.depth += 1,
            b'}' if !self.is_string => self.depth -= 1,
            _ => {}
        }
        if self.depth == 0 {
            (self.take)(if self.object.len() > MAX_REPORT {
                Err("larger than 32 MiB")
            } else {
                Ok(&self.object)
            });
            self.object.clear();
        }
    }

    fn line_end(&mut self) {
        if std::mem::take(&mut self.garbage) {
            (self.take)(Err("a line without a report"));
        }
    }

    /// Ends the current piece, which will not be completed for this reason.
    fn give_up(&mut self, reason: &'static str) {
        if self.depth > 0 {
            (self.take)(Err(reason));
        }
        self.object.clear();
        self.depth = 0;
        (self.is_string, self.is_escaped) = (false, false);
    }
}
