//! Finds the few lines of a log that are about NRI: a search for one word in the bytes, and a look at what stands
//! around it. Nothing else of a log is ever taken apart.

use memchr::memmem::{self, Finder};

/// A word that every line of interest has; one search is faster than one for each wording.
const WORD: &[u8] = b"plugin";

/// The same in a `MESSAGE` that journald wrote as numbers, as it does since version 243 and as it did before.
const NUMBERS: [&[u8]; 2] = [b"112,108,117,103,105,110", b"112, 108, 117, 103, 105, 110"];

/// How far behind the word to look for what makes a line about registration one.
const AHEAD: usize = 320;

/// The searches, made once.
pub(super) struct Markers {
    finders: [Finder<'static>; 3],
}

impl Markers {
    pub(super) fn new() -> Self {
        let [new, old] = NUMBERS;
        Self {
            finders: [WORD, new, old].map(Finder::new),
        }
    }

    /// Starts a search in whole lines; `numbers` says which words in numbers are looked for.
    pub(super) fn search<'m, 'b>(&'m self, lines: &'b [u8], numbers: Numbers) -> Search<'m, 'b> {
        let mut search = Search {
            markers: self,
            lines,
            next: [Next::Unknown, Next::Never, Next::Never],
        };
        search.look_for(Numbers::default(), numbers);
        search
    }
}

/// Which of the two ways of writing numbers a log may hold: every search costs a pass over all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    new: bool,
    old: bool,
}

impl Numbers {
    /// Adds what a line tells: JSON with spaces around its colons is from before 243.
    pub(super) fn and_of(self, line: &[u8]) -> Self {
        let old = memmem::find(line, b"\" : ").is_some();
        let new = !old && memmem::find(line, b"{\"").is_some();
        Self {
            new: self.new || new,
            old: self.old || old,
        }
    }
}

/// Where a word comes next.
#[derive(Clone, Copy)]
enum Next {
    /// Not yet looked for.
    Unknown,
    /// Here.
    At(usize),
    /// Nowhere.
    Never,
}

/// A search in lines, from front to back.
pub(super) struct Search<'m, 'b> {
    markers: &'m Markers,
    lines: &'b [u8],
    next: [Next; 3],
}

impl Search<'_, '_> {
    /// From now on, words in more ways of writing numbers are looked for.
    pub(super) fn look_for(&mut self, before: Numbers, numbers: Numbers) {
        let [_, new, old] = &mut self.next;
        if numbers.new && !before.new {
            *new = Next::Unknown;
        }
        if numbers.old && !before.old {
            *old = Next::Unknown;
        }
    }

    /// The first place from `from` on that makes its line one of interest.
    pub(super) fn next(&mut self, from: usize) -> Option<usize> {
        let [word, new, old] = [0, 1, 2].map(|nth| self.advance(nth, from));
        [word, new, old].into_iter().flatten().min()
    }

    fn advance(&mut self, nth: usize, from: usize) -> Option<usize> {
        match self.next.get(nth)? {
            Next::At(at) if *at >= from => return Some(*at),
            Next::Never => return None,
            _ => {}
        }
        let found = self.find(nth, from);
        *self.next.get_mut(nth)? = found.map_or(Next::Never, Next::At);
        found
    }

    fn find(&self, nth: usize, from: usize) -> Option<usize> {
        let finder = self.markers.finders.get(nth)?;
        let places = finder
            .find_iter(self.lines.get(from..)?)
            .map(|at| at + from);
        let mut wanted = places.filter(|&at| nth > 0 || is_wanted(self.lines, at));
        wanted.next()
    }
}

/// Whether what stands around the word at `at` is one of the wordings of interest.
fn is_wanted(lines: &[u8], at: usize) -> bool {
    let before = lines.get(..at).unwrap_or_default();
    let after = lines.get(at + WORD.len()..).unwrap_or_default();
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

/// ` 10-template uses …`, or ` "…" registered as`, with any escaping of the quotes.
fn is_named(after: &[u8]) -> bool {
    let rest = match after {
        [b' ', b'0'..=b'9', b'0'..=b'9', b'-', ..] => return true,
        [b' ', rest @ ..] if rest.starts_with(b"\"") || rest.starts_with(b"\\") => rest,
        _ => return false,
    };
    let window = rest.get(..AHEAD).unwrap_or(rest);
    let line = window
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    [&b" registered as "[..], b" connected"]
        .iter()
        .any(|words| memmem::find(line, words).is_some())
}
