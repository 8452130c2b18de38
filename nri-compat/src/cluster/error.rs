//! Errors of reading a cluster.

use std::error::Error;
use std::fmt;

use crate::skipped::SkipKind;

/// An error with its causes in the message, and a remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterError {
    /// The class of the reason.
    pub kind: SkipKind,
    pub(super) message: String,
    /// The remedy, if known.
    pub help: Option<String>,
    /// True if all further requests would fail for the same reason.
    pub(super) is_final: bool,
}

impl ClusterError {
    /// Creates an error of one list; `message` is the fact, in lower case, without remedy.
    pub(super) fn new(kind: SkipKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), help: None, is_final: false }
    }

    /// Creates an error of an API server that cannot be used at all.
    pub(super) fn unusable(message: impl Into<String>) -> Self {
        Self { is_final: true, ..Self::new(SkipKind::Io, message) }
    }

    /// Returns the same error with a remedy.
    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns the same error with its cause in the message.
    pub(super) fn caused_by(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.message = format!("{}: {}", self.message, chain(&*cause.into()));
        self
    }
}

impl fmt::Display for ClusterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ClusterError {}

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
