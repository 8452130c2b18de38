//! Mentions of a deprecated interface, whatever is written between and around their words: escapes,
//! colours, other spaces, UTF-16, Base64.

use std::ops::Range;

use super::fact::Warning;
use crate::check::needles::Needles;
use crate::packing::{XZ, ZSTD};

/// Parts of words: each mention has one of them in text, in either case.
const WORDS: [&[u8]; 5] = [
    b"eprecat",
    b"EPRECAT",
    b"tateChange",
    b"tatechange",
    b"TATECHANGE",
];

/// The same in UTF-16.
const WIDE_WORDS: [&[u8]; 2] = [b"e\0p\0r\0e\0c\0a\0t\0", b"\0e\0p\0r\0e\0c\0a\0t"];

/// Parts of Base64: of `deprecated` at each offset, and the beginning of gzip.
pub(super) const BASE64: [&[u8]; 4] = [b"cmVjYXRl", b"cHJlY2F0", b"ZXByZWNh", b"H4sI"];

/// The beginnings of compressed files.
const PACKED_FILES: [&[u8]; 7] = [
    b"\x1f\x8b\x08\0",
    b"\x1f\x8b\x08\x08",
    XZ,
    ZSTD,
    b"1AY&SY",
    b"\x04\x22\x4d\x18",
    b"PK\x03\x04",
];

/// The number of bytes before and after a word that may belong to the same mention.
const AROUND: usize = 512;

/// The beginnings of warnings, as [`letters`] returns them, long enough that no other message has
/// them.
const WARNINGS: [(&str, Warning); 4] = [
    ("nripluginusesadeprecated", Warning::StateChange),
    ("deprecatedstatechange", Warning::StateChange),
    ("statechangeisdeprecated", Warning::StateChange),
    ("deprecatednriplugin", Warning::OneShot),
];

/// The number of letters of a beginning above that identify a warning that is cut there.
const SHORTEST_WARNING: usize = "deprecatednri".len();

/// The words in the details of a warning, and in its field.
const DETAILS: [&str; 2] = ["doesnotimplement", "statechange"];

/// The prepared search for mentions.
pub(super) struct Mentions {
    in_text: Needles,
    /// Those in lines that have zeros, as all compressed files of some size have.
    in_all: Needles,
}

impl Mentions {
    pub(super) fn new() -> Self {
        let in_text = [&WORDS[..], &BASE64].concat();
        let others = [&WIDE_WORDS[..], &PACKED_FILES].concat();
        Self {
            in_all: Needles::new(&[&*in_text, &others].concat()),
            in_text: Needles::new(&in_text),
        }
    }

    /// Returns the search for complete lines.
    pub(super) fn needles(&self, lines: &[u8]) -> &Needles {
        let is_text = memchr::memchr(0, lines).is_none();
        if is_text { &self.in_text } else { &self.in_all }
    }
}

/// Returns the first place in complete lines, from `from`, where there is a mention, or where packed
/// bytes may have one.
pub(super) fn find(needles: &Needles, lines: &[u8], from: usize) -> Option<usize> {
    let mut found = None;
    needles.each(lines.get(from..)?, |at| {
        let at = from + at;
        found = is_mention(lines, at).then_some(at);
        found.is_none()
    });
    found
}

fn is_mention(lines: &[u8], at: usize) -> bool {
    let place = lines.get(at..).unwrap_or_default();
    let mut packed = BASE64.iter().chain(&PACKED_FILES);
    if packed.any(|packed| place.starts_with(packed)) {
        return true;
    }
    let around = lines.get(around(lines, at)).unwrap_or_default();
    warning(&String::from_utf8_lossy(around)).is_some()
}

/// Returns true if a compressed file begins within a line.
pub(super) fn has_packed_file(line: &[u8]) -> bool {
    let mut files = PACKED_FILES.iter();
    files.any(|file| memchr::memmem::find(line, file).is_some())
}

/// Returns the bytes around a place on its line.
fn around(lines: &[u8], at: usize) -> Range<usize> {
    let start = at.saturating_sub(AROUND);
    let end = lines.len().min(at + AROUND);
    let before = lines.get(start..at).unwrap_or_default();
    let after = lines.get(at..end).unwrap_or_default();
    let start = memchr::memrchr(b'\n', before).map_or(start, |line| start + line + 1);
    let end = memchr::memchr(b'\n', after).map_or(end, |line| at + line);
    start..end
}

