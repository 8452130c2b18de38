//! Known and removed items of one kind, by id.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;

use super::SightingKind;

#[derive(Debug)]
struct Item<T> {
    value: Arc<T>,
    stopped: bool,
}

impl<T: Clone + PartialEq> Item<T> {
    /// Copies nothing if the value is unchanged, as in most events.
    fn refresh(&mut self, value: &T) {
        if *self.value != *value {
            self.value = Arc::new(value.clone());
        }
    }
}

/// Items of one kind, at most `limit`.
#[derive(Debug)]
pub(super) struct Shelf<T> {
    kind: &'static str,
    items: BTreeMap<String, Item<T>>,
    limit: usize,
    removed: Removed,
    removed_limit: usize,
    /// How many sightings could not be stored.
    pub(super) refused: u64,
}

impl<T: Clone + PartialEq> Shelf<T> {
    pub(super) fn new(kind: &'static str, limit: usize, removed_limit: usize) -> Self {
        Shelf {
            kind,
            items: BTreeMap::new(),
            limit,
            removed: Removed::default(),
            removed_limit,
            refused: 0,
        }
    }

    /// Records an event of an item. `stop` is true if the event stops it.
    pub(super) fn see(&mut self, id: &str, value: &T, stop: bool) -> SightingKind {
        if let Some(item) = self.items.get_mut(id) {
            item.refresh(value);
            let repeated = stop && item.stopped;
            item.stopped |= stop;
            return if repeated {
                SightingKind::Repeated
            } else {
                SightingKind::Known
            };
        }
        if self.removed.contains(id) {
            return SightingKind::Gone;
        }
        self.insert(id, Arc::new(value.clone()), stop);
        SightingKind::First
    }

    /// Ignores empty ids, which could not be looked up.
    fn insert(&mut self, id: &str, value: Arc<T>, stopped: bool) {
        if self.items.len() < self.limit && !id.is_empty() {
            self.items.insert(id.to_owned(), Item { value, stopped });
            return;
        }
        if self.refused == 0 {
            let (limit, kind) = (self.limit, self.kind);
            tracing::warn!(limit, "the pod store is full, no more {kind} are kept");
        }
        self.refused += 1;
    }

    pub(super) fn remove(&mut self, id: &str) -> SightingKind {
        if id.is_empty() {
            return SightingKind::First;
        }
        let known = self.items.remove(id).is_some();
        let before = self.removed.contains(id);
        self.removed.insert(id, self.removed_limit);
        match (known, before) {
            (true, _) => SightingKind::Known,
            (false, true) => SightingKind::Gone,
            (false, false) => SightingKind::First,
        }
    }

    /// Records an item of a full list, which is authoritative, even for removed items. Returns true
    /// if it was known.
    pub(super) fn list(&mut self, id: &str, value: &T) -> (bool, Arc<T>) {
        if let Entry::Occupied(mut entry) = self.items.entry(id.to_owned()) {
            entry.get_mut().refresh(value);
            return (true, entry.get().value.clone());
        }
        self.removed.forget(id);
        let value = Arc::new(value.clone());
        self.insert(id, value.clone(), false);
        (false, value)
    }

    /// Forgets items for which `keep` is false, without recording them as removed.
    pub(super) fn forget_unless(&mut self, keep: impl Fn(&str) -> bool) -> Vec<Arc<T>> {
        let (kept, forgotten) = std::mem::take(&mut self.items)
            .into_iter()
            .partition(|(id, _)| keep(id));
        self.items = kept;
        let forgotten: BTreeMap<String, Item<T>> = forgotten;
        forgotten.into_values().map(|item| item.value).collect()
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.items.contains_key(id)
    }

    pub(super) fn get(&self, id: &str) -> Option<Arc<T>> {
        self.items.get(id).map(|item| Arc::clone(&item.value))
    }

    pub(super) fn all(&self) -> Vec<Arc<T>> {
        let values = self.items.values();
        values.map(|item| Arc::clone(&item.value)).collect()
    }
}

/// A bounded set of ids that forgets the oldest.
#[derive(Debug, Default)]
struct Removed {
    order: VecDeque<String>,
    ids: HashSet<String>,
}

impl Removed {
    fn contains(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    fn insert(&mut self, id: &str, limit: usize) {
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

    fn forget(&mut self, id: &str) {
        if self.ids.remove(id) {
            self.order.retain(|removed| removed != id);
        }
    }
}
