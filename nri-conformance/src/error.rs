//! Errors that prevent a run, a recording or a replay. A plugin or runtime that misbehaves is not
//! an error but a result.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The result of an operation that fails with an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error with its kind, its location in a recording, and a remedy.
///
/// ```
/// use nri_conformance::record::{ErrorKind, Reader};
///
/// let error = Reader::new(&b"time=2026-03-18 level=info\n"[..]).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Foreign);
/// assert_eq!(error.to_string(), "line 1: not a recording of an NRI session");
/// assert!(error.help().unwrap().contains("nri-compat record"));
/// ```
#[derive(Debug)]
pub struct Error(Box<Repr>);

#[derive(Debug)]
struct Repr {
    kind: ErrorKind,
    message: Cow<'static, str>,
    file: Option<PathBuf>,
    line: Option<u64>,
    help: Option<Cow<'static, str>>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file is not a recording.
    Foreign,
    /// The recording has a newer version of the format.
    FutureVersion,
    /// The recording ends before its last line.
    Truncated,
    /// A line of the recording does not conform to the format.
    Malformed,
    /// A line of the recording exceeds a limit.
    TooLarge,
    /// The recording has several connections, or does not have the requested one.
    Selection,
    /// A socket cannot be used, or a connection was lost.
    Connection,
    /// The plugin did not register correctly.
    Registration,
    /// Reading or writing the recording failed.
    Io,
    /// A run cannot start or continue.
    Run,
}

impl Error {
    /// Creates the error of a run.
    pub(crate) fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self::of(ErrorKind::Run, message)
    }

    /// Creates the error of an operation on a file or folder.
    pub(crate) fn io(doing: &str, path: &Path, error: io::Error) -> Self {
        let message = format!("cannot {doing} {}: {error}", path.display());
        Self::new(message).with_source(error)
    }

    /// Creates an error of a recording or a replay.
    pub(crate) fn of(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Error(Box::new(Repr {
            kind,
            message: message.into(),
            file: None,
            line: None,
            help: None,
            source: None,
        }))
    }

    /// Creates the error of an operation on a recording.
    pub(crate) fn failed(doing: impl fmt::Display, error: io::Error) -> Self {
        Self::of(ErrorKind::Io, format!("{doing}: {error}")).with_source(error)
    }

    pub(crate) fn with_kind(mut self, kind: ErrorKind) -> Self {
        self.0.kind = kind;
        self
    }

    pub(crate) fn with_help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    pub(crate) fn with_source(
        mut self,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        self.0.source = Some(source.into());
        self
    }

    pub(crate) fn in_file(mut self, file: &Path) -> Self {
        self.0.file.get_or_insert_with(|| file.to_owned());
        self
    }

    pub(crate) fn at_line(mut self, line: u64) -> Self {
        self.0.line.get_or_insert(line);
        self
    }

    /// Returns the kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the file of the recording, if there is one.
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// Returns the line of the recording, counted from 1, if the error concerns a line.
    pub fn line(&self) -> Option<u64> {
        self.0.line
    }

    /// Returns the remedy, if known.
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }
}

impl fmt::Display for Error {
    /// Writes the location and the message: `session.nri: line 7: not JSON`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.0.file {
            write!(f, "{}: ", file.display())?;
        }
        if let Some(line) = self.0.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.0.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}
