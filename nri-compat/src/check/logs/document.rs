//! JSON documents that are indented, or lists over many lines, as `jq .` and export buttons write
//! them: each value, or each element of a list, on one line, as in JSON lines.

use std::io::{self, BufReader, Read};

/// The number of bytes read at once.
const CHUNK: usize = 64 << 10;

/// Returns true if a text begins with a JSON value that its first line does not complete.
pub(super) fn is_document(begin: &str) -> bool {
    let begin = begin.trim_start_matches(['\0', '\u{1e}', '\u{feff}']).trim_start();
    let Some(line) = begin.split_inclusive('\n').next().filter(|line| line.ends_with('\n')) else {
        return false;
    };
    let mut letters = line.trim_end().chars().filter(|letter| !letter.is_whitespace());
    // Lines of logs may begin with a bracket, too: `[pod/a] …`.
    let is_json = match (letters.next(), letters.next()) {
        (Some('{'), next) => matches!(next, None | Some('"')),
        (Some('['), next) => matches!(next, None | Some('{' | '[' | '"')),
        _ => false,
    };
    is_json && serde_json::from_str::<serde::de::IgnoredAny>(line).is_err()
}

/// Reads JSON values, and puts each on one line. White space outside of texts is dropped, and line
/// ends follow the value, so that the number of a line is that of the first line of its value. What
/// is no JSON is passed on unchanged.
pub(super) struct OnOneLine<R> {
    input: BufReader<R>,
    state: State,
    ready: Vec<u8>,
    taken: usize,
}

/// The place in the stream.
#[derive(Default)]
struct State {
    /// The number of objects and lists that are open, except for the list around everything.
    depth: usize,
    /// True within a list around everything.
    is_in_list: bool,
    within: Within,
    /// The number of line ends in the current value.
    line_ends: usize,
}

/// The token that the next byte belongs to.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Value,
    Text,
    /// After a backslash in a text.
    Escape,
    /// A line that is no JSON.
    Other,
}

impl<R: Read> OnOneLine<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input: BufReader::with_capacity(CHUNK, input),
            state: State::default(),
            ready: Vec::new(),
            taken: 0,
        }
    }

    /// Reads the next bytes. Returns false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        self.ready.clear();
        self.taken = 0;
        let bytes = io::BufRead::fill_buf(&mut self.input)?;
        let read = bytes.len();
        bytes.iter().for_each(|byte| self.state.add(*byte, &mut self.ready));
        io::BufRead::consume(&mut self.input, read);
        Ok(read > 0)
    }
}

impl State {
    fn add(&mut self, byte: u8, line: &mut Vec<u8>) {
        match self.within {
            Within::Escape => self.keep(byte, Within::Text, line),
            Within::Text => {
                let next = match byte {
                    b'\\' => Within::Escape,
                    b'"' => Within::Value,
                    _ => Within::Text,
                };
                self.keep(byte, next, line);
            }
            Within::Other => {
                let next = if byte == b'\n' { Within::Value } else { Within::Other };
                self.keep(byte, next, line);
            }
            Within::Value if self.depth == 0 => self.between(byte, line),
            Within::Value => self.inside(byte, line),
        }
    }

    /// Adds a byte between values.
    fn between(&mut self, byte: u8, line: &mut Vec<u8>) {
        match byte {
            b'[' if !self.is_in_list => self.is_in_list = true,
            b']' if self.is_in_list => self.is_in_list = false,
            b'{' | b'[' => {
                self.depth = 1;
                line.push(byte);
            }
            b'\n' => line.push(byte),
            b',' | b' ' | b'\t' | b'\r' | 0 | 0x1e => {}
            _ => self.keep(byte, Within::Other, line),
        }
    }

    /// Adds a byte of an object or list.
    fn inside(&mut self, byte: u8, line: &mut Vec<u8>) {
        match byte {
            b'\n' => self.line_ends += 1,
            b' ' | b'\t' | b'\r' => {}
            b'"' => self.keep(byte, Within::Text, line),
            _ => line.push(byte),
        }
        match byte {
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
        if self.depth == 0 {
            // The rest of the last line of the value has its own line end, unless the next value is
            // on the same line.
            line.extend(std::iter::repeat_n(b'\n', self.line_ends));
            self.line_ends = 0;
        }
    }

    fn keep(&mut self, byte: u8, next: Within, line: &mut Vec<u8>) {
        line.push(byte);
        self.within = next;
    }
}

impl<R: Read> Read for OnOneLine<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.ready.len() {
            if !self.fill()? {
                return Ok(0);
            }
        }
        let bytes = (&self.ready[self.taken..]).read(buffer)?;
        self.taken += bytes;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> String {
        let mut lines = String::new();
        OnOneLine::new(text.as_bytes()).read_to_string(&mut lines).expect("in memory");
        lines
    }

    #[test]
    fn documents_are_told_from_lines() {
        for text in ["{\n  \"a\": 1\n}\n", "[\n{}\n]", "[{\"a\": 1},\n{}]", "\u{feff}{ \"a\":\n1}"]
        {
            assert!(is_document(text), "{text}");
        }
        for text in ["{\"a\": 1}\n{}\n", "[pod/a] x\n", "[ 12.5] x\n", "[]\n", "{a}\n", "{\"a\":"] {
            assert!(!is_document(text), "{text}");
        }
    }

    #[test]
    fn each_value_is_on_the_line_where_it_begins() {
        for (text, expected) in [
            ("{\n  \"a\": \"b c\"\n}\n{\n}\n", "{\"a\":\"b c\"}\n\n\n{}\n\n"),
            ("[\n  {\"a\": [\n1]},\n  {}\n]\n", "\n{\"a\":[1]}\n\n{}\n\n"),
            (
                "{\n\"a\": \"}\\\"\\\\\"}\nplain text, {\n",
                "{\"a\":\"}\\\"\\\\\"}\n\nplain text, {\n",
            ),
            ("[[\n1, \"]\"], [2]]", "[1,\"]\"]\n[2]"),
        ] {
            assert_eq!(lines(text), expected, "{text}");
        }
    }
}
