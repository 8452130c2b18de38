//! Errors of reading a cluster.

use std::error::Error;
use std::fmt;

/// An error with a remedy and its cause.
#[derive(Debug)]
pub struct ClusterError {
    kind: ClusterErrorKind,
    message: String,
    help: Option<String>,
    cause: Option<Box<dyn Error + Send + Sync>>,
}

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClusterErrorKind {
    /// The kubeconfig is missing, broken or incomplete.
    Kubeconfig,
    /// The name of a namespace is not valid.
    Namespace,
    /// The credentials cannot be read, or their plugin failed.
    Credentials,
    /// The API server cannot be reached, or the connection broke.
    Connection,
    /// The API server does not accept the credentials (status 401).
    Unauthorized,
    /// The user may not list a resource (status 403).
    Forbidden,
    /// The API server does not have a resource (status 404).
    NotFound,
    /// The API server did not answer in time.
    Timeout,
    /// The API server answered with another status.
    Status,
    /// The answer is not a list of the requested resource.
    Response,
    /// A limit of this tool was exceeded.
    Limit,
    /// The list changed too fast to be read to its end (status 410).
    Expired,
}

impl ClusterError {
    /// Creates an error; `message` is the fact, in lower case, without remedy.
    pub(super) fn new(kind: ClusterErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            help: None,
            cause: None,
        }
    }

    /// Returns the same error with a remedy.
    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns the same error with its cause, which is also added to the message.
    pub(super) fn caused_by(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let cause = cause.into();
        self.message = format!("{}: {}", self.message, chain(&*cause));
        self.cause = Some(cause);
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ClusterErrorKind {
        self.kind
    }

    /// Returns the remedy, if known.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl ClusterErrorKind {
    /// Returns true if other requests would fail for the same reason.
    pub(crate) fn concerns_all_requests(self) -> bool {
        match self {
            Self::Kubeconfig
            | Self::Namespace
            | Self::Credentials
            | Self::Connection
            | Self::Unauthorized => true,
            Self::Forbidden
            | Self::NotFound
            | Self::Timeout
            | Self::Status
            | Self::Response
            | Self::Limit
            | Self::Expired => false,
        }
    }
}

impl fmt::Display for ClusterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ClusterError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let cause = self.cause.as_deref()?;
        Some(cause)
    }
}

/// Returns the messages of an error and its causes on one line. A cause that the previous message
/// already contains is left out.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = one_line(&error.to_string());
    let mut next = error.source();
    while let Some(cause) = next {
        let message = one_line(&cause.to_string());
        if !text.contains(&message) {
            text = format!("{text}: {message}");
        }
        next = cause.source();
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the beginning of a text from a server or plugin, on one line, for a message.
pub(super) fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 400;
    one_line(text).chars().take(MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_part_of_the_message_once() {
        let cause = std::io::Error::other("no\nroute");
        let error = ClusterError::new(ClusterErrorKind::Connection, "cannot connect");
        let error = error.caused_by(cause);
        assert_eq!(error.to_string(), "cannot connect: no route");
        assert!(error.source().is_some());
    }
}
