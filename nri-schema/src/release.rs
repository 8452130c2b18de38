//! Releases of NRI.

use semver::Version;

/// A release of NRI that speaks the ttrpc protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// `0.12.5`, as a version.
    pub version: Version,
    /// `v0.12.5`, as the Go module is tagged, or a Go pseudo-version.
    pub name: String,
    /// The protocol revision of the release: the name of the first release with that protocol.
    pub revision: String,
    /// Day of the tag or commit, `YYYY-MM-DD`.
    pub date: String,
    /// True if there is no tag, only runtimes that pin the commit.
    pub untagged: bool,
    /// The runtimes that pin it, if it is untagged.
    pub shipped_by: Option<String>,
}

/// A release before the ttrpc protocol, whose plugins are executables that read and write JSON
/// once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneShot {
    /// `v0.1.0`
    pub name: String,
    /// Day of the tag, `YYYY-MM-DD`.
    pub date: String,
}
