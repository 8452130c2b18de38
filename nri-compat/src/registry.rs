//! A client of image registries: references, credentials, and verified downloads.
//!
//! It implements the pull part of the [distribution specification] and is independent of plugins.
//! Manifests and tokens are read into memory up to a limit. Blobs are copied to temporary files, and read
//! only if their size and their digest are right.
//!
//! Credentials are sent only to the registry that they are stored for, and to the token server that
//! this registry names over a verified connection.
//!
//! [distribution specification]: https://github.com/opencontainers/distribution-spec/blob/main/spec.md

mod auth;
mod client;
mod credentials;
mod http;
mod options;
mod reference;

use std::fmt;
use std::time::Duration;

use crate::skipped::{SkipKind, Unreadable};

pub use auth::{Challenge, challenges, token_of};
pub use client::Client;
pub use options::{Environment, Limits, Options};
pub use reference::{Digest, Reference};

/// An error of a registry or of the connection to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: SkipKind,
    message: String,
    /// The pause after which the same request may succeed, zero if the server states none; `None` if
    /// it would fail again.
    retry_after: Option<Duration>,
}

impl Error {
    pub(crate) fn new(kind: SkipKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retry_after: None,
        }
    }

    /// Returns an error after which the same request may succeed.
    fn temporary(message: impl Into<String>) -> Self {
        Self {
            retry_after: Some(Duration::ZERO),
            ..Self::new(SkipKind::Io, message)
        }
    }

    /// Returns the error for an answer with this status, whose server asks for this pause.
    fn of_status(status: u16, message: String, pause: Option<Duration>) -> Self {
        match status {
            401 | 403 => Self::new(SkipKind::Permission, message),
            404 => Self::new(SkipKind::NotFound, message),
            408 | 429 | 500..=599 => Self {
                retry_after: Some(pause.unwrap_or_default()),
                ..Self::new(SkipKind::Io, message)
            },
            _ => Self::new(SkipKind::Broken, message),
        }
    }

    /// Adds the next step.
    pub(crate) fn with_help(mut self, help: impl AsRef<str>) -> Self {
        self.message.push_str("; ");
        self.message.push_str(help.as_ref());
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> SkipKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<Error> for Unreadable {
    fn from(error: Error) -> Self {
        Self::new(error.kind, error.message)
    }
}
