//! Versions as they are written: with or without a `v`.

use semver::Version;

/// Returns the version without the `v` that it may begin with.
///
/// ```
/// assert_eq!(nri_schema::version::without_v("v0.12.5"), "0.12.5");
/// assert_eq!(nri_schema::version::without_v("0.12.5"), "0.12.5");
/// ```
pub fn without_v(version: &str) -> &str {
    version.strip_prefix('v').unwrap_or(version)
}

/// Parses a version that may begin with a `v`.
pub fn parse(version: &str) -> Option<Version> {
    Version::parse(without_v(version)).ok()
}
