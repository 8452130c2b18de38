//! The error type of plugins, which handlers and the stub return.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

/// The result of every fallible function of this crate, and of every handler.
pub type Result<T, E = Error> = std::result::Result<T, E>;

type BoxError = Box<dyn StdError + Send + Sync>;

/// An error with its kind, a message, its causes, and how to fix it, if known.
///
/// A handler creates one from a message with [`Error::new`], or from another error with
/// [`Error::other`] or [`ResultExt::context`]. The runtime and the log get the message with all
/// causes, as formatted by `{:#}`.
///
/// ```
/// use nri::ResultExt;
///
/// fn read(path: &str) -> nri::Result<String> {
///     let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
///     if text.is_empty() {
///         return Err(nri::Error::new(format!("{path} is empty")).with_help("write the device list into it"));
///     }
///     Ok(text)
/// }
///
/// let error = read("/nonexistent/devices").unwrap_err();
/// assert_eq!(error.to_string(), "cannot read /nonexistent/devices");
/// assert_eq!(format!("{error:#}"), "cannot read /nonexistent/devices: No such file or directory (os error 2)");
/// ```
pub struct Error(Box<Repr>);

struct Repr {
    kind: ErrorKind,
    message: Cow<'static, str>,
    help: Option<Cow<'static, str>>,
    cause: Cause,
}

/// The cause of an error.
enum Cause {
    None,
    /// The error that caused this one.
    Error(BoxError),
    /// An error whose message this error already has. The causes of that error are the causes of
    /// this one.
    Same(BoxError),
}

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A handler of the plugin failed.
    Handler,
    /// The peer called an RPC that this protocol revision does not have.
    Unimplemented,
    /// A message could not be decoded.
    Malformed,
    /// The peer broke a rule of the protocol, or exceeded a limit.
    Protocol,
    /// The connection could not be made, or was lost.
    Connection,
    /// The runtime is too old for what the plugin requires.
    Unsupported,
    /// A name, an index, a socket path, an option or the configuration of the plugin is invalid.
    Config,
    /// No answer arrived in time.
    Timeout,
    /// A message is larger than the protocol allows, or takes more memory than a message of its
    /// size may.
    TooLarge,
}

impl ErrorKind {
    /// Returns the [status code](https://github.com/grpc/grpc/blob/master/doc/statuscodes.md) that
    /// the peer gets.
    ///
    /// `Unimplemented` has to be 12: a runtime falls back to StateChange only on that code.
    pub const fn code(self) -> i32 {
        match self {
            ErrorKind::Handler | ErrorKind::Connection => 2,
            ErrorKind::Malformed | ErrorKind::Config => 3,
            ErrorKind::Timeout => 4,
            ErrorKind::TooLarge => 8,
            ErrorKind::Unsupported => 9,
            ErrorKind::Unimplemented => 12,
            ErrorKind::Protocol => 13,
        }
    }
}

impl Error {
    /// Creates an error of a handler from a message.
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self::with_kind(ErrorKind::Handler, message)
    }

    /// Creates an error of a handler from another error, such as an `anyhow::Error`. Keeps its
    /// message and causes; an error of this type is returned unchanged.
    pub fn other(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        match error.into().downcast::<Self>() {
            Ok(own) => *own,
            Err(other) => {
                let mut wrapped = Self::new(other.to_string());
                wrapped.0.cause = Cause::Same(other);
                wrapped
            }
        }
    }

    /// Creates an error of the given kind from a message.
    pub fn with_kind(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Error(Box::new(Repr { kind, message: message.into(), help: None, cause: Cause::None }))
    }

    /// Adds help on how to fix the error: a short phrase that starts in lower case.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// Adds the error that caused this one.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.cause = Cause::Error(source.into());
        self
    }

    /// Wraps an error in a message, keeping the kind and help of an error of this type.
    fn wrapping(message: Cow<'static, str>, cause: BoxError) -> Self {
        let own = cause.downcast_ref::<Self>();
        let kind = own.map_or(ErrorKind::Handler, Self::kind);
        let help = own.and_then(|own| own.0.help.clone());
        Error(Box::new(Repr { kind, message, help, cause: Cause::Error(cause) }))
    }

    /// Returns the error as an error of a handler. An existing handler must not answer
    /// UNIMPLEMENTED, because the runtime would then call it again through StateChange.
    pub(crate) fn of_handler(mut self) -> Self {
        if self.0.kind == ErrorKind::Unimplemented {
            self.0.kind = ErrorKind::Handler;
        }
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns how to fix the error, if known.
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Returns the messages of the causes, skipping those that the previous message already ends
    /// with.
    fn causes(&self) -> impl Iterator<Item = String> {
        let mut previous = self.0.message.to_string();
        let mut next = self.source();
        let chain = std::iter::from_fn(move || {
            let cause = next?;
            next = cause.source();
            Some(cause)
        });
        chain.filter_map(move |cause| {
            let text = cause.to_string();
            let is_new = !previous.ends_with(&text);
            previous.clone_from(&text);
            is_new.then_some(text)
        })
    }
}

/// Formats the message; with `{:#}`, the message and all causes on one line.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if f.alternate() {
            for cause in self.causes() {
                write!(f, ": {cause}")?;
            }
        }
        Ok(())
    }
}

/// Formats message, help and causes, each on its own line, as `fn main() -> nri::Result<()>` prints
/// them.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some(help) = &self.0.help {
            write!(f, "\n  help: {help}")?;
        }
        for cause in self.causes() {
            write!(f, "\n  caused by: {cause}")?;
        }
        Ok(())
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.0.cause {
            Cause::None => None,
            Cause::Error(cause) => Some(&**cause),
            Cause::Same(error) => error.source(),
        }
    }
}

