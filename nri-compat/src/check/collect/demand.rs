//! Why a file is read, which decides whether it needs a result.

/// The end of the default path of the folder in which runtimes look for plugins.
pub(super) const PLUGIN_FOLDER: &str = "nri/plugins";

/// The demand for a result about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Demand {
    /// It was found by walking a folder, and may be anything.
    Walked,
    /// It is in a folder whose executables a runtime starts.
    Launched,
    /// The user named it.
    Named,
}
