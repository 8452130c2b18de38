//! Who owns which field of which container.

use std::collections::btree_map::Entry;

use super::{Conflict, MergeError};
use crate::adjust::marker;
use crate::api::{Field, FieldOwners, OwningPlugins};

/// The owners of the fields of every container that an event changes.
///
/// They are kept as validators get them: the name of the plugin that has set a field, with the removal marker if it has
/// removed the field and not set it again.
#[derive(Clone, Debug, Default)]
pub(super) struct Owners(OwningPlugins);

impl Owners {
    /// Returns what `plugin` claims fields of this container with.
    pub(super) fn claims<'o>(&'o mut self, container_id: &str, plugin: &'o str) -> Claims<'o> {
        let containers = &mut self.0.owners;
        if !containers.contains_key(container_id) {
            containers.insert(container_id.to_owned(), FieldOwners::default());
        }
        let owners = containers.get_mut(container_id);
        Claims {
            owners: owners.expect("inserted above"),
            plugin,
        }
    }

    /// Returns the keys of the owned entries of a list or map of this container, in order.
    pub(super) fn keys(&self, container_id: &str, field: Field) -> impl Iterator<Item = &String> {
        let fields = self.0.owners.get(container_id);
        let entries = fields.and_then(|fields| fields.compound.get(&(field as i32)));
        entries
            .into_iter()
            .flat_map(|entries| entries.owners.keys())
    }
}

impl From<Owners> for OwningPlugins {
    fn from(Owners(mut owners): Owners) -> Self {
        owners
            .owners
            .retain(|_, fields| !(fields.simple.is_empty() && fields.compound.is_empty()));
        owners
    }
}

/// Claims fields of one container for one plugin.
#[derive(Debug)]
pub(super) struct Claims<'o> {
    owners: &'o mut FieldOwners,
    plugin: &'o str,
}

impl Claims<'_> {
    /// Claims a field that has one value.
    pub(super) fn claim(&mut self, field: Field) -> Result<(), MergeError> {
        let owner = self.owners.simple.entry(field as i32);
        take(owner, self.plugin).map_err(|other| conflict(self.plugin, other, field, None))
    }

    /// Claims one entry of a list or map.
    pub(super) fn claim_entry(&mut self, field: Field, key: &str) -> Result<(), MergeError> {
        let entries = self.owners.compound.entry(field as i32).or_default();
        let owner = entries.owners.entry(key.to_owned());
        take(owner, self.plugin).map_err(|other| conflict(self.plugin, other, field, Some(key)))
    }

    /// Notes that the plugin removed this field, which gives it the right to set it.
    pub(super) fn remove(&mut self, field: Field) {
        let owner = marker::mark(self.plugin);
        self.owners.simple.insert(field as i32, owner);
    }

    /// Notes that the plugin removed this entry, which gives it the right to set it.
    pub(super) fn remove_entry(&mut self, field: Field, key: &str) {
        let entries = self.owners.compound.entry(field as i32).or_default();
        entries
            .owners
            .insert(key.to_owned(), marker::mark(self.plugin));
    }

    /// Adds the plugin to the owners of a field that any number of plugins may add to.
    pub(super) fn share(&mut self, field: Field) {
        let owners = self.owners.simple.entry(field as i32).or_default();
        if !owners.is_empty() {
            owners.push(',');
        }
        owners.push_str(self.plugin);
    }
}

/// Makes the plugin the owner.
///
/// # Errors
///
/// Returns the owner that stands in the way, which is the plugin itself if it sets a field twice.
fn take<K: Ord>(owner: Entry<'_, K, String>, plugin: &str) -> Result<(), String> {
    match owner {
        Entry::Vacant(owner) => {
            owner.insert(plugin.to_owned());
        }
        Entry::Occupied(mut owner) if marker::removed(owner.get()) == Some(plugin) => {
            owner.insert(plugin.to_owned());
        }
        Entry::Occupied(owner) => return Err(marker::key(owner.get()).to_owned()),
    }
    Ok(())
}

fn conflict(plugin: &str, other: String, field: Field, key: Option<&str>) -> MergeError {
    MergeError::Conflict(Box::new(Conflict {
        plugin: plugin.to_owned(),
        other,
        field,
        key: key.map(str::to_owned),
    }))
}
