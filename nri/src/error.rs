//! The one error type of plugins: what a handler returns and what the stub fails with.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

/// The result of everything in this crate that can fail, and of every handler.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, with its kind, a message and, where there is one, the way out.
///
/// A handler makes one with [`Error::new`] from a message or with [`Error::other`] from any other error; the runtime
/// is sent the message.
///
/// ```
/// fn read(path: &str) -> nri::Result<String> {
///     let text = std::fs::read_to_string(path)?;
///     if text.is_empty() {
///         return Err(nri::Error::new(format!("{path} is empty")).with_help("write the device list into it"));
///     }
///     Ok(text)
/// }
/// # assert!(read("/nonexistent").is_err());
/// ```
pub struct Error(Box<Repr>);

struct Repr {
    kind: ErrorKind,
    message: Cow<'static, str>,
    help: Option<Cow<'static, str>>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// What sort of failure an [`Error`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A handler of the plugin failed.
    Handler,
    /// The peer called an RPC that this protocol revision does not have.
    Unimplemented,
    /// Bytes that are not the message they should be.
    Malformed,
    /// The peer broke a rule of the protocol, or a limit was passed.
    Protocol,
    /// The connection could not be made, or was lost.
    Connection,
    /// The runtime is too old for what the plugin requires.
    Unsupported,
    /// A name, an index, a socket path or an option is not as it should be.
    Config,
    /// The answer did not come in time.
    Timeout,
}

impl ErrorKind {
    /// The [status code](https://github.com/grpc/grpc/blob/master/doc/statuscodes.md) that a peer is told.
    ///
    /// `Unimplemented` has to be 12: a runtime falls back to StateChange on that code and no other.
    pub const fn code(self) -> i32 {
        match self {
            ErrorKind::Handler | ErrorKind::Connection => 2,
            ErrorKind::Malformed | ErrorKind::Config => 3,
            ErrorKind::Timeout => 4,
            ErrorKind::Unsupported => 9,
            ErrorKind::Unimplemented => 12,
            ErrorKind::Protocol => 13,
        }
    }
}

impl Error {
    /// A failure of a handler, told in a few words.
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self::with_kind(ErrorKind::Handler, message)
    }

    /// A failure of a handler, made from any other error; `anyhow::Error` is taken as well.
    pub fn other(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let source = error.into();
        Self::new(source.to_string()).with_source_boxed(source.source().is_some().then_some(source))
    }

    /// A failure of the given kind.
    pub fn with_kind(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Error(Box::new(Repr {
            kind,
            message: message.into(),
            help: None,
            source: None,
        }))
    }

    /// The same error with the way out, in a few words that start lower case.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// The same error with the one that caused it.
    #[must_use]
    pub fn with_source(self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.with_source_boxed(Some(source.into()))
    }

    fn with_source_boxed(mut self, source: Option<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = source;
        self
    }

    /// What sort of failure this is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The way out, where there is one to be told.
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

/// Message, help and causes, each on its line: what `fn main() -> nri::Result<()>` prints.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some(help) = &self.0.help {
            write!(f, "\n  help: {help}")?;
        }
        let mut cause = self.source();
        while let Some(error) = cause {
            write!(f, "\n  caused by: {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0
            .source
            .as_deref()
            .map(|source| source as &(dyn StdError + 'static))
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::other(error)
    }
}

impl From<Box<dyn StdError + Send + Sync>> for Error {
    fn from(error: Box<dyn StdError + Send + Sync>) -> Self {
        Self::other(error)
    }
}

impl From<String> for Error {
    fn from(message: String) -> Self {
        Self::new(message)
    }
}

impl From<&'static str> for Error {
    fn from(message: &'static str) -> Self {
        Self::new(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_names_help_and_every_cause() {
        let inner = Error::new("inner");
        let error = Error::new("outer").with_help("do it").with_source(inner);
        assert_eq!(
            format!("{error:?}"),
            "outer\n  help: do it\n  caused by: inner"
        );
    }

    #[test]
    fn other_keeps_the_causes_and_says_nothing_twice() {
        let plain = Error::other("plain");
        assert_eq!(format!("{plain:?}"), "plain");
        let nested = Error::other(Error::new("outer").with_source("inner"));
        assert_eq!(nested.to_string(), "outer");
    }
}
