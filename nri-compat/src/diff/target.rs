//! The runtime release that a schema is meant for.

use nri_codegen::history::RuntimeAt;
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
    pub(super) fn of(at: RuntimeAt<'_>) -> Self {
        Self {
            runtime: at.runtime.id.clone(),
            version: at.release.version.clone(),
        }
    }

    /// Returns true if it is of this series (`2.7`) or a later one.
    pub fn reaches(&self, series: &str) -> bool {
        let mut parts = series
            .split('.')
            .map(|part| part.parse::<u64>().unwrap_or(u64::MAX));
        let wanted = (
            parts.next().unwrap_or(u64::MAX),
            parts.next().unwrap_or(0),
            parts.next().unwrap_or(0),
        );
        (self.version.major, self.version.minor, self.version.patch) >= wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_compared_by_number() {
        let target = Target {
            runtime: "containerd".into(),
            version: Version::new(2, 10, 0),
        };
        assert!(target.reaches("2.7") && target.reaches("2.10"));
        assert!(!target.reaches("2.11") && !target.reaches("3"));
    }
}
