//! A table with keys in one buffer.
//!
//! A merge makes hundreds of short keys and drops all of them at once: an allocation for each would
//! take longer than the rest of the work.

use std::hash::{BuildHasher as _, RandomState};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// A table from strings to small values. Keys cannot be removed.
#[derive(Clone, Debug)]
pub(super) struct KeyTable<V> {
    keys: String,
    slots: HashTable<Slot<V>>,
    /// Seeded at random, since plugins choose the keys.
    hasher: RandomState,
}

/// A value, and where in the buffer its key is.
#[derive(Clone, Copy, Debug)]
struct Slot<V> {
    start: usize,
    end: usize,
    value: V,
}

impl<V> Default for KeyTable<V> {
    fn default() -> Self {
        KeyTable { keys: String::new(), slots: HashTable::new(), hasher: RandomState::new() }
    }
}

impl<V: Copy> KeyTable<V> {
    /// Returns true if the table has the key.
    pub(super) fn contains(&self, key: &str) -> bool {
        let hash = self.hasher.hash_one(key);
        let same = |slot: &Slot<V>| self.keys[slot.start..slot.end] == *key;
        self.slots.find(hash, same).is_some()
    }

    /// Inserts the value. Returns the existing value instead if the key has one.
    pub(super) fn insert_new(&mut self, key: &str, value: V) -> Option<&mut V> {
        let KeyTable { keys, slots, hasher } = self;
        let same = |slot: &Slot<V>| keys[slot.start..slot.end] == *key;
        let rehash = |slot: &Slot<V>| hasher.hash_one(&keys[slot.start..slot.end]);
        match slots.entry(hasher.hash_one(key), same, rehash) {
            Entry::Occupied(known) => Some(&mut known.into_mut().value),
            Entry::Vacant(vacant) => {
                let (start, end) = (keys.len(), keys.len() + key.len());
                vacant.insert(Slot { start, end, value });
                keys.push_str(key);
                None
            }
        }
    }

    /// Returns the keys with their values, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, V)> {
        let keys = &*self.keys;
        self.slots.iter().map(move |slot| (&keys[slot.start..slot.end], slot.value))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_key_table_is_a_map(inserted in prop::collection::vec(("[a-c]{0,3}", 0..9u32), 0..200)) {
            let (mut table, mut map) = (KeyTable::default(), HashMap::new());
            for (key, value) in inserted {
                let known = table.insert_new(&key, value).map(|known| std::mem::replace(known, value));
                prop_assert_eq!(known, map.insert(key, value));
            }
            let all: HashMap<String, u32> = table.iter().map(|(key, value)| (key.to_owned(), value)).collect();
            prop_assert_eq!(&all, &map);
            prop_assert!(map.keys().all(|key| table.contains(key)) && !table.contains("d"));
        }
    }
}
