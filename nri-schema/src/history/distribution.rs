//! Distributions of Kubernetes, and the runtime that each of their releases ships:
//! `distributions.toml`.

use semver::Version;

pub(super) const FILE: &str = "distributions.toml";

/// A distribution of Kubernetes, whose releases people know better than those of its runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    /// `rke2`, `k0s` or `talos`, the part before the `@`.
    pub id: String,
    /// Its name in prose, such as `Talos Linux`.
    pub title: String,
    /// The id of the runtime that it ships.
    pub runtime: String,
    /// The file of its sources that names the release of the runtime.
    pub file: String,
    /// The words in that file before the number.
    pub before: String,
    /// Its releases, ascending by version.
    pub releases: Vec<DistributionRelease>,
}

/// A release of a distribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistributionRelease {
    /// `1.34.5+rke2r1`, as a version.
    pub version: Version,
    /// `v1.34.5+rke2r1`, as tagged.
    pub name: String,
    /// The release of the runtime, as tagged: `v2.1.5`.
    pub runtime: String,
    /// Day of the release, `YYYY-MM-DD`.
    pub date: String,
}