/// Adds a message to the error of a `Result`, like anyhow's `Context`, and converts it to an
/// [`Error`].
///
/// This trait is not in the [prelude](crate::prelude): in a file that also uses `anyhow::Context`,
/// the compiler could not decide between the methods, which have the same names.
///
/// ```
/// use nri::ResultExt;
///
/// fn port(text: &str) -> nri::Result<u16> {
///     text.parse().with_context(|| format!("{text:?} is not a port"))
/// }
///
/// assert_eq!(format!("{:#}", port("x").unwrap_err()), "\"x\" is not a port: invalid digit found in string");
/// ```
pub trait ResultExt<T>: sealed::Sealed {
    /// Adds a message. Kind and help of an [`Error`] are kept.
    ///
    /// # Errors
    ///
    /// Returns the error of the result, wrapped in the message.
    fn context(self, message: impl Into<Cow<'static, str>>) -> Result<T>;

    /// Adds a message that is computed only if there is an error.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`context`](Self::context).
    fn with_context<M: Into<Cow<'static, str>>>(self, message: impl FnOnce() -> M) -> Result<T>;
}

mod sealed {
    /// Keeps [`ResultExt`](super::ResultExt) from being implemented elsewhere, so that it can get
    /// more methods.
    pub trait Sealed {}

    impl<T, E> Sealed for Result<T, E> {}
}

impl<T, E: Into<Box<dyn StdError + Send + Sync>>> ResultExt<T> for std::result::Result<T, E> {
    fn context(self, message: impl Into<Cow<'static, str>>) -> Result<T> {
        self.with_context(|| message)
    }

    fn with_context<M: Into<Cow<'static, str>>>(self, message: impl FnOnce() -> M) -> Result<T> {
        self.map_err(|error| Error::wrapping(message().into(), error.into()))
    }
}

macro_rules! from_errors {
    ($($error:ty,)*) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::other(error)
            }
        }
    )*};
}

// Not for every error: that would include this type, which already has `From` for itself.
from_errors! {
    Box<dyn StdError + Send + Sync>,
    std::env::VarError,
    std::fmt::Error,
    std::io::Error,
    std::net::AddrParseError,
    std::num::ParseFloatError,
    std::num::ParseIntError,
    std::num::TryFromIntError,
    std::str::ParseBoolError,
    std::str::Utf8Error,
    std::string::FromUtf8Error,
    std::time::SystemTimeError,
    tokio::task::JoinError,
    tokio::time::error::Elapsed,
    crate::codec::DecodeError,
}

/// Lets `?` in a handler convert the errors of anyhow. Needs the feature `anyhow`; without it,
/// `map_err(nri::Error::other)` does the same.
///
/// ```
/// use anyhow::Context as _;
///
/// fn device_list() -> nri::Result<String> {
///     let list = std::fs::read_to_string("/nonexistent/list").context("cannot read the list")?;
///     Ok(list)
/// }
///
/// let error = format!("{:#}", device_list().unwrap_err());
/// assert_eq!(error, "cannot read the list: No such file or directory (os error 2)");
/// ```
#[cfg(feature = "anyhow")]
impl From<anyhow::Error> for Error {
    fn from(error: anyhow::Error) -> Self {
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

    fn anyhow() -> anyhow::Error {
        anyhow::anyhow!("inner").context("middle").context("outer")
    }

    #[test]
    fn debug_names_help_and_every_cause() {
        let inner = Error::new("inner");
        let error = Error::new("outer").with_help("do it").with_source(inner);
        let expected = "outer\n  help: do it\n  caused by: inner";
        assert_eq!(format!("{error:?}"), expected);
    }

    #[test]
    fn other_keeps_all_causes_and_repeats_nothing() {
        assert_eq!(format!("{:?}", Error::other("plain")), "plain");
        let error = Error::other(anyhow());
        assert_eq!(error.to_string(), "outer");
        assert_eq!(format!("{error:#}"), "outer: middle: inner");
        let expected = "outer\n  caused by: middle\n  caused by: inner";
        assert_eq!(format!("{error:?}"), expected);
        let quoting = Error::new("cannot open: not found").with_source("not found");
        assert_eq!(format!("{quoting:#}"), "cannot open: not found");
    }

    #[test]
    fn kind_and_help_are_kept() {
        let wrong = || Error::with_kind(ErrorKind::Config, "wrong").with_help("fix it");
        let other = Error::other(wrong());
        let wrapped = Err::<(), _>(wrong()).context("in line 3").unwrap_err();
        assert_eq!(format!("{wrapped:#}"), "in line 3: wrong");
        for error in [other, wrapped] {
            assert_eq!(error.kind(), ErrorKind::Config);
            assert_eq!(error.help(), Some("fix it"));
        }
        let foreign = Err::<(), _>(anyhow()).context("outermost").unwrap_err();
        assert_eq!(format!("{foreign:#}"), "outermost: outer: middle: inner");
    }

    #[test]
    fn the_question_mark_takes_errors_of_the_standard_library() {
        fn sum(a: &str, b: &[u8]) -> Result<i32> {
            Ok(a.parse::<i32>()? + std::str::from_utf8(b)?.parse::<i32>()?)
        }
        assert_eq!(sum("1", b"2").unwrap(), 3);
        assert_eq!(sum("x", b"2").unwrap_err().kind(), ErrorKind::Handler);
    }
}
