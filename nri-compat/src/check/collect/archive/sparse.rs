//! Sparse files, which GNU tar stores without their holes in its own format and in pax headers.
//!
//! [The formats](https://www.gnu.org/software/tar/manual/html_section/Sparse-Formats.html): the old GNU one, and 0.0,
//! 0.1 and 1.0 in pax records.

use std::io;

use super::unpack;
use crate::check::content::Content;
use crate::skipped::{SkipKind, Unreadable};

/// The maximum number of pieces of one file.
const MAX_PIECES: usize = 100_000;

/// The size of a block of an archive, in bytes.
const BLOCK: u64 = 512;

/// The maximum length of a number in a map of version 1.0, with its newline.
const MAX_NUMBER: usize = 21;

/// A stored piece of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    /// The offset in the file.
    pub(super) offset: u64,
    pub(super) len: u64,
}

/// The map of a sparse file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sparse {
    /// The size of the whole file.
    pub(super) size: u64,
    pub(super) pieces: Vec<Piece>,
    /// True if the pieces are listed at the start of the stored data (version 1.0).
    pub(super) is_listed_in_data: bool,
}

/// A sparse file in expanded form.
pub(super) struct Expanded<C> {
    stored: C,
    size: u64,
    /// The pieces in order, each with its offset in the stored data.
    pieces: Vec<(Piece, u64)>,
}

impl Sparse {
    /// Adds a piece.
    pub(super) fn push(&mut self, offset: u64, len: u64) -> Result<(), Unreadable> {
        if self.pieces.len() >= MAX_PIECES {
            return Err(too_many());
        }
        self.pieces.push(Piece { offset, len });
        Ok(())
    }

    /// Returns the whole file.
    pub(super) fn expand<C: Content>(mut self, stored: C) -> Result<Expanded<C>, Unreadable> {
        let mut start = 0;
        if self.is_listed_in_data {
            start = self.read_list(&stored)?;
        }
        let (mut pieces, mut end) = (Vec::new(), 0);
        for piece in self.pieces {
            let piece_end = piece.offset.checked_add(piece.len).ok_or_else(broken)?;
            if piece.offset < end || piece_end > self.size {
                return Err(broken());
            }
            end = piece_end;
            pieces.push((piece, start));
            start = start.checked_add(piece.len).ok_or_else(broken)?;
        }
        if start > stored.len() {
            return Err(unpack::cut_short());
        }
        Ok(Expanded {
            stored,
            size: self.size,
            pieces,
        })
    }

    /// Reads the list at the start of the stored data, and returns the offset at which the bytes of
    /// the file start.
    fn read_list(&mut self, stored: &dyn Content) -> Result<u64, Unreadable> {
        let mut at = 0;
        let count = number(stored, &mut at)?;
        for _ in 0..count {
            let (offset, len) = (number(stored, &mut at)?, number(stored, &mut at)?);
            self.push(offset, len)?;
        }
        Ok(at.next_multiple_of(BLOCK))
    }
}

/// Checks the number of pieces at the start of a list.
pub(super) fn check_list(stored: &dyn Content) -> Result<(), Unreadable> {
    let count = number(stored, &mut 0)?;
    if count > MAX_PIECES as u64 {
        return Err(too_many());
    }
    Ok(())
}

/// Returns the reason for a file with too many pieces.
fn too_many() -> Unreadable {
    let reason = format!("a sparse file of more than {MAX_PIECES} pieces");
    Unreadable::new(SkipKind::Limit, reason)
}

/// Reads a decimal number that ends with a newline.
fn number(stored: &dyn Content, at: &mut u64) -> Result<u64, Unreadable> {
    let mut buffer = [0; MAX_NUMBER];
    let read = stored.read_at(*at, &mut buffer)?;
    let (text, _) = buffer.split_at(read);
    let digits = text.split(|byte| *byte == b'\n').next().unwrap_or(text);
    if digits.len() == text.len() {
        return Err(broken());
    }
    *at += digits.len() as u64 + 1;
    let digits = std::str::from_utf8(digits).ok();
    digits
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(broken)
}

/// Returns the reason for an impossible map of pieces.
pub(super) fn broken() -> Unreadable {
    Unreadable::new(SkipKind::Broken, "the map of a sparse file is wrong")
}

impl<C: Content> Content for Expanded<C> {
    fn len(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.size.saturating_sub(offset);
        let wanted = usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let (buffer, _) = buffer.split_at_mut(wanted);
        buffer.fill(0);
        let end = offset + wanted as u64;
        let first = self
            .pieces
            .partition_point(|(piece, _)| piece.offset + piece.len <= offset);
        for (piece, place) in self
            .pieces
            .iter()
            .skip(first)
            .take_while(|(piece, _)| piece.offset < end)
        {
            let from = piece.offset.max(offset);
            let to = (piece.offset + piece.len).min(end);
            let range = usize::try_from(from - offset)
                .ok()
                .zip(usize::try_from(to - offset).ok());
            let part = range.and_then(|(from, to)| buffer.get_mut(from..to));
            let part = part.ok_or(io::ErrorKind::InvalidInput)?;
            if self.stored.read_at(place + (from - piece.offset), part)? < part.len() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_zeros_wherever_reading_starts() {
        let mut sparse = Sparse {
            size: 12,
            ..Sparse::default()
        };
        sparse.push(2, 3).unwrap();
        sparse.push(7, 2).unwrap();
        sparse.push(12, 0).unwrap();
        let file = sparse.expand(&b"abcde"[..]).unwrap();
        let whole = b"\0\0abc\0\0de\0\0\0";
        for start in 0..14 {
            for len in 0..14 {
                let mut buffer = vec![9; len];
                let read = file.read_at(start as u64, &mut buffer).unwrap();
                let expected = &whole[start.min(12)..(start + len).min(12).max(start.min(12))];
                assert_eq!(&buffer[..read], expected, "{start} {len}");
            }
        }
    }

    #[test]
    fn maps_that_cannot_be_are_errors() {
        let kind = |pieces: &[(u64, u64)], stored: &'static [u8]| {
            let mut sparse = Sparse {
                size: 10,
                ..Sparse::default()
            };
            pieces
                .iter()
                .for_each(|(offset, len)| sparse.push(*offset, *len).unwrap());
            sparse.expand(stored).err().map(|why| why.kind)
        };
        assert_eq!(kind(&[(0, 2)], b"ab"), None);
        assert_eq!(kind(&[(0, 3)], b"ab"), Some(SkipKind::Truncated));
        for pieces in [
            &[(9, 2)][..],
            &[(5, 1), (2, 1)],
            &[(0, 3), (2, 1)],
            &[(u64::MAX, 2)],
        ] {
            assert_eq!(
                kind(pieces, b"abcdef"),
                Some(SkipKind::Broken),
                "{pieces:?}"
            );
        }
        let listed = |stored: &'static [u8]| {
            let sparse = Sparse {
                size: 10,
                is_listed_in_data: true,
                ..Sparse::default()
            };
            sparse.expand(stored).is_ok()
        };
        assert!(
            !listed(b"")
                && !listed(b"x\n")
                && !listed(b"1\n2\n")
                && !listed(b"99999999999999999999999\n")
        );
    }
}
