//! Buffers for parts of files, reused by the same thread, because allocating memory for each file
//! costs more than reading it.

use std::cell::RefCell;

/// The maximum size of a kept buffer in bytes.
const MAX_KEPT: usize = 3 << 19;

/// The number of buffers that a thread keeps.
const KEPT_PER_THREAD: usize = 2;

thread_local! {
    static KEPT: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// A buffer that returns to its thread when it is dropped. It still holds its previous bytes when it is reused.
pub(crate) struct Scratch(Vec<u8>);

impl Scratch {
    /// Returns a buffer of at least `length` bytes.
    pub(crate) fn of(length: usize) -> Self {
        let kept = KEPT.with_borrow_mut(|kept| {
            let fits = |buffer: &Vec<u8>| buffer.len() >= length;
            let at = kept.iter().position(fits)?;
            Some(kept.swap_remove(at))
        });
        Self(kept.unwrap_or_else(|| vec![0; length]))
    }

    /// Returns the first `length` bytes.
    pub(crate) fn get(&self, length: usize) -> &[u8] {
        self.0.get(..length).unwrap_or(&self.0)
    }

    /// Returns the first `length` bytes for writing.
    pub(crate) fn get_mut(&mut self, length: usize) -> &mut [u8] {
        let length = length.min(self.0.len());
        self.0.split_at_mut(length).0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let buffer = std::mem::take(&mut self.0);
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

    fn kept() -> Vec<usize> {
        KEPT.with_borrow(|kept| kept.iter().map(Vec::len).collect())
    }

    #[test]
    fn the_largest_ones_are_kept_but_not_the_huge() {
        for length in [10, 300, 200, MAX_KEPT + 1] {
            drop((Scratch::of(length), Scratch::of(20)));
        }
        assert_eq!(
            kept(),
            [20, 300],
            "the one of 300 bytes served for 200 as well"
        );
        let small = Scratch::of(100);
        assert_eq!((small.get(100).len(), kept()), (100, vec![20]));
    }
}
