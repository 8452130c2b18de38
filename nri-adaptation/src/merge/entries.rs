//! Lists and maps whose entries have a key, and can be removed by it.
//!
//! Entries that a plugin sets are moved into the container that the next plugin sees, and from
//! there into the merged adjustment when all plugins have answered.

use std::collections::BTreeMap;

use super::owners::{Claims, MergeError};
use nri::adjust::marker;
use nri::api::{Field, KeyValue, LinuxDevice, Mount};

/// The number of entries of later plugins that a list gets room for.
const ROOM: usize = 64;

/// An entry of a list that is known by a key.
pub(super) trait ListEntry {
    /// The field that the list is.
    const FIELD: Field;

    /// Returns the key, with the marker if the entry removes another one.
    fn key(&self) -> &str;
}

impl ListEntry for Mount {
    const FIELD: Field = Field::Mounts;

    fn key(&self) -> &str {
        &self.destination
    }
}

impl ListEntry for LinuxDevice {
    const FIELD: Field = Field::Devices;

    fn key(&self) -> &str {
        &self.path
    }
}

impl ListEntry for KeyValue {
    const FIELD: Field = Field::Env;

    fn key(&self) -> &str {
        &self.key
    }
}

/// One plugin's changes of a list.
pub(super) struct ListChange<T> {
    added: Vec<T>,
    /// Sorted by key, one for each key.
    removed: Vec<T>,
}

impl<T: ListEntry> ListChange<T> {
    /// Parts removals from additions. Of several removals of one key, the last counts.
    pub(super) fn new(mut asked: Vec<T>) -> Self {
        let is_removal = |entry: &mut T| marker::removed(entry.key()).is_some();
        let mut removed: Vec<_> = asked.extract_if(.., is_removal).collect();
        removed.reverse();
        removed.sort_by(|one, other| one.key().cmp(other.key()));
        removed.dedup_by(|one, other| one.key() == other.key());
        ListChange { added: asked, removed }
    }

    /// Returns true if it removes any entry.
    pub(super) fn removes_any(&self) -> bool {
        !self.removed.is_empty()
    }

    /// Returns true if it removes the entry of this key, even if it sets the entry again.
    pub(super) fn removes(&self, key: &str) -> bool {
        let found = |removed: &T| marker::key(removed.key()).cmp(key);
        self.removed.binary_search_by(found).is_ok()
    }

    /// Returns the keys that are set, sorted.
    fn set(&self) -> Vec<&str> {
        let mut set: Vec<_> = self.added.iter().map(T::key).collect();
        set.sort_unstable();
        set
    }

    /// Makes room in a list for the entries that are set, and for some of later plugins, so that it
    /// rarely moves.
    pub(super) fn reserve<S>(&self, entries: &mut Vec<S>) {
        let added = self.added.len();
        if entries.capacity() - entries.len() < added {
            entries.reserve(added + ROOM);
        }
    }

    /// Drops those of the first `unowned` entries that are removed or set.
    pub(super) fn drop_unowned<S>(
        &self,
        entries: &mut Vec<S>,
        unowned: &mut usize,
        key: impl Fn(&S) -> &str,
    ) {
        if *unowned == 0 {
            return;
        }
        let set = self.set();
        let is_changed =
            |entry: &mut S| self.removes(key(entry)) || set.binary_search(&key(entry)).is_ok();
        *unowned -= entries.extract_if(..*unowned, is_changed).count();
    }

    /// Drops entries after the first `unowned` that are removed: earlier plugins have set them, and
    /// the plugin may set them now.
    pub(super) fn drop_owned(&self, entries: &mut Vec<T>, unowned: usize, claims: &mut Claims<'_>) {
        let is_removed = |entry: &mut T| self.removes(entry.key());
        for entry in entries.extract_if(unowned.., is_removed) {
            claims.remove_entry(T::FIELD, entry.key());
        }
    }

    /// Claims and adds the entries that the plugin sets. Returns the removals of other entries.
    pub(super) fn add(
        mut self,
        claims: &mut Claims<'_>,
        mut add: impl FnMut(T),
    ) -> Result<Vec<T>, MergeError> {
        let mut removed = std::mem::take(&mut self.removed);
        if !removed.is_empty() {
            let set = self.set();
            removed.retain(|removed| set.binary_search(&marker::key(removed.key())).is_err());
        }
        for entry in self.added {
            claims.claim_entry(T::FIELD, entry.key())?;
            add(entry);
        }
        Ok(removed)
    }
}

/// Merges one plugin's changes of a list. Adds the entries that it sets to `entries`, of which the
/// first `unowned` are those of the request.
///
/// Returns the removals of entries that it does not set.
pub(super) fn merge_list<T: ListEntry>(
    asked: Vec<T>,
    entries: &mut Vec<T>,
    unowned: &mut usize,
    claims: &mut Claims<'_>,
) -> Result<Vec<T>, MergeError> {
    if asked.is_empty() {
        return Ok(asked);
    }
    let change = ListChange::new(asked);
    change.drop_unowned(entries, unowned, T::key);
    if change.removes_any() {
        change.drop_owned(entries, *unowned, claims);
    }
    change.reserve(entries);
    change.add(claims, |entry| entries.push(entry))
}

/// Merges one plugin's changes of a map. Adds the entries that it sets to `entries`, and the keys
/// that mark removals to `removals`.
///
/// As in the reference, a key that is removed and not set again stays in the container that later
/// plugins see.
pub(super) fn merge_map<V: Default>(
    field: Field,
    asked: BTreeMap<String, V>,
    entries: &mut BTreeMap<String, V>,
    removals: &mut BTreeMap<String, V>,
    claims: &mut Claims<'_>,
) -> Result<(), MergeError> {
    let sets = |key: &str| marker::removed(key).is_none() && asked.contains_key(key);
    for removal in asked.keys() {
        if let Some(key) = marker::removed(removal) {
            if sets(key) {
                claims.remove_entry(field, key);
            }
            removals.insert(removal.clone(), V::default());
        }
    }
    for (key, value) in asked {
        if marker::removed(&key).is_none() {
            claims.claim_entry(field, &key)?;
            entries.insert(key, value);
        }
    }
    Ok(())
}
