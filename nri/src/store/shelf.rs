//! Known and removed items of one kind, by id.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;

use super::{Delta, SightingKind};
use crate::lifecycle::EventKind;

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
    id: fn(&T) -> &String,
    items: BTreeMap<String, Item<T>>,
    limit: usize,
    /// The ids of removed items, the oldest first, at most `removed_limit`.
    removed: VecDeque<String>,
    removed_limit: usize,
    /// How many sightings could not be stored.
    pub(super) refused: u64,
}

impl<T: Clone + PartialEq> Shelf<T> {
    pub(super) fn new(
        kind: &'static str,
        id: fn(&T) -> &String,
        limit: usize,
        removed_limit: usize,
    ) -> Self {
        Shelf {
            kind,
            id,
            items: BTreeMap::new(),
            limit,
            removed: VecDeque::new(),
            removed_limit,
            refused: 0,
        }
    }

    /// Records an event that has this effect on the item.
    pub(super) fn see(&mut self, value: &T, kind: EventKind) -> SightingKind {
        let id = (self.id)(value);
        let is_stop = kind == EventKind::Stop;
        if kind == EventKind::Removal {
            self.remove(id)
        } else if let Some(item) = self.items.get_mut(id) {
            item.refresh(value);
            let was_stopped = item.stopped;
            item.stopped |= is_stop;
            if is_stop && was_stopped { SightingKind::Repeated } else { SightingKind::Known }
        } else if self.removed.contains(id) {
            SightingKind::Gone
        } else {
            self.insert(Arc::new(value.clone()), is_stop);
            SightingKind::First
        }
    }

    /// Ignores empty ids, which could not be looked up.
    fn insert(&mut self, value: Arc<T>, stopped: bool) {
        let id = (self.id)(&value);
        if self.items.len() < self.limit && !id.is_empty() {
            self.items.insert(id.clone(), Item { value, stopped });
            return;
        }
        if self.refused == 0 {
            let (limit, kind) = (self.limit, self.kind);
            tracing::warn!(limit, "the pod store is full, no more {kind} are kept");
        }
        self.refused += 1;
    }

    fn remove(&mut self, id: &String) -> SightingKind {
        let known = self.items.remove(id).is_some();
        // A known item is not among the removed ones, of which there may be thousands.
        let before = !known && self.removed.contains(id);
        if !before && !id.is_empty() {
            self.removed.push_back(id.clone());
        }
        if self.removed.len() > self.removed_limit {
            self.removed.pop_front();
        }
        match (known, before) {
            (true, _) => SightingKind::Known,
            (false, true) => SightingKind::Gone,
            (false, false) => SightingKind::First,
        }
    }

    /// Removes all items for which `is_removed` is true.
    pub(super) fn remove_all(&mut self, is_removed: impl Fn(&T) -> bool) {
        for value in self.all(is_removed) {
            self.remove((self.id)(&value));
        }
    }

    /// Records a full list, which is authoritative, even for removed items. Forgets items that are
    /// not listed first, to make room for those that are.
    pub(super) fn synchronize(&mut self, list: &[T]) -> Delta<T> {
        let mut listed: HashSet<&String> = list.iter().map(self.id).collect();
        self.removed.retain(|id| !listed.contains(id));
        let vanished = self.all(|value| !listed.contains((self.id)(value)));
        self.items.retain(|id, _| listed.contains(id));
        let (mut known, mut new) = (Vec::new(), Vec::new());
        for value in list {
            let id = (self.id)(value);
            if !listed.remove(id) {
                continue; // It is listed twice.
            }
            if let Some(item) = self.items.get_mut(id) {
                item.refresh(value);
                known.push(Arc::clone(&item.value));
            } else {
                let value = Arc::new(value.clone());
                self.insert(Arc::clone(&value), false);
                new.push(value);
            }
        }
        Delta { new, known, vanished }
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.items.contains_key(id)
    }

    pub(super) fn get(&self, id: &str) -> Option<Arc<T>> {
        self.items.get(id).map(|item| Arc::clone(&item.value))
    }

    /// Returns the items for which `is_wanted` is true, ordered by id.
    pub(super) fn all(&self, is_wanted: impl Fn(&T) -> bool) -> Vec<Arc<T>> {
        self.items
            .values()
            .map(|item| &item.value)
            .filter(|value| is_wanted(value))
            .cloned()
            .collect()
    }
}
