//! Errors that prevent the tool from running.

use std::fmt;
use std::path::Path;

use nri_schema::near;

use crate::escape;

/// An error with a remedy: what is wrong, then how to fix it.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    help: Option<String>,
}

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A version, proto file or folder could not be turned into a schema.
    Schema,
    /// No rule has the given id.
    UnknownRule,
    /// `nri-compat.toml` could not be read.
    Policy,
    /// A baseline could not be read or written.
    Baseline,
    /// A template could not be read or rendered.
    Template,
    /// No release has the name of a given target.
    Target,
    /// A named path does not exist.
    Input,
    /// An image could not be fetched.
    Fetch,
    /// The output could not be written.
    Output,
    /// A plugin or runtime could not be tested, recorded or replayed.
    Session,
    /// A cluster could not be read, or not completely.
    Cluster,
    /// The user interrupted the command.
    Interrupted,
}

impl Error {
    /// Creates an error of `kind`; `message` is the fact, in lower case, without remedy. Control
    /// characters in it are escaped.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        // Names in it come from paths and files, and must not break its line.
        Self::of_lines(kind, escape::bytes(message.into().as_bytes()))
    }

    /// Creates an error of `kind`, with a message of several lines whose names are already escaped.
    pub(crate) fn of_lines(kind: ErrorKind, message: String) -> Self {
        Self { kind, message, help: None }
    }

    /// Returns a function that turns the failure of an action into an error:
    /// `cannot write a.json: no space left`.
    pub(crate) fn cannot<E: fmt::Display>(
        action: &str,
        path: &Path,
        kind: ErrorKind,
    ) -> impl FnOnce(E) -> Self {
        move |error| Self::new(kind, format!("cannot {action} {}: {error}", path.display()))
    }

    /// Returns a function that turns the failure to write a file into an error.
    pub(crate) fn cannot_write<E: fmt::Display>(
        path: &Path,
        kind: ErrorKind,
    ) -> impl FnOnce(E) -> Self {
        let wrong = Self::cannot("write", path, kind);
        |error| wrong(error).with_help("name a file in a folder that exists and is writable")
    }

    /// Returns the same error with the name of the input before its message.
    #[must_use]
    pub(crate) fn in_input(mut self, name: &str) -> Self {
        let name = escape::bytes(name.as_bytes());
        self.message = format!("{name}: {}", self.message);
        self
    }

    /// Returns the same error with a remedy.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns the same error with the remedy of another error, if that has one.
    #[must_use]
    pub(crate) fn with_help_of(mut self, help: Option<&str>) -> Self {
        self.help = help.map(str::to_owned);
        self
    }

    /// Returns the same error with every `from` in its message replaced by `to`.
    #[must_use]
    pub(crate) fn replacing(mut self, from: &str, to: &str) -> Self {
        self.message = self.message.replace(from, to);
        self
    }

    /// Returns the same error with another kind.
    #[must_use]
    pub(crate) fn of_kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the remedy, if known.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

/// Returns a help text that asks for similar names, or `otherwise` if no known name is similar.
pub(crate) fn did_you_mean<'n>(
    wanted: &str,
    known: impl IntoIterator<Item = &'n str>,
    otherwise: &str,
) -> String {
    match near::names(wanted, known).as_slice() {
        [] => otherwise.to_owned(),
        near => format!("did you mean {}?", near.join(", ")),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<nri_schema::Error> for Error {
    /// Converts all problems with their locations in the text, and the help of the first one.
    fn from(error: nri_schema::Error) -> Self {
        let problems: Vec<String> = error.problems().map(problem).collect();
        Self::of_lines(ErrorKind::Schema, problems.join("\n")).with_help_of(error.help())
    }
}

/// Returns the message, and the offending text with its file and line: everything in its `Debug`
/// output except the help.
fn problem(problem: &nri_schema::Problem) -> String {
    let shown = format!("{problem:?}");
    let help = problem.help().map(|help| format!("\n  help: {help}")).unwrap_or_default();
    shown.strip_suffix(&help).unwrap_or(&shown).to_owned()
}

#[cfg(feature = "conformance")]
impl From<nri_conformance::Error> for Error {
    fn from(error: nri_conformance::Error) -> Self {
        Self::of_lines(ErrorKind::Session, error.to_string()).with_help_of(error.help())
    }
}
