//! Known and removed items of one kind, by id.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use crate::store::SightingKind;
use crate::store::removed::Removed;

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
    refused: u64,
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

    pub(super) fn see(&mut self, id: &str, value: &T) -> SightingKind {
        self.keep(id, value, false)
    }

    pub(super) fn stop(&mut self, id: &str, value: &T) -> SightingKind {
        self.keep(id, value, true)
    }

    fn keep(&mut self, id: &str, value: &T, stop: bool) -> SightingKind {
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
        } else {
            self.refuse();
        }
    }

    fn refuse(&mut self) {
        if self.refused == 0 {
            tracing::warn!(
                limit = self.limit,
                "the pod store is full, no more {} are kept",
                self.kind
            );
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

    pub(super) fn get(&self, id: &str) -> Option<&Arc<T>> {
        self.items.get(id).map(|item| &item.value)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<T>> {
        self.items.values().map(|item| &item.value)
    }

    pub(super) fn refused(&self) -> u64 {
        self.refused
    }
}
