//! The runtime release that a schema is meant for.

use nri_schema::history::RuntimeAt;
use semver::Version;

/// A runtime and one of its releases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The name, `containerd` or `cri-o`.
    pub runtime: String,
    /// The release.
    pub version: Version,
}

impl Target {
    /// Returns the release that a name such as `containerd@2.4` stands for.
    pub(super) fn new(at: RuntimeAt<'_>) -> Self {
        Self {
            runtime: at.runtime.id.clone(),
            version: at.release.version.clone(),
        }
    }
}
