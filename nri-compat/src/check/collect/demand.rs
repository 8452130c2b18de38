//! Why a file is read, which decides whether it needs a result.

/// The demand for a result about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demand {
    /// It was found by walking a folder, and may be anything.
    Walked,
    /// It is in a folder whose executables a runtime starts.
    Launched,
    /// The user named it.
    Named,
}
