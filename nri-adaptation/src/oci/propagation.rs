//! The propagation of mounts.

/// The propagation of a mount: see `mount_namespaces(7)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// Mounts below it are not propagated.
    Private,
    /// Mounts below it are propagated to its peers and from them.
    Shared,
    /// Mounts below its master are propagated to it, but not the other way round.
    Slave,
}

impl std::fmt::Display for Propagation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Propagation::Private => "private",
            Propagation::Shared => "shared",
            Propagation::Slave => "slave",
        })
    }
}
