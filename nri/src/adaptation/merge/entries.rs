//! Lists and maps whose entries have a key, and can be removed by it.

use std::collections::{BTreeMap, BTreeSet};

use super::MergeError;
use super::owners::Claims;
use crate::adjust::marker;
use crate::api::{Field, KeyValue, LinuxDevice, Mount};

/// An entry of a list that is known by a key.
pub(super) trait Entry: Clone {
    /// The field that the list is.
    const FIELD: Field;

    /// Returns the key, with the marker if the entry removes another one.
    fn key(&self) -> &str;
}

impl Entry for Mount {
    const FIELD: Field = Field::Mounts;

    fn key(&self) -> &str {
        &self.destination
    }
}

impl Entry for LinuxDevice {
    const FIELD: Field = Field::Devices;

    fn key(&self) -> &str {
        &self.path
    }
}

impl Entry for KeyValue {
    const FIELD: Field = Field::Env;

    fn key(&self) -> &str {
        &self.key
    }
}

/// One plugin's changes of a list.
pub(super) struct ListChange<T> {
    added: Vec<T>,
    removed: BTreeMap<String, T>,
    changed: BTreeSet<String>,
}

impl<T: Entry> ListChange<T> {
    /// Parts removals from additions.
    pub(super) fn new(entries: Vec<T>) -> Self {
        let mut change = ListChange {
            added: Vec::with_capacity(entries.len()),
            removed: BTreeMap::new(),
            changed: BTreeSet::new(),
        };
        for entry in entries {
            if let Some(key) = marker::removed(entry.key()) {
                change.removed.insert(key.to_owned(), entry);
            } else {
                change.changed.insert(entry.key().to_owned());
                change.added.push(entry);
            }
        }
        change
    }

    /// Merges the change into what the plugins before it have asked for.
    pub(super) fn merge(
        &self,
        collected: &mut Vec<T>,
        claims: &mut Claims<'_>,
    ) -> Result<(), MergeError> {
        collected.retain(|entry| {
            let removed = self.removed.contains_key(entry.key());
            if removed {
                claims.remove_entry(T::FIELD, entry.key());
            }
            !removed
        });
        for entry in &self.added {
            claims.claim_entry(T::FIELD, entry.key())?;
            collected.push(entry.clone());
        }
        Ok(())
    }

    /// Returns the removals of entries that the plugin does not replace.
    pub(super) fn removals(&self) -> impl Iterator<Item = &T> {
        let removed = self.removed.iter();
        removed
            .filter(|(key, _)| !self.changed.contains(*key))
            .map(|(_, entry)| entry)
    }

    /// Returns true if the entry of this key is removed or replaced.
    pub(super) fn touches(&self, key: &str) -> bool {
        self.removed.contains_key(key) || self.changed.contains(key)
    }

    /// Returns the entries that are added or replaced.
    pub(super) fn into_added(self) -> Vec<T> {
        self.added
    }
}

/// Merges one plugin's changes of a map into the container and into what the plugins before it have asked for.
///
/// As in the reference, a key that is removed and not set again stays in the container that later plugins see.
pub(super) fn merge_map<V: Clone + Default>(
    field: Field,
    entries: BTreeMap<String, V>,
    container: &mut BTreeMap<String, V>,
    collected: &mut BTreeMap<String, V>,
    claims: &mut Claims<'_>,
) -> Result<(), MergeError> {
    let (removals, entries): (BTreeMap<_, _>, BTreeMap<_, _>) = entries
        .into_iter()
        .partition(|(key, _)| marker::removed(key).is_some());
    for removal in removals.into_keys() {
        let key = marker::key(&removal);
        if entries.contains_key(key) {
            claims.remove_entry(field, key);
            container.remove(key);
        }
        collected.insert(removal, V::default());
    }
    for (key, value) in entries {
        claims.claim_entry(field, &key)?;
        container.insert(key.clone(), value.clone());
        collected.insert(key, value);
    }
    Ok(())
}
