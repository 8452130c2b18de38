//! Errors of tasks that run other programs.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// The reason why a task failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// A program could not be started.
    #[error("cannot start `{program}`: {source}\n  help: {help}")]
    Start {
        /// The program.
        program: String,
        /// The way to install it.
        help: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// A program failed.
    #[error("`{command}` failed: {status}")]
    Failed {
        /// The program with its arguments.
        command: String,
        /// Its exit status.
        status: ExitStatus,
    },
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file is not Rust.
    #[error("cannot read {}: {reason}", path.display())]
    Source {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The metadata of the workspace lacks something.
    #[error("{0}\n  help: `[workspace.metadata.release]` in Cargo.toml describes releases")]
    Metadata(String),
    /// The output of a program is not what was expected.
    #[error("cannot read the output of `{program}`: {source}")]
    Output {
        /// The program.
        program: String,
        /// The cause.
        source: serde_json::Error,
    },
    /// The JSON of a crate's documentation cannot be read.
    #[error("cannot read {}: {reason}\n  help: xtask/Cargo.toml needs the version of public-api for this version of Rust", path.display())]
    Interface {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A public signature names a type that the documentation hides.
    #[error(
        "{name}: the signature names a type that the documentation hides: {line}\n  help: add `#[doc(hidden)]` to the item, or remove it from the type"
    )]
    Hidden {
        /// The name of the crate.
        name: String,
        /// The item, as in the list of the interface.
        line: String,
    },
    /// A template names a value that releases do not have.
    #[error("{}: unknown placeholder `@{name}@`\n  help: see `templates.rs` for the values", path.display())]
    Placeholder {
        /// The template.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// No processor has the given name.
    #[error("unknown processor `{0}`\n  help: name x86_64 or aarch64")]
    Processor(String),
}

/// Returns a conversion of the error of reading a file.
pub(crate) fn reading(path: &Path) -> impl FnOnce(io::Error) -> TaskError + use<> {
    let path = path.to_owned();
    move |source| TaskError::Read { path, source }
}

/// Returns a conversion of the error of writing a file.
pub(crate) fn writing(path: &Path) -> impl FnOnce(io::Error) -> TaskError + use<> {
    let path = path.to_owned();
    move |source| TaskError::Write { path, source }
}
