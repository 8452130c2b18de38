//! Errors that prevent a run. A plugin or runtime that misbehaves is not an error but a result.

use std::error::Error as StdError;
use std::io;
use std::path::{Path, PathBuf};

/// An error that prevents a run from starting or continuing.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    message: String,
    path: Option<PathBuf>,
    help: Option<String>,
    #[source]
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The result of an operation that fails with an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Creates an error from its message.
    pub fn new(message: impl Into<String>) -> Self {
        Error {
            message: message.into(),
            path: None,
            help: None,
            source: None,
        }
    }

    /// Creates the error of an operation on a file.
    pub fn io(doing: &str, path: &Path, error: io::Error) -> Self {
        Error {
            message: format!("cannot {doing} {}: {error}", path.display()),
            path: Some(path.to_owned()),
            help: None,
            source: Some(error.into()),
        }
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Adds a remedy.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns the remedy, if known.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Returns the file concerned, if any.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}
