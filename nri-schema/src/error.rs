//! An opaque error that holds all problems of a phase, with their locations.

mod excerpt;
mod problem;

use std::fmt;
use std::ops::Range;
use std::path::Path;

pub use excerpt::Excerpt;
pub use problem::Problem;

/// The category of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file or folder could not be read or written.
    Io,
    /// Something exceeds a limit on size, depth or number.
    Limit,
    /// A proto does not parse, or its names do not resolve.
    Proto,
    /// A file is not a valid `FileDescriptorSet`.
    Descriptor,
    /// A proto compiles, but is not a usable NRI protocol.
    Protocol,
    /// A version, release or runtime is unknown, or has no protocol.
    Version,
    /// An entry of a table (`versions.toml`, `runtimes.toml`, `deprecations.toml`) is malformed or
    /// matches nothing.
    Table,
    /// An option of the `Builder` is invalid.
    Option,
}

/// All problems of one phase; never empty.
///
/// `Display` shows the first problem on one line. `Debug` shows every problem with file, line, the
/// offending text and help, which is what `fn main` prints if it returns one.
///
/// ```
/// use nri_schema::{ErrorKind, source};
///
/// let error = source::resolve("v0.99.0").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Version);
/// assert_eq!(error.to_string(), "unknown NRI release `v0.99.0`");
/// assert!(error.help().is_some_and(|help| help.contains("v0.12.")));
/// ```
pub struct Error {
    first: Box<Problem>,
    rest: Vec<Problem>,
}

impl Error {
    /// Returns the kind of the first problem.
    pub fn kind(&self) -> ErrorKind {
        self.first.kind()
    }

    /// Returns the file of the first problem, as named by the schema or the user.
    pub fn file(&self) -> Option<&str> {
        self.first.file()
    }

    /// Returns the bytes of that file to which the first problem refers.
    pub fn span(&self) -> Option<Range<usize>> {
        self.first.excerpt().map(Excerpt::span)
    }

    /// Returns the line of the first problem, counted from 1.
    pub fn line(&self) -> Option<usize> {
        self.first.line()
    }

    /// Returns the column of the first problem in characters, counted from 1.
    pub fn column(&self) -> Option<usize> {
        self.first.column()
    }

    /// Returns the help of the first problem.
    pub fn help(&self) -> Option<&str> {
        self.first.help()
    }

    /// Returns every problem, in the order found.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        std::iter::once(&*self.first).chain(&self.rest)
    }

    /// Returns `Ok` if there are no problems, otherwise an error with all of them.
    ///
    /// # Errors
    ///
    /// Returns an error if `problems` is not empty.
    pub fn unless_empty(problems: Vec<Problem>) -> Result<(), Error> {
        let mut problems = problems.into_iter();
        match problems.next() {
            None => Ok(()),
            Some(first) => Err(Error { first: Box::new(first), rest: problems.collect() }),
        }
    }

    /// Shows the line of every problem whose file has a text.
    pub fn with_texts<'t>(self, text: impl Fn(&str) -> Option<&'t str>) -> Error {
        Error {
            first: Box::new(self.first.with_text(&text)),
            rest: self.rest.into_iter().map(|problem| problem.with_text(&text)).collect(),
        }
    }

    /// Names the file of every problem by its path, if it has one.
    pub fn with_paths<'p>(self, path: impl Fn(&str) -> Option<&'p Path>) -> Error {
        Error {
            first: Box::new(self.first.with_path(&path)),
            rest: self.rest.into_iter().map(|problem| problem.with_path(&path)).collect(),
        }
    }

    /// Returns the problems, to combine them with others.
    pub fn into_problems(self) -> Vec<Problem> {
        std::iter::once(*self.first).chain(self.rest).collect()
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Error { first: Box::new(problem), rest: Vec::new() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        match self.rest.len() {
            0 => Ok(()),
            1 => write!(f, " (and one more problem)"),
            more => write!(f, " (and {more} more problems)"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems().enumerate() {
            if index > 0 {
                write!(f, "\n\n")?;
            }
            write!(f, "{problem:?}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&*self.first)
    }
}
