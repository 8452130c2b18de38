//! The error of build scripts. It hides the library that finds the problems, which is not a stable
//! interface.

use std::fmt;

pub use nri_schema::ErrorKind;

/// All problems of one phase; never empty.
///
/// `Display` shows the first problem on one line. `Debug` shows every problem with file, line, the
/// offending text and help, which is what `fn main() -> Result<(), nri_codegen::Error>` prints.
///
/// ```
/// # #[cfg(feature = "build")] {
/// use nri_codegen::{Builder, ErrorKind};
///
/// let error = Builder::new().version("v0.99.0").err().expect("there is no such release");
/// assert_eq!(error.kind(), ErrorKind::Version);
/// assert_eq!(error.to_string(), "unknown NRI release `v0.99.0`");
/// assert!(error.help().is_some_and(|help| help.contains("v0.12.")));
/// # }
/// ```
pub struct Error(nri_schema::Error);

impl Error {
    /// Returns the kind of the first problem.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind()
    }

    /// Returns the file of the first problem, as named by the schema or the user.
    pub fn file(&self) -> Option<&str> {
        self.0.file()
    }

    /// Returns the line of the first problem, counted from 1.
    pub fn line(&self) -> Option<usize> {
        self.0.line()
    }

    /// Returns the column of the first problem in characters, counted from 1.
    pub fn column(&self) -> Option<usize> {
        self.0.column()
    }

    /// Returns the help of the first problem.
    pub fn help(&self) -> Option<&str> {
        self.0.help()
    }
}

#[doc(hidden)] // for `?` in this crate and in the tools of the repository
impl From<nri_schema::Error> for Error {
    fn from(error: nri_schema::Error) -> Self {
        Error(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}
