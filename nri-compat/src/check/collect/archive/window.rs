//! A part of a content as a content of its own, and contents as streams.

use std::io::{self, Read};

use crate::check::content::Content;

/// `len` bytes from `start` on.
pub(super) struct Window<'c> {
    pub(super) base: &'c dyn Content,
    pub(super) start: u64,
    pub(super) len: u64,
}

impl Content for Window<'_> {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.len.saturating_sub(offset);
        let most = usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
        match (self.start.checked_add(offset), buffer.get_mut(..most)) {
            (Some(place), Some(buffer)) => self.base.read_at(place, buffer),
            _ => Ok(0),
        }
    }
}

/// Reads a content from its beginning.
pub(super) struct Stream<'c> {
    pub(super) content: &'c dyn Content,
    pub(super) at: u64,
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.content.read_at(self.at, buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}
