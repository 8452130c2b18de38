//! NRI's Go module: its packages, and the interface of its versions.

use semver::Version;

use crate::facts;
use crate::sighting::Interface;
use crate::unknown::UnknownSource;

pub(super) use crate::facts::MODULE;

/// The time when the dedicated RPCs were merged to the main branch, as in pseudo-versions:
/// 2026-04-15 19:11 UTC.
const DEDICATED_ON_MAIN: &str = "20260415191100";

/// The first release whose handlers take a context.
const CONTEXT_IN_HANDLERS: &str = "v0.4.0";

/// A package of NRI that indicates the role of its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::check) enum Package {
    /// Types of the protocol.
    Api,
    /// The runtime's side.
    Adaptation,
    /// The main function of v0.1.0 plugins.
    Skel,
    /// The plugin's side.
    Stub,
}

/// Returns the package of an import path, in NRI or in a fork of it.
pub(in crate::check) fn package(path: &str) -> Option<Package> {
    let (module, package) = [
        ("/pkg/api", Package::Api),
        ("/pkg/adaptation", Package::Adaptation),
        ("/pkg/stub", Package::Stub),
        ("/skel", Package::Skel),
    ]
    .iter()
    .find_map(|(end, package)| Some((path.strip_suffix(end)?, *package)))?;
    (module == MODULE || module.ends_with("/nri")).then_some(package)
}

/// Returns how a plugin built with the stub of this version receives its events.
pub(in crate::check) fn interface(version: &str) -> Interface {
    let Some(parsed) = parse(version) else {
        return Interface::unknown(UnknownSource::Version(version.to_owned()));
    };
    let reaches = |release: &str| parse(release).is_some_and(|release| parsed >= release);
    if !reaches(facts::PROTOCOL) {
        Interface::OneShot
    } else if reaches(facts::DEDICATED) {
        Interface::Dedicated
    } else if pseudo_time(&parsed).is_some_and(|time| time >= DEDICATED_ON_MAIN) {
        Interface::unknown(UnknownSource::Commit(version.to_owned()))
    } else {
        Interface::StateChange
    }
}

/// Returns true if the handlers of this version take a context. Those of earlier ones do not, so
/// that plugins have to be changed for a newer release.
pub(in crate::check) fn takes_context(version: &str) -> bool {
    parse(version) >= parse(CONTEXT_IN_HANDLERS)
}

/// Parses a version with its `v`. Versions without information, such as `(devel)`, or `v0.0.0` with
/// or without a suffix, return `None`.
pub(in crate::check) fn parse(version: &str) -> Option<Version> {
    let parsed = Version::parse(version.strip_prefix('v')?).ok()?;
    ((parsed.major, parsed.minor, parsed.patch) != (0, 0, 0)).then_some(parsed)
}

/// Returns the time in `v0.11.1-0.20260101000000-0123456789ab`: that of its commit, in UTC.
fn pseudo_time(version: &Version) -> Option<&str> {
    let (before, commit) = version.pre.as_str().rsplit_once('-')?;
    let time = before.rsplit('.').next()?;
    let digits = time.len() == 14 && time.bytes().all(|byte| byte.is_ascii_digit());
    (digits && commit.len() == 12).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_tell_generations() {
        for (versions, expected) in [
            ("v0.1.1", Interface::OneShot),
            ("v0.2.0 v0.11.0 v0.11.1-0.20260401000000-0123456789ab", Interface::StateChange),
            ("v0.12.0 v0.12.1-0.20260501000000-0123456789ab v1.0.0", Interface::Dedicated),
        ] {
            for version in versions.split(' ') {
                assert_eq!(interface(version), expected, "{version}");
            }
        }
        let unknown = "v0.11.1-0.20260416000000-0123456789ab v0.0.0-20260101000000-0123456789ab v0.0.0-unknown \
            (devel) 0.12.0 ";
        for version in unknown.split(' ') {
            let found = interface(version);
            assert!(matches!(found, Interface::Unknown(_)), "{version}");
        }
    }

    #[test]
    fn packages_are_known_in_forks_too() {
        for (path, expected) in [
            ("github.com/containerd/nri/pkg/stub", Some(Package::Stub)),
            ("example.org/me/nri/pkg/api", Some(Package::Api)),
            ("github.com/containerd/nri/skel", Some(Package::Skel)),
            ("github.com/containerd/nri/pkg/net", None),
            ("example.org/stub/pkg/stub", None),
        ] {
            assert_eq!(package(path), expected, "{path}");
        }
    }
}
