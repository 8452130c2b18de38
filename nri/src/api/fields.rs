//! The release that added each field of the messages that plugins and runtimes send. An older peer
//! silently ignores newer fields. Fields that are as old as their message have no row.

#[rustfmt::skip]
mod table;
pub(crate) mod walk;

pub use table::FIELDS;
pub(crate) use walk::{is_outdated, newer_than};

/// A field of a message that a plugin or a runtime sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageField {
    /// The message, such as `LinuxContainerAdjustment`.
    pub message: &'static str,
    /// The name of the field, such as `memory_policy`.
    pub name: &'static str,
    /// The number of the field.
    pub number: u32,
    /// The first release that has the field, such as `v0.12.0`.
    pub since: &'static str,
    /// The message type of the field, if that type has fields in this table; for a map, the type of
    /// its values.
    pub of: Option<&'static str>,
    /// True if it is a map.
    pub is_map: bool,
}

/// A field in use that is too new for a runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Newer {
    /// The path of the field from the message, such as `linux.memory_policy`.
    pub field: String,
    /// The first release that has the field, such as `v0.12.0`.
    pub since: &'static str,
}
