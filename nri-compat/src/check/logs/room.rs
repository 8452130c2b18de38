//! The memory that the records of a line may take. Each record inherits the fields of the wrappers
//! around it, so that a long value beside many short messages would be copied for each.

use std::cell::Cell;

use super::record::{Record, inherit};

/// The bytes of memory that the records of any line may take.
const LEAST: usize = 16 << 20;

/// The bytes of memory for each byte of a longer line. Those of exports take about five.
const FACTOR: usize = 16;

/// The bytes of memory of a record and of the statement that it makes, without texts.
const RECORD: usize = 600;

/// The memory that is left for the records of a line. Once it is not enough, nothing is left.
#[derive(Debug)]
pub(super) struct Room(Cell<usize>);

impl Room {
    /// Returns the memory for a line.
    pub(super) fn of_line(line: &str) -> Self {
        Self(Cell::new(LEAST.max(line.len().saturating_mul(FACTOR))))
    }

    /// Takes the memory of `copies` copies of a record. Returns false if less is left.
    pub(super) fn take(&self, record: &Record, copies: usize) -> bool {
        self.take_bytes((RECORD + texts(record)).saturating_mul(copies))
    }

    fn take_bytes(&self, bytes: usize) -> bool {
        let left = self.0.get().checked_sub(bytes);
        self.0.set(left.unwrap_or_default());
        left.is_some()
    }

    /// Returns false once memory was asked for that was not left.
    pub(super) fn is_enough(&self) -> bool {
        self.0.get() > 0
    }

    /// Adds what a wrapper says to the records in it, as far as there is memory for it.
    pub(super) fn inherit<'r>(
        &self,
        records: impl ExactSizeIterator<Item = &'r mut Record>,
        wrapper: &Record,
    ) {
        if self.take_bytes(texts(wrapper).saturating_mul(records.len())) {
            records.for_each(|record| inherit(record, wrapper));
        }
    }
}

/// Returns the bytes of the texts in a record.
fn texts(record: &Record) -> usize {
    record.values().map(String::len).sum()
}
