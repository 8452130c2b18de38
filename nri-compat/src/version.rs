//! Versions as they are written: with or without a `v`.

use semver::Version;

/// Returns the version without the `v` that it may begin with.
pub(crate) fn without_v(version: &str) -> &str {
    version.strip_prefix('v').unwrap_or(version)
}

/// Parses a version that may begin with a `v`.
pub(crate) fn parse(version: &str) -> Option<Version> {
    Version::parse(without_v(version)).ok()
}
