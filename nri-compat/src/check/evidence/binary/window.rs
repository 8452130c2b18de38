//! Reads parts of a file: short ones as a whole, longer ones in windows.

use std::borrow::Cow;

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
    let length = length.min(content.len().saturating_sub(offset));
    let length = usize::try_from(length)
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

/// Calls `look` with each window of a part of the file and its offset in the file, until it returns
/// [`Flow::Stop`].
///
/// Windows start every [`WINDOW`] bytes and overlap by `overlap` bytes, so that a match up to that
/// size is complete in the window in which it starts.
pub(crate) fn windows(
    content: &dyn Content,
    offset: u64,
    length: u64,
    overlap: u64,
    mut look: impl FnMut(u64, &[u8]) -> Flow,
) -> Result<(), Unreadable> {
    let end = offset.saturating_add(length).min(content.len());
    for at in starts(offset, end) {
        let bytes = part(content, at, (WINDOW + overlap).min(end - at))?;
        if look(at, &bytes) == Flow::Stop {
            return Ok(());
        }
    }
    Ok(())
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

/// The decision to continue or stop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    On,
    Stop,
}

impl Flow {
    /// Returns [`Flow::Stop`] if `is_done`.
    pub(crate) fn stop_if(is_done: bool) -> Self {
        if is_done { Self::Stop } else { Self::On }
    }
}

/// Returns the offset in the file of the first `needle` for which `fits`, called with the bytes
/// from there on, is true.
pub(crate) fn find(
    content: &dyn Content,
    part: (u64, u64),
    needle: &[u8],
    fits: impl Fn(&[u8]) -> bool,
) -> Result<Option<u64>, Unreadable> {
    let found = find_some(content, part, needle, 1, fits)?;
    Ok(found.first().copied())
}

/// Returns the offsets of at most `limit` such needles.
pub(crate) fn find_some(
    content: &dyn Content,
    (offset, length): (u64, u64),
    needle: &[u8],
    limit: usize,
    fits: impl Fn(&[u8]) -> bool,
) -> Result<Vec<u64>, Unreadable> {
    let finder = memchr::memmem::Finder::new(needle);
    let mut found: Vec<u64> = Vec::new();
    windows(content, offset, length, 256, |at, bytes| {
        let fit = |place: &usize| bytes.get(*place..).is_some_and(&fits);
        for place in finder.find_iter(bytes).filter(fit) {
            let place = at + place as u64;
            // A needle in the overlap of two windows is found twice.
            if found.last().is_none_or(|last| *last < place) {
                found.push(place);
            }
            if found.len() >= limit {
                return Flow::Stop;
            }
        }
        Flow::On
    })?;
    Ok(found)
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
        let any = |from: u64| {
            let has_needle = |bytes: &[u8]| memchr::memmem::find(bytes, b"needle").is_some();
            any_from_end(&content, (from, u64::MAX), 6, has_needle)
        };
        assert_eq!(any((2 << 18) - 3), Ok(true));
        assert_eq!(any(2 << 18), Ok(false));
    }
}
