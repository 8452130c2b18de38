//! Rows of the generated tables, as values of the history.

use semver::{BuildMetadata, Prerelease, Version};

use super::{DistributionRelease, RuntimeRelease};
use crate::release::{OneShot, Release};

/// Major, minor and patch.
pub(super) type Number = (u64, u64, u64);

/// Returns a release with a tag: its name, version, revision and date.
pub(super) fn release(name: &str, version: Number, revision: &str, date: &str) -> Release {
    Release {
        version: number(version),
        name: name.to_owned(),
        revision: revision.to_owned(),
        date: date.to_owned(),
        untagged: false,
        shipped_by: None,
    }
}

/// Returns a release without a tag: what follows the hyphen in its version, and the runtimes that
/// pin it.
pub(super) fn untagged(release: Release, pre: &str, shipped_by: &str) -> Release {
    Release {
        version: Version {
            // The generator takes it from a valid version.
            pre: Prerelease::new(pre).unwrap_or_default(),
            ..release.version
        },
        untagged: true,
        shipped_by: (!shipped_by.is_empty()).then(|| shipped_by.to_owned()),
        ..release
    }
}

/// Returns a release before the protocol.
pub(super) fn one_shot(name: &str, date: &str) -> OneShot {
    OneShot { name: name.to_owned(), date: date.to_owned() }
}

/// Returns the release of a runtime: its name, version, the NRI that it links, and its date.
pub(super) fn linking(name: &str, version: Number, nri: &str, date: &str) -> RuntimeRelease {
    RuntimeRelease {
        version: number(version),
        name: name.to_owned(),
        nri: nri.to_owned(),
        date: date.to_owned(),
    }
}

/// Returns the release of a distribution: its name, version, the part of the version after the `+`,
/// the release of the runtime that it ships, and its date.
pub(super) fn shipping(
    name: &str,
    version: Number,
    build: &str,
    runtime: &str,
    date: &str,
) -> DistributionRelease {
    DistributionRelease {
        version: Version {
            // The generator takes it from a valid version.
            build: BuildMetadata::new(build).unwrap_or_default(),
            ..number(version)
        },
        name: name.to_owned(),
        runtime: runtime.to_owned(),
        date: date.to_owned(),
    }
}

/// Returns pairs of texts.
pub(super) fn pairs<const N: usize>(pairs: [(&str, &str); N]) -> Vec<(String, String)> {
    let owned = |(one, other): (&str, &str)| (one.to_owned(), other.to_owned());
    pairs.map(owned).into()
}

/// Returns texts.
pub(super) fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).into()
}

fn number((major, minor, patch): Number) -> Version {
    Version::new(major, minor, patch)
}
