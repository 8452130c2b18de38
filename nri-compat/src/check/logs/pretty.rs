//! Puts JSON objects that are spread over lines, as in the output of `journalctl -o json-pretty`
//! and `jq`, on one line each.

use std::io::{self, Read};

/// The maximum size of an object that is put on one line in bytes; the lines of a larger one stay.
const MAX_OBJECT: usize = 1 << 20;

/// Removes the line ends within an object, and the indentation after them; strings contain no line
/// ends.
pub(super) struct OneLine<R> {
    input: R,
    depth: usize,
    /// The number of bytes of the object so far.
    length: usize,
    string: InString,
    at_line_start: bool,
    /// True if the line has only white space so far.
    indented: bool,
}

/// The position of the previous byte relative to strings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InString {
    No,
    Yes,
    /// Within a string, after a backslash.
    Escaped,
}

/// Returns true if a stream begins with an object or an array of objects spread over lines.
pub(super) fn is_spread(head: &str) -> bool {
    let inside = |rest: &str| {
        let blanks = rest.len() - rest.trim_start().len();
        rest.get(..blanks)
            .is_some_and(|blanks| blanks.contains('\n'))
    };
    let head = head.trim_start();
    let object = head.strip_prefix('[').map_or(head, str::trim_start);
    object.strip_prefix('{').is_some_and(inside)
}

impl<R> OneLine<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            depth: 0,
            length: 0,
            string: InString::No,
            at_line_start: true,
            indented: false,
        }
    }

    /// Returns the replacement of a byte: the byte itself, or nothing for a line end or indentation
    /// within an object.
    fn byte(&mut self, byte: u8) -> Option<u8> {
        if byte == b'{' && self.at_line_start {
            // Only a new object begins there: the previous one was cut.
            (self.depth, self.string) = (0, InString::No);
        }
        self.length = if self.depth == 0 { 0 } else { self.length + 1 };
        let joins = self.depth > 0 && self.length < MAX_OBJECT;
        if byte == b'\n' {
            (self.at_line_start, self.indented, self.string) = (true, true, InString::No);
            return (!joins).then_some(byte);
        }
        self.at_line_start = false;
        if self.indented && joins && matches!(byte, b' ' | b'\t' | b'\r') {
            return None;
        }
        self.indented = false;
        self.follow(byte);
        Some(byte)
    }

    fn follow(&mut self, byte: u8) {
        self.string = match (self.string, byte) {
            (InString::No, b'"') | (InString::Escaped, _) => InString::Yes,
            (InString::Yes, b'\\') => InString::Escaped,
            (InString::Yes, b'"') => InString::No,
            (InString::No, b'{') => {
                self.depth += 1;
                InString::No
            }
            (InString::No, b'}') => {
                self.depth = self.depth.saturating_sub(1);
                InString::No
            }
            (state @ (InString::No | InString::Yes), _) => state,
        };
    }
}

impl<R: Read> Read for OneLine<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.input.read(buffer)?;
            let mut kept = 0;
            for at in 0..read {
                let byte = buffer.get(at).copied().and_then(|byte| self.byte(byte));
                if let (Some(byte), Some(place)) = (byte, buffer.get_mut(kept)) {
                    *place = byte;
                    kept += 1;
                }
            }
            if kept > 0 || read == 0 {
                return Ok(kept);
            }
        }
    }
}
