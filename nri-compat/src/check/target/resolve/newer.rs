//! Releases that are newer than the tables: judged as the newest known one of their line.

use nri_schema::history::{Distribution, History};
use semver::Version;

use super::super::{ReleaseName, Target};
use super::UnknownReleases;
use crate::error::Error;
use crate::runtime_release::RuntimeRelease;

/// The maximum distance from the newest known minor release. A number further away is a typing
/// error.
const MAX_MINORS: u64 = 10;

/// The newest minor release of the next major one that may exist.
const MAX_MINOR_OF_NEXT: u64 = 2;

/// Returns the newest known release as a substitute for a later one; `None` for a release that the
/// tables should have, or that is unlikely to exist.
pub(super) fn assumed<'h>(
    history: &'h History,
    name: &ReleaseName,
    unknown: &UnknownReleases,
) -> Result<Option<Target<'h>>, Error> {
    let Some(wanted) = name.series() else {
        return Ok(None);
    };
    if let Some(distribution) = history.distribution(&name.name) {
        return of_distribution(history, distribution, name, &wanted, unknown);
    }
    let Some(mut target) = Target::exact(history, &format!("{}@latest", name.name))? else {
        return Ok(None);
    };
    let known = target.runtime.as_ref().map_or(&target.nri, |at| &at.version).clone();
    if !follows(&wanted, &known) {
        return Ok(None);
    }
    target.head.name = name.spec();
    if target.runtime.is_some() {
        target.runtime = Some(RuntimeRelease { runtime: name.name.clone(), version: wanted });
    }
    as_newer(target, name, &known.to_string(), unknown).map(Some)
}

/// Returns the runtime of the newest known release of a distribution: of the same minor release, or
/// else of all.
fn of_distribution<'h>(
    history: &'h History,
    distribution: &Distribution,
    name: &ReleaseName,
    wanted: &Version,
    unknown: &UnknownReleases,
) -> Result<Option<Target<'h>>, Error> {
    let mut releases = distribution.releases.iter().rev();
    let of_minor = releases.clone().find(|release| {
        (release.version.major, release.version.minor) == (wanted.major, wanted.minor)
    });
    let Some(known) = of_minor.or_else(|| releases.next()) else {
        return Ok(None);
    };
    let number = Version::new(known.version.major, known.version.minor, known.version.patch);
    if !follows(wanted, &number) {
        return Ok(None);
    }
    let spec = format!("{}@{}", distribution.id, known.name);
    let target = Target::exact(history, &spec)?.map(|mut target| {
        // The runtime that it ships may be any later one.
        target.is_runtime_known = false;
        target.head.given = Some(name.spec());
        as_newer(target, name, &spec, unknown)
    });
    target.transpose()
}

/// Marks a target as the substitute for a later release.
fn as_newer<'h>(
    mut target: Target<'h>,
    name: &ReleaseName,
    known: &str,
    unknown: &UnknownReleases,
) -> Result<Target<'h>, Error> {
    unknown.allow(name, known)?;
    target.head.assumed = Some(known.to_owned());
    target.head.newer_than_data = Some(target.history.date().to_owned());
    Ok(target)
}

/// Returns true if a version may be a release after the newest known one.
fn follows(wanted: &Version, known: &Version) -> bool {
    let is_later = wanted > known;
    let is_near = if wanted.major == known.major {
        wanted.minor.saturating_sub(known.minor) <= MAX_MINORS
    } else {
        wanted.major == known.major.saturating_add(1) && wanted.minor <= MAX_MINOR_OF_NEXT
    };
    is_later && is_near
}
