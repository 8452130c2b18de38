//! Part of content, as content.

use std::io;

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
        let wanted = usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let (buffer, _) = buffer.split_at_mut(wanted);
        match self.start.checked_add(offset) {
            Some(place) => self.base.read_at(place, buffer),
            None => Ok(0),
        }
    }
}