/// Returns the warning in a text, whether or not it can be parsed.
pub(super) fn warning(text: &str) -> Option<Warning> {
    let letters = letters(text);
    let is_in = |start: &str| letters.contains(start) || ends_within(&letters, start);
    let warning = WARNINGS.iter().find(|(start, _)| is_in(start));
    let has_details = || DETAILS.iter().all(|word| letters.contains(word));
    warning
        .map(|(_, warning)| *warning)
        .or_else(|| has_details().then_some(Warning::StateChange))
}

/// Returns true if a text ends within the beginning of a warning, as where a terminal broke the
/// line.
fn ends_within(letters: &str, start: &str) -> bool {
    let lengths = SHORTEST_WARNING..start.len();
    let mut cut = lengths.filter_map(|length| start.get(..length));
    cut.any(|start| letters.ends_with(start))
}

/// Returns the letters of a text in lower case, without those that belong to escapes.
fn letters(text: &str) -> String {
    let (mut letters, mut rest) = (String::new(), text);
    while let Some(letter) = rest.chars().next() {
        rest = rest
            .get(letter.len_utf8() + escaped(rest)..)
            .unwrap_or_default();
        if letter.is_ascii_alphabetic() {
            letters.push(letter.to_ascii_lowercase());
        }
    }
    letters
}

/// Returns the number of bytes after the first one of a text that belong to an escape: of JSON, Go
/// or a shell, HTML, an address or a mail, or a terminal.
fn escaped(text: &str) -> usize {
    let Some((first, rest)) = text.as_bytes().split_first() else {
        return 0;
    };
    match first {
        b'\\' => backslash(rest),
        b'&' => leading(
            rest,
            |byte| byte == b'#' || byte.is_ascii_alphanumeric(),
            b';',
        ),
        b'[' => leading(rest, |byte| byte == b';' || byte.is_ascii_digit(), b'm'),
        b'%' | b'=' => match rest {
            [b'0'..=b'9', digit, ..] if digit.is_ascii_hexdigit() => 2,
            _ => 0,
        },
        _ => 0,
    }
}

fn backslash(rest: &[u8]) -> usize {
    match rest {
        [b'u', digits @ ..] => 1 + hexadecimal(digits, 4),
        [b'x', digits @ ..] => 1 + hexadecimal(digits, 2),
        [b'a' | b'b' | b'e' | b'f' | b'n' | b'r' | b't' | b'v', ..] => 1,
        _ => 0,
    }
}

fn hexadecimal(bytes: &[u8], most: usize) -> usize {
    let digits = bytes.iter().take(most);
    digits.take_while(|byte| byte.is_ascii_hexdigit()).count()
}

/// Returns the number of bytes of an escape of up to eight bytes that ends with `end`; 0 if there is none.
fn leading(bytes: &[u8], belongs: impl Fn(u8) -> bool, end: u8) -> usize {
    let length = bytes
        .iter()
        .take(8)
        .take_while(|byte| **byte != end && belongs(**byte));
    let length = length.count();
    if bytes.get(length) == Some(&end) {
        length + 1
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_escapes_do_not_count() {
        for text in [
            "NRI plugin",
            r"NRI\u0020plugin",
            r"NRI\x20plugin",
            r"NRI\tplugin",
            r"NRI\ plugin",
            "NRI&nbsp;plugin",
            "NRI&#x20;plugin",
            "NRI%20plugin",
            "NRI=20plugin",
            "N\0R\0I\0 \0p\0l\0u\0g\0i\0n\0",
            "\x1b[1mNRI\x1b[0m plugin",
            "NRI\u{2009}plugin",
            "^[[1;31mnri^[[m PLUGIN",
        ] {
            assert_eq!(letters(text), "nriplugin", "{text}");
        }
    }

    #[test]
    fn other_deprecations_are_no_mentions() {
        for text in [
            "the annotation is deprecated",
            "StateChange",
            "NRI plugin registered",
            "deprecated: state of the change",
        ] {
            assert_eq!(warning(text), None, "{text}");
        }
    }
}
