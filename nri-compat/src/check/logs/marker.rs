//! Finds the few lines of a log that are about NRI, by searching for one word in the bytes and
//! checking the bytes around it. No other line is parsed.

use memchr::memmem::{self, Finder};

use super::mention::{self, Mentions};
use crate::check::needles::Needles;

/// A word in every message of a runtime about a plugin: one search is faster than one per wording.
const WORD: &[u8] = b"plugin";

/// The word in a `MESSAGE` that journald wrote as numbers, in the forms since and before version
/// 243.
const NUMBERS: [&[u8]; 2] = [b"112,108,117,103,105,110", b"112, 108, 117, 103, 105, 110"];

/// Notations of a space: of tables, web pages and addresses.
const SPACES: [&str; 5] = ["\t", "\u{a0}", "&nbsp;", "%20", "+"];

/// The number of bytes after the word within which the rest of a registration message must begin.
const WINDOW: usize = 320;

/// The prepared searches.
pub(super) struct Markers {
    finders: [Finder<'static>; 3],
    mentions: Mentions,
}

impl Markers {
    pub(super) fn new() -> Self {
        let [new, old] = NUMBERS;
        Self {
            finders: [WORD, new, old].map(Finder::new),
            mentions: Mentions::new(),
        }
    }

    /// Starts a search in complete lines; `numbers` are the notations of numbers to search for.
    pub(super) fn search<'m, 'b>(&'m self, lines: &'b [u8], numbers: Numbers) -> Search<'m, 'b> {
        let mut search = Search {
            markers: self,
            mentions: self.mentions.needles(lines),
            lines,
            next: [Next::Unknown, Next::Never, Next::Never, Next::Unknown],
        };
        search.look_for(Numbers::default(), numbers);
        search
    }
}

/// The notations of numbers that a log may contain: each one costs another pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    new: bool,
    old: bool,
}

impl Numbers {
    /// Adds the notation that a line suggests: JSON with spaces around its colons comes from a
    /// version before 243.
    pub(super) fn with_line(self, line: &[u8]) -> Self {
        let old = memmem::find(line, b"\" : ").is_some();
        let new = memmem::find(line, b"{\"").is_some() || memmem::find(line, b"{ \"").is_some();
        Self {
            new: self.new || new,
            old: self.old || old,
        }
    }
}

/// The next position of a word.
#[derive(Clone, Copy)]
enum Next {
    /// Not searched for yet.
    Unknown,
    /// At this position.
    At(usize),
    /// Nowhere.
    Never,
}

/// The index of the search for mentions, after those of the finders.
const MENTION: usize = 3;

/// A search through lines, from first to last.
pub(super) struct Search<'m, 'b> {
    markers: &'m Markers,
    mentions: &'m Needles,
    lines: &'b [u8],
    next: [Next; 4],
}

impl Search<'_, '_> {
    /// Adds notations of numbers to search for from now on.
    pub(super) fn look_for(&mut self, before: Numbers, numbers: Numbers) {
        let [_, new, old, _] = &mut self.next;
        if numbers.new && !before.new {
            *new = Next::Unknown;
        }
        if numbers.old && !before.old {
            *old = Next::Unknown;
        }
    }

    /// Returns the first position from `from` on whose line is relevant.
    pub(super) fn next(&mut self, from: usize) -> Option<usize> {
        let places = [0, 1, 2, MENTION].map(|nth| self.advance(nth, from));
        places.into_iter().flatten().min()
    }

    fn advance(&mut self, nth: usize, from: usize) -> Option<usize> {
        match self.next.get(nth)? {
            Next::At(at) if *at >= from => return Some(*at),
            Next::Never => return None,
            Next::At(_) | Next::Unknown => {}
        }
        let found = self.find(nth, from);
        *self.next.get_mut(nth)? = found.map_or(Next::Never, Next::At);
        found
    }

    fn find(&self, nth: usize, from: usize) -> Option<usize> {
        if nth == MENTION {
            return mention::find(self.mentions, self.lines, from);
        }
        let finder = self.markers.finders.get(nth)?;
        let places = finder
            .find_iter(self.lines.get(from..)?)
            .map(|at| at + from);
        let mut wanted = places.filter(|&at| nth > 0 || is_wanted(self.lines, at));
        wanted.next()
    }
}

/// Returns true if the relevant word at `at` is text, and not numbers.
pub(super) fn is_word(bytes: &[u8], at: usize) -> bool {
    bytes.get(at..).is_some_and(|word| word.starts_with(WORD))
}

/// Returns true if the bytes around the word at `at` belong to a relevant message.
fn is_wanted(lines: &[u8], at: usize) -> bool {
    let (before, rest) = lines.split_at(at.min(lines.len()));
    let (_, after) = rest.split_at(WORD.len().min(rest.len()));
    let ends = |end: &[u8]| before.ends_with(end);
    if before.last() != Some(&b' ') && follows_other_space(before) || precedes_other_space(after) {
        return true;
    }
    match after.first() {
        Some(b'(') => ends(b"NRI "),
        Some(b':') => ends(b"external ") || ends(b"synchronize "),
        Some(b'-') => ends(b"/nri-"),
        // Coloured by a tool that searched for the word.
        Some(b'\x1b') => true,
        Some(b' ') => {
            [&b"NRI "[..], b"closing ", b"/nri-v010-"]
                .into_iter()
                .any(ends)
                || is_named(after)
        }
        _ => ends(b"/nri-v010-"),
    }
}

/// Returns true if `NRI` comes before, and between them a space in another notation.
fn follows_other_space(before: &[u8]) -> bool {
    let mut spaces = SPACES.iter();
    spaces.any(|space| {
        let nri = before.strip_suffix(space.as_bytes());
        nri.is_some_and(|nri| nri.ends_with(b"NRI"))
    })
}

/// Returns true if the name of a plugin follows after a space in another notation.
fn precedes_other_space(after: &[u8]) -> bool {
    let mut spaces = SPACES.iter();
    spaces.any(|space| {
        let name = after.strip_prefix(space.as_bytes());
        matches!(name, Some([b'0'..=b'9', b'0'..=b'9', b'-', ..]))
    })
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
