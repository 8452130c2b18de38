//! Buffers for parts of files, reused by the same thread, because allocating memory for each file
//! costs more than reading it.

use std::cell::RefCell;

/// The maximum size of a kept buffer in bytes.
const MAX_KEPT: usize = 3 << 19;

/// The size of a page of memory in bytes. With other sizes of pages, reading is only slower.
const PAGE: usize = 4096;

/// The number of buffers that a thread keeps.
const KEPT_PER_THREAD: usize = 2;

thread_local! {
    static KEPT: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// A buffer that returns to its thread when it is dropped. It still holds its previous bytes when it
/// is reused.
pub(crate) struct Scratch {
    buffer: Vec<u8>,
    start: usize,
}

impl Scratch {
    /// Returns a buffer for `length` bytes at `offset` in a file.
    ///
    /// They get the same place in a page of memory as in the kernel's cache. Processors copy them
    /// five times as slowly to a place just behind it (AMD Zen 3), which is where large buffers of
    /// the C library start.
    pub(crate) fn of(offset: u64, length: usize) -> Self {
        let needed = length.saturating_add(2 * PAGE);
        let kept = KEPT.with_borrow_mut(|kept| {
            let fits = |buffer: &Vec<u8>| buffer.len() >= needed;
            let at = kept.iter().position(fits)?;
            Some(kept.remove(at))
        });
        let buffer = kept.unwrap_or_else(|| vec![0; needed]);
        let page = buffer.as_ptr().align_offset(PAGE).min(PAGE);
        let within = usize::try_from(offset % PAGE as u64).unwrap_or_default();
        Self {
            start: page + within,
            buffer,
        }
    }

    /// Returns the first `length` bytes.
    pub(crate) fn get(&self, length: usize) -> &[u8] {
        let bytes = self.buffer.split_at(self.start).1;
        bytes.get(..length).unwrap_or(bytes)
    }

    /// Returns the first `length` bytes for writing.
    pub(crate) fn get_mut(&mut self, length: usize) -> &mut [u8] {
        let bytes = self.buffer.split_at_mut(self.start).1;
        let length = length.min(bytes.len());
        bytes.split_at_mut(length).0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let buffer = std::mem::take(&mut self.buffer);
        if buffer.len() > MAX_KEPT {
            return;
        }
        // Nothing can be kept while the thread ends.
        let _ = KEPT.try_with(|kept| keep(&mut kept.borrow_mut(), buffer));
    }
}

/// Keeps the largest buffers.
fn keep(kept: &mut Vec<Vec<u8>>, buffer: Vec<u8>) {
    kept.push(buffer);
    kept.sort_by_key(Vec::len);
    if kept.len() > KEPT_PER_THREAD {
        kept.remove(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the sizes of the buffers that are kept, without the bytes for the alignment.
    fn kept() -> Vec<usize> {
        KEPT.with_borrow(|kept| kept.iter().map(|buffer| buffer.len() - 2 * PAGE).collect())
    }

    #[test]
    fn the_largest_ones_are_kept_but_not_the_huge() {
        for length in [10, 300, 200, MAX_KEPT + 1] {
            drop((Scratch::of(0, length), Scratch::of(0, 20)));
        }
        assert_eq!(
            kept(),
            [20, 300],
            "the one of 300 bytes served for 200 as well"
        );
        let small = Scratch::of(0, 100);
        assert_eq!((small.get(100).len(), kept()), (100, vec![20]));
    }

    #[test]
    fn bytes_get_their_place_in_a_page() {
        for offset in [0, 1, 4095, 4096, 123_456_789] {
            let mut buffer = Scratch::of(offset, 5000);
            assert_eq!(buffer.get_mut(5000).len(), 5000);
            let place = buffer.get(5000).as_ptr().addr() as u64;
            assert_eq!(place % PAGE as u64, offset % PAGE as u64);
        }
    }
}
