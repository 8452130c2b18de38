//! Who owns which field of which container.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Conflict, MergeError};
use crate::adjust::marker;
use crate::api::{CompoundFieldOwners, Field, FieldOwners, OwningPlugins};

/// The owners of the fields of every container that an event changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Owners {
    containers: HashMap<String, ContainerOwners>,
}

impl Owners {
    /// Returns what `plugin` claims fields of this container with.
    pub(super) fn claims<'o>(&'o mut self, container_id: &str, plugin: &'o Arc<str>) -> Claims<'o> {
        if !self.containers.contains_key(container_id) {
            let owners = ContainerOwners::default();
            self.containers.insert(container_id.to_owned(), owners);
        }
        let owners = self.containers.get_mut(container_id);
        Claims {
            owners: owners.expect("inserted above"),
            plugin,
        }
    }
}

impl From<Owners> for OwningPlugins {
    fn from(owners: Owners) -> Self {
        let owned =
            |owners: &ContainerOwners| !(owners.simple.is_empty() && owners.keyed.is_empty());
        let containers = owners.containers.into_iter();
        let containers = containers.filter(|(_, owners)| owned(owners));
        let owners = containers.map(|(id, owners)| (id, owners.into())).collect();
        OwningPlugins { owners }
    }
}

/// The owners of the fields of one container.
#[derive(Clone, Debug, Default)]
struct ContainerOwners {
    simple: HashMap<Field, Owner>,
    keyed: HashMap<Field, HashMap<String, Owner>>,
}

impl From<ContainerOwners> for FieldOwners {
    fn from(owners: ContainerOwners) -> Self {
        let simple = owners.simple.into_iter();
        let keyed = owners.keyed.into_iter().map(|(field, entries)| {
            let entries = entries.into_iter();
            let owners = entries.map(|(key, owner)| (key, owner.into())).collect();
            (field as i32, CompoundFieldOwners { owners })
        });
        FieldOwners {
            simple: simple
                .map(|(field, owner)| (field as i32, owner.into()))
                .collect(),
            compound: keyed.collect(),
        }
    }
}

/// The plugin that has set or removed a field or entry.
#[derive(Clone, Debug)]
enum Owner {
    /// It set the field: nobody else may.
    Set(Arc<str>),
    /// It removed what was there: only it may set the field again.
    Removed(Arc<str>),
}

impl Owner {
    fn plugin(&self) -> &Arc<str> {
        match self {
            Owner::Set(plugin) | Owner::Removed(plugin) => plugin,
        }
    }

    /// Returns the plugin that stands in the way of `plugin`. Setting a field twice is a conflict of a plugin with itself.
    fn against(&self, plugin: &Arc<str>) -> Option<&Arc<str>> {
        match self {
            Owner::Removed(owner) if owner == plugin => None,
            Owner::Set(owner) | Owner::Removed(owner) => Some(owner),
        }
    }
}

/// The wire form: the name of the plugin, with the removal marker if the plugin has removed the field.
impl From<Owner> for String {
    fn from(owner: Owner) -> Self {
        match owner {
            Owner::Set(plugin) => plugin.as_ref().to_owned(),
            Owner::Removed(plugin) => marker::mark(&plugin),
        }
    }
}

/// Claims fields of one container for one plugin.
#[derive(Debug)]
pub(super) struct Claims<'o> {
    owners: &'o mut ContainerOwners,
    plugin: &'o Arc<str>,
}

impl Claims<'_> {
    /// Claims a field that has one value.
    pub(super) fn claim(&mut self, field: Field) -> Result<(), MergeError> {
        let owner = self.owners.simple.get(&field);
        self.refuse(owner, field, None)?;
        let owner = Owner::Set(self.plugin.clone());
        self.owners.simple.insert(field, owner);
        Ok(())
    }

    /// Claims one entry of a list or map.
    pub(super) fn claim_entry(&mut self, field: Field, key: &str) -> Result<(), MergeError> {
        let entries = self.owners.keyed.get(&field);
        let owner = entries.and_then(|entries| entries.get(key));
        self.refuse(owner, field, Some(key))?;
        self.own_entry(field, key, Owner::Set(self.plugin.clone()));
        Ok(())
    }

    /// Notes that the plugin removed this field, which gives it the right to set it.
    pub(super) fn remove(&mut self, field: Field) {
        let owner = Owner::Removed(self.plugin.clone());
        self.owners.simple.insert(field, owner);
    }

    /// Notes that the plugin removed this entry, which gives it the right to set it.
    pub(super) fn remove_entry(&mut self, field: Field, key: &str) {
        self.own_entry(field, key, Owner::Removed(self.plugin.clone()));
    }

    /// Adds the plugin to the owners of a field that any number of plugins may add to.
    pub(super) fn share(&mut self, field: Field) {
        let plugin = match self.owners.simple.get(&field) {
            Some(owner) => format!("{},{}", owner.plugin(), self.plugin).into(),
            None => self.plugin.clone(),
        };
        self.owners.simple.insert(field, Owner::Set(plugin));
    }

    fn own_entry(&mut self, field: Field, key: &str, owner: Owner) {
        let entries = self.owners.keyed.entry(field).or_default();
        entries.insert(key.to_owned(), owner);
    }

    fn refuse(
        &self,
        owner: Option<&Owner>,
        field: Field,
        key: Option<&str>,
    ) -> Result<(), MergeError> {
        let Some(other) = owner.and_then(|owner| owner.against(self.plugin)) else {
            return Ok(());
        };
        Err(MergeError::Conflict(Box::new(Conflict {
            plugin: self.plugin.as_ref().to_owned(),
            other: other.as_ref().to_owned(),
            field,
            key: key.map(str::to_owned),
        })))
    }
}
