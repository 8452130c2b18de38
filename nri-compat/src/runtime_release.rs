//! A release of a runtime, as commands name it.

use semver::Version;

/// A runtime and one of its releases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeRelease {
    /// The name, `containerd` or `cri-o`.
    pub runtime: String,
    /// The release.
    pub version: Version,
}
