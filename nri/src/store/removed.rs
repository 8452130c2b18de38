//! The most recently removed ids.

use std::collections::{HashSet, VecDeque};

/// A bounded set of ids that forgets the oldest.
#[derive(Debug, Default)]
pub(super) struct Removed {
    order: VecDeque<String>,
    ids: HashSet<String>,
}

impl Removed {
    pub(super) fn contains(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    pub(super) fn insert(&mut self, id: &str, limit: usize) {
        if limit == 0 || !self.ids.insert(id.to_owned()) {
            return;
        }
        self.order.push_back(id.to_owned());
        if self.order.len() > limit {
            self.order
                .pop_front()
                .inspect(|oldest| _ = self.ids.remove(oldest));
        }
    }

    pub(super) fn forget(&mut self, id: &str) {
        if self.ids.remove(id) {
            self.order.retain(|removed| removed != id);
        }
    }
}
