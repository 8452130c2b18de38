//! The subjects of statements in logs, and the part of a plugin's life that they are about.

/// The subject of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    /// An entry about `StateChange` in `ctr deprecations list`.
    Listed,
    /// An entry about v0.1.0 plugins in this list.
    ListedOneShot,
    /// A plugin.
    Plugin,
    /// A v0.1.0 plugin, which was run.
    OneShot,
    /// A warning about `StateChange` that was truncated, or in an unknown format. It still proves
    /// that there is a plugin.
    Unread,
    /// Such a warning about v0.1.0 plugins.
    UnreadOneShot,
    /// The runtime itself, or a plugin that the message does not name and that serves.
    Runtime,
}

impl Subject {
    /// Returns true for a warning that was truncated, or in an unknown format.
    pub(super) fn is_unread(self) -> bool {
        matches!(self, Self::Unread | Self::UnreadOneShot)
    }
}

/// The part of the life of a plugin that a statement is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    /// The runtime begins to synchronize it, or its own log names it.
    Announced,
    /// It registered.
    Registered,
    /// It was connected and synchronized.
    Connected,
    /// Its connection ended.
    Ended,
    /// It was not accepted.
    Refused,
    /// Anything else.
    #[default]
    Other,
}
