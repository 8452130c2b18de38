//! The memory that a message may take when it is decoded.
//!
//! An empty message in a list has two bytes on the wire and hundreds in memory, so that a limit on
//! the size of messages does not limit memory.

use std::cell::Cell;

use super::error::{DecodeError, Problem};

/// The bytes of memory that every message may take. With a message of 4 MiB, the largest on the
/// wire, that is below 100 MB. What runtimes and plugins send takes up to 15 times its size, which
/// is the factor of short strings in maps; only hundreds of thousands of empty elements take more.
const LEAST: usize = 88 << 20;

/// The bytes of memory for each byte of a larger message, such as one of Synchronize that came in
/// parts.
const FACTOR: usize = 21;

/// The bytes of memory for each byte of a message of up to 64 KiB from a plugin, in the worst shape
/// that a test finds in the schema.
pub const WORST_FACTOR: usize = 160;

/// The places in a node of a `BTreeMap`, and those that are in use at least.
const MAP_PLACES: usize = 11;
const MAP_PLACES_USED: usize = 5;

/// The overhead of an allocation in bytes.
const HEADER: usize = 16;

/// Returns the bytes of memory that a message of this size may take when it is decoded, without its
/// own struct.
pub fn limit(encoded_len: usize) -> usize {
    encoded_len.saturating_mul(FACTOR).max(LEAST)
}

/// The memory that is left for decoding. Shared by all parts of a message.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: usize,
    left: Cell<usize>,
}

impl Budget {
    /// Creates the budget of a message of this size.
    pub(super) fn of(encoded_len: usize) -> Self {
        Self::with_limit(limit(encoded_len))
    }

    fn with_limit(limit: usize) -> Self {
        Budget { limit, left: Cell::new(limit) }
    }

    /// Takes memory from the budget, before it is allocated.
    pub(super) fn charge(&self, bytes: usize) -> Result<(), DecodeError> {
        match self.left.get().checked_sub(bytes) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(Problem::OverBudget(self.limit).into()),
        }
    }

    /// Takes the memory of a text or of bytes.
    pub(super) fn charge_text(&self, len: usize) -> Result<(), DecodeError> {
        if len == 0 { Ok(()) } else { self.charge_block(len) }
    }

    /// Takes the memory of a block of its own.
    pub(super) fn charge_block(&self, len: usize) -> Result<(), DecodeError> {
        self.charge(len + HEADER)
    }

    /// Takes the memory of the node that a map with `len` entries may need for one more.
    pub(super) fn charge_entry<K, V>(&self, len: usize) -> Result<(), DecodeError> {
        if !len.is_multiple_of(MAP_PLACES_USED) {
            return Ok(());
        }
        // A node also has pointers to those below it.
        let place = size_of::<(K, V)>() + size_of::<usize>();
        self.charge(MAP_PLACES * place + HEADER)
    }

    /// Makes room for one more element of a list, which is moved if it has none. Both blocks exist
    /// until then.
    pub(super) fn make_room<T>(&self, list: &mut Vec<T>) -> Result<(), DecodeError> {
        if list.len() < list.capacity() {
            return Ok(());
        }
        self.grow(list)
    }

    #[inline(never)]
    fn grow<T>(&self, list: &mut Vec<T>) -> Result<(), DecodeError> {
        let before = list.capacity();
        let more = before.max(if size_of::<T>() > 1024 { 1 } else { 4 });
        self.charge((before + more) * size_of::<T>() + HEADER)?;
        list.reserve_exact(more);
        if before > 0 {
            self.left.set(self.left.get() + before * size_of::<T>() + HEADER);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_grows_is_charged_for_what_it_has() {
        let budget = Budget::with_limit(1 << 20);
        let mut list: Vec<[u64; 8]> = Vec::new();
        for _ in 0..1000 {
            budget.make_room(&mut list).unwrap();
            list.push([0; 8]);
        }
        let taken = budget.limit - budget.left.get();
        assert_eq!(taken, list.capacity() * 64 + HEADER);
    }

    #[test]
    fn nothing_is_allocated_above_the_limit() {
        let budget = Budget::with_limit(1 << 20);
        let mut list: Vec<[u64; 128]> = Vec::new();
        let error = loop {
            if let Err(error) = budget.make_room(&mut list) {
                break error;
            }
            list.push([0; 128]);
        };
        assert!(error.is_over_budget(), "{error}");
        assert!(list.capacity() * 1024 <= budget.limit);
    }
}
