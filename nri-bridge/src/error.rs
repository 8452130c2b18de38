//! The errors of the bridge.

use std::io;
use std::path::Path;

/// The class of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The command line, the environment, or the place of the plugin is wrong.
    Config,
    /// The plugin cannot be started.
    Launch,
    /// The plugin ended, answered too late, or broke the protocol.
    Plugin,
    /// The runtime cannot be reached, or broke the protocol.
    Runtime,
    /// A socket cannot be used.
    Io,
}

/// An error with its class and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
    help: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Creates an error; `message` is the fact, in lower case, without what to do about it.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), help: None, source: None }
    }

    /// Creates an error about a file or socket.
    pub(crate) fn of_path(kind: ErrorKind, what: &str, path: &Path, cause: io::Error) -> Self {
        Self::new(kind, format!("{what} {}: {cause}", path.display())).caused_by(cause)
    }

    /// Returns the same error with what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn caused_by(
        mut self,
        cause: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(cause.into());
        self
    }

    /// Returns the class.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns what to do about it, if that is known.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl From<nri::Error> for Error {
    fn from(error: nri::Error) -> Self {
        let kind = match error.kind() {
            nri::ErrorKind::Config => ErrorKind::Config,
            _ => ErrorKind::Runtime,
        };
        let help = error.help().map(str::to_owned);
        Self { help, ..Self::new(kind, error.to_string()).caused_by(error) }
    }
}
