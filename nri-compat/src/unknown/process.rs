//! The reasons why a process that is a plugin by what it does cannot be judged.

use std::fmt;

/// The reason why a process cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownProcess {
    /// It cannot be seen, and is connected to a socket of NRI.
    Hidden,
    /// Its program cannot be judged.
    Program {
        /// Its id.
        pid: u32,
        /// Its command line.
        command: String,
        /// The activity that makes it a plugin.
        activity: PluginActivity,
        /// The reason why its program cannot be judged.
        why: UnknownExecutable,
    },
}

/// The activity that makes a process a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginActivity {
    /// It is connected to this socket of NRI.
    Connected(String),
    /// A runtime started it as a plugin.
    Launched,
}

/// The reason why the program of a process cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownExecutable {
    /// It cannot be read, for this reason.
    Unread(String),
    /// It has no trace of NRI that can be judged.
    NoTrace,
}

impl fmt::Display for UnknownProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hidden => f.write_str(
                "a process that cannot be seen is connected to this NRI socket; run this as root, where the processes of the host are visible",
            ),
            Self::Program { pid, command, activity, why } => {
                write!(f, "process {pid} (`{command}`) {activity}; {why}")
            }
        }
    }
}

impl fmt::Display for PluginActivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connected(socket) => write!(f, "is connected to {socket}"),
            Self::Launched => f.write_str("was started by a runtime as a plugin"),
        }
    }
}

impl fmt::Display for UnknownExecutable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unread(why) => write!(f, "its program cannot be read: {why}"),
            Self::NoTrace => f.write_str(
                "its program has no trace of NRI that can be judged: examine what it runs",
            ),
        }
    }
}
