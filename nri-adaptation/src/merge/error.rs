//! Why the answers of plugins cannot be merged.

use std::fmt;

use nri::api::Field;

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
        write!(
            f,
            "plugins {plugin:?} and {other:?} both tried to set {field}"
        )?;
        match &self.key {
            Some(key) => write!(f, " {key}"),
            None => Ok(()),
        }
    }
}
