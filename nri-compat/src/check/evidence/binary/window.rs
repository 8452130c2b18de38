//! Reads parts of a file: short ones as a whole, longer ones in windows.

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, MatchKind, packed};
use memchr::memmem::Finder;

use super::super::Unreadable;
use crate::check::content::Content;
use crate::skipped::SkipKind;

/// The number of bytes that are searched at once. They stay in the processor's cache while several
/// needles are searched.
pub(crate) const WINDOW: u64 = 1 << 18;

/// A part of a file: borrowed from a file in memory, or in a buffer of its own.
pub(crate) type Part<'c> = Cow<'c, [u8]>;

/// Reads up to `length` bytes at `offset`; fewer only at the end of the file.
///
/// The caller limits memory by `length`; a shorter file takes less.
pub(crate) fn part(
    content: &dyn Content,
    offset: u64,
    length: u64,
) -> Result<Part<'_>, Unreadable> {
    let length = usize::try_from(length.min(content.len().saturating_sub(offset)))
        .map_err(|_| Unreadable::new(SkipKind::TooLarge, "too large for this machine"))?;
    if let Some(all) = content.as_slice() {
        // The length was limited to the end of the file.
        let start = usize::try_from(offset).map_or(all.len(), |start| start.min(all.len()));
        return Ok(Part::Borrowed(all.split_at(start).1.split_at(length).0));
    }
    let mut buffer = vec![0; length];
    let filled = content.read_at(offset, &mut buffer).map_err(unreadable)?;
    buffer.truncate(filled);
    Ok(Part::Owned(buffer))
}

fn unreadable(error: std::io::Error) -> Unreadable {
    Unreadable::new(SkipKind::Io, format!("cannot be read: {error}"))
}

/// Calls `search` with each window of a part of the file and its offset in the file, until it
/// returns a result, and returns that.
///
/// Windows start every [`WINDOW`] bytes and overlap by `overlap` bytes, so that a match up to that
/// size is complete in the window in which it starts.
pub(crate) fn windows<T>(
    content: &dyn Content,
    (offset, length): (u64, u64),
    overlap: u64,
    mut search: impl FnMut(u64, &[u8]) -> Option<T>,
) -> Result<Option<T>, Unreadable> {
    let end = offset.saturating_add(length).min(content.len());
    for at in starts(offset, end) {
        let found = search(at, &part(content, at, (WINDOW + overlap).min(end - at))?);
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Returns true if `fits` is true for a window of this part of the file, starting with the last
/// window.
pub(crate) fn any_from_end(
    content: &dyn Content,
    (offset, length): (u64, u64),
    overlap: u64,
    fits: impl Fn(&[u8]) -> bool,
) -> Result<bool, Unreadable> {
    let end = offset.saturating_add(length).min(content.len());
    for at in starts(offset, end).rev() {
        if fits(&part(content, at, (WINDOW + overlap).min(end - at))?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the offsets at which windows start.
fn starts(offset: u64, end: u64) -> impl DoubleEndedIterator<Item = u64> {
    let count = end.saturating_sub(offset).div_ceil(WINDOW);
    (0..count).map(move |number| offset + number * WINDOW)
}

/// Returns the offset in the file of the first `needle` for which `fits`, called with the bytes
/// from there on, is true.
pub(crate) fn find(
    content: &dyn Content,
    part: (u64, u64),
    needle: &[u8],
    fits: impl Fn(&[u8]) -> bool,
) -> Result<Option<u64>, Unreadable> {
    let finder = Finder::new(needle);
    windows(content, part, 256, |at, bytes| {
        let mut places = finder.find_iter(bytes);
        let place = places.find(|place| fits(bytes.split_at(*place).1))?;
        Some(at + place as u64)
    })
}

/// A prepared search for any of a few short needles.
///
/// One pass with vector instructions looks for all of them, which takes about as long as a search
/// for one, unless many places begin like one. The automaton is for processors without such
/// instructions: its own filter looks for single bytes, which programs are full of.
pub(crate) struct Needles {
    packed: Option<packed::Searcher>,
    automaton: Option<AhoCorasick>,
}

impl Needles {
    /// Prepares the search.
    pub(crate) fn new<N: AsRef<[u8]>>(needles: &[N]) -> Self {
        let packed = packed::Searcher::new(needles);
        let mut automaton = AhoCorasick::builder();
        automaton.match_kind(MatchKind::LeftmostFirst);
        Self {
            automaton: match packed {
                Some(_) => None,
                None => automaton.build(needles).ok(),
            },
            packed,
        }
    }

    /// Returns the places of needles. Of needles that overlap it may have only the first.
    pub(crate) fn places<'b>(&'b self, bytes: &'b [u8]) -> impl Iterator<Item = usize> + 'b {
        let packed = self.packed.iter().flat_map(move |one| one.find_iter(bytes));
        let automaton = self.automaton.iter().flat_map(move |one| one.find_iter(bytes));
        packed.chain(automaton).map(|found| found.start())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_crosses_a_window_is_found() {
        let mut bytes = vec![0; 3 << 18];
        for border in [1 << 18, 2 << 18] {
            bytes[border - 3..border + 3].copy_from_slice(b"needle");
        }
        let content: &[u8] = &bytes;
        let found = |from: u64| find(&content, (from, u64::MAX), b"needle", |_| true);
        assert_eq!(found(0), Ok(Some((1 << 18) - 3)));
        assert_eq!(found(1 << 18), Ok(Some((2 << 18) - 3)));
        assert_eq!(found(2 << 18), Ok(None));
    }

    #[test]
    fn both_searches_find_the_same_places() {
        let bytes = b"/stub.New /stub. skel.Run/stub.stub/adaptation.x";
        let packed = Needles::new(&["/stub.", "/skel.Run", "/adaptation."]);
        let automaton = Needles {
            packed: None,
            automaton: AhoCorasick::new(["/stub.", "/skel.Run", "/adaptation."]).ok(),
        };
        for needles in [packed, automaton] {
            assert_eq!(needles.places(bytes).collect::<Vec<_>>(), [0, 10, 25, 35]);
        }
    }
}
