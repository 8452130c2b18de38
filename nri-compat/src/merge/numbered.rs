//! Values with numbers, so that each distinct value is stored once.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Values, numbered in the order in which they were added.
#[derive(Debug)]
pub(super) struct Numbered<T> {
    numbers: BTreeMap<Arc<T>, u32>,
    values: Vec<Arc<T>>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self {
            numbers: BTreeMap::new(),
            values: Vec::new(),
        }
    }
}

impl<T: Ord> Numbered<T> {
    /// Returns the number of a value; `None` for a new one if there are already `limit` values.
    pub(super) fn number(&mut self, value: T, limit: usize) -> Option<u32> {
        if let Some(known) = self.numbers.get(&value) {
            return Some(*known);
        }
        let next = u32::try_from(self.values.len()).ok();
        let next = next.filter(|_| self.values.len() < limit)?;
        let value = Arc::new(value);
        self.values.push(value.clone());
        self.numbers.insert(value, next);
        Some(next)
    }

    /// Returns the value with a number.
    pub(super) fn get(&self, number: u32) -> Option<&T> {
        self.values.get(number as usize).map(Arc::as_ref)
    }
}
