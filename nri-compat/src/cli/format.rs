//! The output formats of commands that only print tables.

use clap::ValueEnum;

/// Output format.
#[cfg(feature = "conformance")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people.
    Text,
    /// For machines; described by a JSON Schema.
    Json,
    /// For pull requests and release notes.
    Markdown,
}

/// Output format of the tables of releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TableFormat {
    /// For people.
    Text,
    /// For machines; described by a JSON Schema.
    Json,
    /// For pull requests and release notes.
    Markdown,
    /// For browsers: one self-contained file.
    Html,
}
