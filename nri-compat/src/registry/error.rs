//! Errors of the registry client, with remedies.

use std::fmt;

/// An error of a registry or of the connection to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    status: Option<u16>,
    help: Option<String>,
}

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not an image reference.
    Reference,
    /// The options, credentials or certificates of this machine cannot be used.
    Configuration,
    /// The registry cannot be reached.
    Unreachable,
    /// The connection cannot be secured.
    Tls,
    /// A time limit was exceeded.
    Timeout,
    /// The registry does not have the image or blob.
    NotFound,
    /// The registry requires credentials, or other ones.
    Unauthorized,
    /// The credentials are not sufficient.
    Denied,
    /// Too many requests.
    RateLimited,
    /// The registry failed.
    Server,
    /// The answer breaks the protocol.
    Protocol,
    /// The answer exceeds a limit.
    TooLarge,
    /// Content does not match its digest or its size.
    Digest,
    /// There is no image for the platform.
    Platform,
    /// The reference names something other than an image.
    NotAnImage,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            status: None,
            help: None,
        }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(super) fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the status of the answer, if there was one.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// Returns the next step, if known.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Returns true if the same request may succeed later.
    pub(super) fn is_temporary(&self) -> bool {
        match self.kind {
            ErrorKind::Unreachable
            | ErrorKind::Timeout
            | ErrorKind::RateLimited
            | ErrorKind::Server => true,
            ErrorKind::Reference
            | ErrorKind::Configuration
            | ErrorKind::Tls
            | ErrorKind::NotFound
            | ErrorKind::Unauthorized
            | ErrorKind::Denied
            | ErrorKind::Protocol
            | ErrorKind::TooLarge
            | ErrorKind::Digest
            | ErrorKind::Platform
            | ErrorKind::NotAnImage => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
