//! The plugins that own the fields of containers, and the conflicts between them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use super::key_table::KeyTable;
use nri::adjust::marker;
use nri::api::{CompoundFieldOwners, Field, FieldOwners, OwningPlugins};

/// The owners of the fields of every container that an event changes.
///
/// Validators and
/// [`ValidateContainerAdjustmentRequest`](nri::api::ValidateContainerAdjustmentRequest) get them as
/// [`OwningPlugins`]: `OwningPlugins::from(&owners)`.
#[derive(Clone, Debug, Default)]
pub struct Owners {
    plugins: Vec<Box<str>>,
    containers: BTreeMap<String, Fields>,
}

/// The owners of the fields of one container, by the number of the field.
#[derive(Clone, Debug, Default)]
struct Fields {
    /// As validators get them: the name of the plugin that has set a field, with the removal marker
    /// if it has removed the field and not set it again, or several names if all of them may add to
    /// it.
    simple: BTreeMap<i32, String>,
    compound: BTreeMap<i32, KeyTable<Owner>>,
}

/// The owner of one entry of a list or map. Small, since there is one for each entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    /// Index in [`Owners::plugins`].
    plugin: usize,
    /// True if the plugin has removed the entry and not set it again.
    removed: bool,
}

impl Owners {
    /// Returns what `plugin` claims fields of this container with.
    pub(super) fn claims<'o>(&'o mut self, container_id: &str, plugin: &'o str) -> Claims<'o> {
        let index = self.index(plugin);
        if !self.containers.contains_key(container_id) {
            self.containers.insert(container_id.to_owned(), Fields::default());
        }
        let fields = self.containers.get_mut(container_id);
        Claims { fields: fields.expect("inserted above"), plugins: &self.plugins, plugin, index }
    }

    /// Returns the owned entries of a list or map of this container, if there are any.
    pub(super) fn owned(&self, container_id: &str, field: Field) -> Option<&KeyTable<Owner>> {
        let fields = self.containers.get(container_id)?;
        fields.compound.get(&(field as i32))
    }

    /// Returns the index of this plugin, which usually is the one that was added last.
    fn index(&mut self, plugin: &str) -> usize {
        let known = self.plugins.iter().rposition(|known| **known == *plugin);
        known.unwrap_or_else(|| {
            self.plugins.push(plugin.into());
            self.plugins.len() - 1
        })
    }
}

impl From<&Owners> for OwningPlugins {
    fn from(owners: &Owners) -> Self {
        OwningPlugins {
            owners: owners
                .containers
                .iter()
                .filter(|(_, fields)| !fields.is_empty())
                .map(|(id, fields)| (id.clone(), fields.to_message(&owners.plugins)))
                .collect(),
        }
    }
}

/// Compares what validators get.
impl PartialEq for Owners {
    fn eq(&self, other: &Self) -> bool {
        OwningPlugins::from(self) == OwningPlugins::from(other)
    }
}

impl Fields {
    fn is_empty(&self) -> bool {
        self.simple.is_empty() && self.compound.is_empty()
    }

    fn to_message(&self, plugins: &[Box<str>]) -> FieldOwners {
        let entry = |(key, owner): (&str, Owner)| (key.to_owned(), owner.name(plugins));
        let field = |(field, entries): (&i32, &KeyTable<Owner>)| {
            let owners = entries.iter().map(entry).collect();
            (*field, CompoundFieldOwners { owners })
        };
        FieldOwners {
            simple: self.simple.clone(),
            compound: self.compound.iter().map(field).collect(),
        }
    }
}

impl Owner {
    /// Returns the name of the plugin, with the removal marker if it has removed the entry.
    fn name(self, plugins: &[Box<str>]) -> String {
        let plugin = &*plugins[self.plugin];
        if self.removed { marker::mark(plugin) } else { plugin.to_owned() }
    }
}

/// Claims fields of one container for one plugin.
#[derive(Debug)]
pub(super) struct Claims<'o> {
    fields: &'o mut Fields,
    plugins: &'o [Box<str>],
    plugin: &'o str,
    /// Index of the plugin in `plugins`.
    index: usize,
}

