//! The kinds of Linux namespaces.

/// A kind of Linux namespace, named as in the OCI runtime specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NamespaceKind {
    /// Control groups.
    Cgroup,
    /// System V IPC and POSIX message queues.
    Ipc,
    /// Mounts.
    Mount,
    /// Network.
    Network,
    /// Processes.
    Pid,
    /// Clocks.
    Time,
    /// Users and groups.
    User,
    /// Host and domain name.
    Uts,
}

impl NamespaceKind {
    /// All kinds, in the order of their names.
    pub const ALL: [NamespaceKind; 8] = [
        Self::Cgroup,
        Self::Ipc,
        Self::Mount,
        Self::Network,
        Self::Pid,
        Self::Time,
        Self::User,
        Self::Uts,
    ];

    /// Returns the name in messages and in OCI configurations.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cgroup => "cgroup",
            Self::Ipc => "ipc",
            Self::Mount => "mount",
            Self::Network => "network",
            Self::Pid => "pid",
            Self::Time => "time",
            Self::User => "user",
            Self::Uts => "uts",
        }
    }

    /// Returns the kind with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}
