//! Finds the few lines of a log that are about NRI, by searching for one word in the bytes and
//! checking the bytes around it. No other line is parsed.

use memchr::memmem::{self, FindIter, Finder};

/// A word in every message of a runtime about a plugin: one search is faster than one per wording.
const WORD: &[u8] = b"plugin";

/// The key of a message in journald's JSON, whose value is an array of bytes if the message is not printable.
const MESSAGE: &[u8] = b"\"MESSAGE\"";

/// The number of bytes after the word within which the rest of a registration message must begin.
const WINDOW: usize = 320;

/// Returns true if a relevant line has the words at this position.
type IsWanted = fn(&[u8], usize) -> bool;

/// The words to search for, each with a check of the bytes around it.
const SEARCHES: [(&[u8], IsWanted); 4] = [
    (WORD, is_wanted),
    (MESSAGE, is_array),
    (SUPPRESSED[0], always),
    (SUPPRESSED[1], always),
];

/// What journald and rsyslog say of messages that they dropped.
const SUPPRESSED: [&[u8]; 2] = [b" messages from ", b" messages lost due to rate-limiting"];

/// The prepared searches.
pub(super) struct Markers([(Finder<'static>, IsWanted); SEARCHES.len()]);

impl Markers {
    pub(super) fn new() -> Self {
        Self(SEARCHES.map(|(words, is_wanted)| (Finder::new(words), is_wanted)))
    }

    /// Starts a search in complete lines.
    pub(super) fn search<'b>(&'b self, lines: &'b [u8]) -> Search<'b> {
        let mut hunts = self.0.each_ref().map(|(finder, is_wanted)| Hunt {
            places: finder.find_iter(lines),
            is_wanted: *is_wanted,
            next: None,
        });
        for hunt in &mut hunts {
            hunt.advance(lines, 0);
        }
        Search { lines, hunts }
    }
}

/// A search through lines, from first to last.
pub(super) struct Search<'b> {
    lines: &'b [u8],
    hunts: [Hunt<'b>; SEARCHES.len()],
}

/// The search for one of the words.
struct Hunt<'b> {
    places: FindIter<'b, 'b>,
    is_wanted: IsWanted,
    next: Option<usize>,
}

impl Search<'_> {
    /// Returns the first position from `from` on whose line is relevant.
    pub(super) fn next(&mut self, from: usize) -> Option<usize> {
        for hunt in &mut self.hunts {
            if hunt.next.is_some_and(|at| at < from) {
                hunt.advance(self.lines, from);
            }
        }
        self.hunts.iter().filter_map(|hunt| hunt.next).min()
    }
}

impl Hunt<'_> {
    fn advance(&mut self, lines: &[u8], from: usize) {
        let is_wanted = self.is_wanted;
        self.next = self.places.find(|&at| at >= from && is_wanted(lines, at));
    }
}

fn always(_: &[u8], _: usize) -> bool {
    true
}

/// Returns true if the value of the key `MESSAGE` at this position is an array.
fn is_array(lines: &[u8], at: usize) -> bool {
    let value = lines.get(at + MESSAGE.len()..).unwrap_or_default();
    let value = value.trim_ascii_start();
    value
        .strip_prefix(b":")
        .is_some_and(|value| value.trim_ascii_start().starts_with(b"["))
}

/// Returns true if the bytes around the word at `at` belong to a relevant message.
fn is_wanted(lines: &[u8], at: usize) -> bool {
    let (before, rest) = lines.split_at(at.min(lines.len()));
    let (_, after) = rest.split_at(WORD.len().min(rest.len()));
    let ends = |end: &[u8]| before.ends_with(end);
    match after.first() {
        Some(b'(') => ends(b"NRI "),
        Some(b':') => ends(b"external ") || ends(b"synchronize "),
        Some(b'-') => ends(b"/nri-"),
        Some(b' ') => {
            [&b"NRI "[..], b"closing ", b"/nri-v010-"]
                .into_iter()
                .any(ends)
                || is_named(after)
        }
        _ => ends(b"/nri-v010-"),
    }
}

/// Returns true if ` 10-template uses …` follows, or ` "…" registered as`, with any escaping of the
/// quotes.
fn is_named(after: &[u8]) -> bool {
    let rest = match after {
        [b' ', b'0'..=b'9', b'0'..=b'9', b'-', ..] => return true,
        [b' ', rest @ ..]
            if rest.starts_with(b"\"") || rest.starts_with(b"\\") || rest.starts_with(b"&") =>
        {
            rest
        }
        _ => return false,
    };
    let window = rest.get(..WINDOW).unwrap_or(rest);
    let is_in_line = |words: &[u8]| {
        let at = memmem::find(window, words);
        at.is_some_and(|at| memchr::memchr(b'\n', window.get(..at).unwrap_or(window)).is_none())
    };
    is_in_line(b" registered as ") || is_in_line(b" connected")
}