impl Claims<'_> {
    /// Claims a field that has one value.
    pub(super) fn claim(&mut self, field: Field) -> Result<(), MergeError> {
        match self.fields.simple.entry(field as i32) {
            Entry::Vacant(owner) => {
                owner.insert(self.plugin.to_owned());
            }
            Entry::Occupied(mut owner) if marker::removed(owner.get()) == Some(self.plugin) => {
                owner.insert(self.plugin.to_owned());
            }
            Entry::Occupied(owner) => {
                let other = marker::key(owner.get());
                return Err(conflict(self.plugin, other, field, None));
            }
        }
        Ok(())
    }

    /// Claims one entry of a list or map.
    pub(super) fn claim_entry(&mut self, field: Field, key: &str) -> Result<(), MergeError> {
        let removal = self.removal();
        let entries = self.fields.compound.entry(field as i32).or_default();
        let claimed = Owner { plugin: self.index, removed: false };
        match entries.insert_new(key, claimed) {
            None => Ok(()),
            Some(owner) if *owner == removal => {
                *owner = claimed;
                Ok(())
            }
            Some(owner) => {
                let other = &self.plugins[owner.plugin];
                Err(conflict(self.plugin, other, field, Some(key)))
            }
        }
    }

    /// Notes that the plugin removed this field, which gives it the right to set it.
    pub(super) fn remove(&mut self, field: Field) {
        let owner = marker::mark(self.plugin);
        self.fields.simple.insert(field as i32, owner);
    }

    /// Notes that the plugin removed this entry, which gives it the right to set it.
    pub(super) fn remove_entry(&mut self, field: Field, key: &str) {
        let removal = self.removal();
        let entries = self.fields.compound.entry(field as i32).or_default();
        if let Some(owner) = entries.insert_new(key, removal) {
            *owner = removal;
        }
    }

    /// Adds the plugin to the owners of a field that any number of plugins may add to.
    pub(super) fn share(&mut self, field: Field) {
        let owners = self.fields.simple.entry(field as i32).or_default();
        if !owners.is_empty() {
            owners.push(',');
        }
        owners.push_str(self.plugin);
    }

    fn removal(&self) -> Owner {
        Owner { plugin: self.index, removed: true }
    }
}

fn conflict(plugin: &str, other: &str, field: Field, key: Option<&str>) -> MergeError {
    MergeError::Conflict(Box::new(Conflict {
        plugin: plugin.to_owned(),
        other: other.to_owned(),
        field,
        key: key.map(str::to_owned),
    }))
}

/// Why the answer of a plugin cannot be merged with those before it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// Two plugins set the same field.
    #[error("{0}")]
    Conflict(Box<Conflict>),
    /// A plugin answered CreateContainer with an update of the container that is being created.
    #[error(
        "plugin {plugin:?} asked for an update of container {container_id:?}, which is being created"
    )]
    UpdateDuringCreation {
        /// The plugin, with its index: `10-name`.
        plugin: String,
        /// The id of the container that is being created.
        container_id: String,
    },
}

impl MergeError {
    /// Returns the conflict between two plugins, if it is one.
    pub fn conflict(&self) -> Option<&Conflict> {
        match self {
            MergeError::Conflict(conflict) => Some(conflict),
            MergeError::UpdateDuringCreation { .. } => None,
        }
    }
}

/// Two plugins that set the same field, or the same entry of a list or map.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conflict {
    /// The plugin that came second, with its index: `10-name`.
    pub plugin: String,
    /// The plugin that owns the field. The same plugin if one answer sets the field twice.
    pub other: String,
    /// The field that both plugins set.
    pub field: Field,
    /// The entry, such as the destination of a mount; `None` for a field of one value.
    pub key: Option<String>,
}

/// Reads as the reference words it.
impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (plugin, other, field) = (&self.plugin, &self.other, self.field.as_str_name());
        write!(f, "plugins {plugin:?} and {other:?} both tried to set {field}")?;
        match &self.key {
            Some(key) => write!(f, " {key}"),
            None => Ok(()),
        }
    }
}
