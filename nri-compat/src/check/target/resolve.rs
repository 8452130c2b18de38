//! Finds the release that a name stands for, and a substitute for one that the tables do not have.

mod newer;
#[cfg(test)]
mod tests;

use nri_schema::history::History;
use nri_schema::version::{self, without_v};
use semver::Version;

use super::name::numbers;
use super::{ReleaseName, Target};
use crate::error::{Error, ErrorKind};
use crate::report::check::CheckTarget;
use crate::runtime_release::RuntimeRelease;

/// The treatment of releases that are not in the tables, which is also the help of the command
/// line.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
#[group(skip)]
pub struct UnknownReleases {
    /// Fail if a target is not in the tables, instead of treating a release that is newer than the
    /// tables as the newest known one of its line.
    #[arg(long = "strict-targets")]
    pub strict: bool,
    /// The NRI release (nri@0.12) that runtime releases of an unknown minor are assumed to link.
    #[arg(long, value_name = "RELEASE")]
    pub assume: Option<String>,
}

impl UnknownReleases {
    /// Returns an error if a release must not be treated as another one.
    fn allow(&self, name: &ReleaseName, assumed: &str) -> Result<(), Error> {
        if !self.strict {
            return Ok(());
        }
        let (spec, suffix) = (name.spec(), &name.suffix);
        let message =
            format!("{spec}{suffix} is not in the tables and would be treated as {assumed}");
        Err(Error::new(ErrorKind::Target, message).with_help(
            "use a newer nri-compat, or newer tables with `--data DIR`, or leave out --strict-targets",
        ))
    }
}

impl<'h> Target<'h> {
    /// Returns the release that a user names: `nri@0.12`, `containerd@2.3.4`, `cri-o@1.36`,
    /// `containerd@latest`; a release of a distribution, for the runtime that it ships, such as
    /// `rke2@v1.34.5` or `k0s@1.36`; `containerd@2.7`, which is only planned, but is the release of
    /// a planned removal; or in a form printed by machines, see [`ReleaseName::parse`].
    ///
    /// # Errors
    ///
    /// Returns an error if the release does not exist or is not in the tables; the help names
    /// similar ones.
    pub fn parse(history: &'h History, spec: &str) -> Result<Self, Error> {
        Self::resolve(history, spec, &UnknownReleases::default())
    }

    /// Like [`Target::parse`], with options for releases that are not in the tables.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Target::parse`], and one for assumptions if `unknown` is strict.
    pub fn resolve(
        history: &'h History,
        spec: &str,
        unknown: &UnknownReleases,
    ) -> Result<Self, Error> {
        let name = ReleaseName::parse(spec).ok_or_else(|| not_a_release(spec))?;
        if let Some(target) = Self::exact(history, spec)? {
            return Ok(target);
        }
        let spec = spec.trim();
        let mut target = match Self::exact(history, &name.spec())? {
            Some(target) => target,
            None => Self::assumed(history, &name, unknown)?,
        };
        if spec != name.spec() {
            target.head.given = Some(first_line(spec).to_owned());
        }
        let is_other_build =
            || !name.suffix.is_empty() && history.distribution(&name.name).is_some();
        if (name.is_prerelease() || is_other_build()) && target.head.assumed.is_none() {
            unknown.allow(&name, &name.version)?;
            target.head.assumed = Some(name.version);
        }
        Ok(target)
    }

    /// Returns the release with exactly this name, or `None` if the tables do not have it.
    fn exact(history: &'h History, spec: &str) -> Result<Option<Self>, Error> {
        let Some((name, version)) = spec.split_once('@') else {
            return Ok(None);
        };
        if name == "nri" {
            let is_known = history.release(version).is_ok();
            return is_known.then(|| Self::of_nri(history, version)).transpose();
        }
        if let Some(version) = planned(history, name, version)? {
            return Self::planned(history, name, version).map(Some);
        }
        if history.runtime(spec).is_err() {
            return Ok(None);
        }
        Self::released(history, spec).map(Some)
    }

    /// Returns the substitute for a release that the tables do not have.
    fn assumed(
        history: &'h History,
        name: &ReleaseName,
        unknown: &UnknownReleases,
    ) -> Result<Self, Error> {
        if let Some(target) = Self::newer_patch(history, name, unknown)? {
            return Ok(target);
        }
        if unknown.assume.is_none()
            && let Some(target) = newer::assumed(history, name, unknown)?
        {
            return Ok(target);
        }
        let error = || Self::lookup_error(history, name);
        let known_runtime = history.runtime(&name.name).is_ok();
        match (&unknown.assume, name.series()) {
            (Some(nri), Some(version)) if known_runtime => {
                Self::assumed_nri(history, name, version, nri)
            }
            (None, Some(_)) if known_runtime => Err(unknown_minor(error(), history)),
            _ => Err(error()),
        }
    }

    /// Returns the newest known release of the same minor, for a newer patch release.
    fn newer_patch(
        history: &'h History,
        name: &ReleaseName,
        unknown: &UnknownReleases,
    ) -> Result<Option<Self>, Error> {
        let Some(wanted) = name.patch().filter(|_| history.distribution(&name.name).is_none())
        else {
            return Ok(None);
        };
        let series = format!("{}@{}.{}", name.name, wanted.major, wanted.minor);
        let Some(mut target) = Self::exact(history, &series)? else {
            return Ok(None);
        };
        let known = target.runtime.as_ref().map_or(&target.nri, |at| &at.version);
        if target.head.planned || wanted <= *known {
            return Ok(None);
        }
        let assumed = known.to_string();
        unknown.allow(name, &assumed)?;
        target.head.assumed = Some(assumed);
        target.head.name = name.spec();
        if let Some(runtime) = &mut target.runtime {
            runtime.version = wanted;
        }
        Ok(Some(target))
    }

    /// Returns a runtime release that is assumed to link this NRI.
    fn assumed_nri(
        history: &'h History,
        name: &ReleaseName,
        version: Version,
        nri: &str,
    ) -> Result<Self, Error> {
        let mut target = match nri.split_once('@') {
            Some(("nri", release)) => Self::of_nri(history, release)?,
            _ => return Err(not_an_nri_release(nri)),
        };
        target.head.assumed = Some(target.head.name);
        target.head.name = name.spec();
        target.runtime = Some(RuntimeRelease { runtime: name.name.clone(), version });
        Ok(target)
    }

    /// Returns the error for a release that the history does not have.
    fn lookup_error(history: &History, name: &ReleaseName) -> Error {
        let error = if name.name == "nri" {
            history.release(&name.version).err()
        } else {
            history.runtime(&name.spec()).err()
        };
        error.map_or_else(|| not_a_release(&name.spec()), unknown)
    }

    /// Returns the newest known release of NRI, which is the default target.
    ///
    /// # Errors
    ///
    /// Returns an error if the tables of the history are broken.
    pub fn newest(history: &'h History) -> Result<Self, Error> {
        let mut target = Self::of_nri(history, "latest")?;
        target.head.by_default = true;
        Ok(target)
    }

    fn of_nri(history: &'h History, version: &str) -> Result<Self, Error> {
        let release = history.release(version).map_err(unknown)?;
        Ok(Self {
            head: CheckTarget {
                name: format!("nri@{}", release.version),
                nri: release.name.clone(),
                ..CheckTarget::default()
            },
            history,
            protocol: Some(history.revision_of(release)?.protocol()?),
            nri: release.version.clone(),
            runtime: None,
            is_runtime_known: true,
            is_of_nodes: false,
        })
    }

    fn released(history: &'h History, spec: &str) -> Result<Self, Error> {
        let at = history.runtime(spec).map_err(unknown)?;
        let runtime =
            RuntimeRelease { runtime: at.runtime.id.clone(), version: at.release.version.clone() };
        let is_distribution = !spec.starts_with(&format!("{}@", runtime.runtime));
        let linked = history.releases().iter().find(|release| release.name == at.release.nri);
        let protocol = match linked {
            Some(release) => Some(history.revision_of(release)?.protocol()?),
            None => None,
        };
        Ok(Self {
            head: CheckTarget {
                name: format!("{}@{}", runtime.runtime, runtime.version),
                nri: at.release.nri.clone(),
                given: is_distribution.then(|| spec.to_owned()),
                ..CheckTarget::default()
            },
            history,
            protocol,
            nri: release_number(&at.release.nri),
            runtime: Some(runtime),
            is_runtime_known: true,
            is_of_nodes: false,
        })
    }

    /// Returns an unreleased version, which is assumed to speak the newest known protocol.
    fn planned(history: &'h History, runtime: &str, version: Version) -> Result<Self, Error> {
        let mut target = Self::of_nri(history, "latest")?;
        target.head.name = format!("{runtime}@{}.{}", version.major, version.minor);
        target.head.planned = true;
        target.runtime = Some(RuntimeRelease { runtime: runtime.to_owned(), version });
        Ok(target)
    }
}

/// Returns the version if it belongs to an unreleased series for which a removal is planned.
fn planned(history: &History, runtime: &str, version: &str) -> Result<Option<Version>, Error> {
    let released = |series: &str| {
        let spec = format!("{runtime}@{series}");
        history.runtime(&spec).is_ok()
    };
    let wanted = without_v(version);
    let found = history
        .deprecations()
        .iter()
        .flat_map(|one| &one.removal.when.runtimes)
        .find(|(id, series)| id == runtime && of_series(wanted, series) && !released(series));
    Ok(found.and_then(|(_, series)| Version::parse(&format!("{series}.0")).ok()))
}

/// Returns the number of a release of NRI, which may be older than the protocol; `0.0.0` if its
/// name has none.
fn release_number(name: &str) -> Version {
    version::parse(name).unwrap_or_else(|| Version::new(0, 0, 0))
}

/// Returns true if a version such as `2.7` or `2.7.0` belongs to the series `2.7`.
fn of_series(version: &str, series: &str) -> bool {
    let is_patch = version.starts_with(&format!("{series}."));
    version == series || is_patch && numbers(version).is_some()
}

fn not_a_release(spec: &str) -> Error {
    let message = format!("`{}` does not name a release", first_line(spec));
    Error::new(ErrorKind::Target, message).with_help(
        "name one as nri@0.12, containerd@2.3.4, cri-o@1.36, rke2@v1.34.5, k0s@1.36 or talos@1.13, or as a node names it: containerd://2.4.2",
    )
}

fn not_an_nri_release(spec: &str) -> Error {
    let message = format!("`{}` does not name a release of NRI", first_line(spec));
    Error::new(ErrorKind::Target, message).with_help("name one as nri@0.12")
}

/// Adds to the near matches how to judge a release of another minor.
fn unknown_minor(error: Error, history: &History) -> Error {
    let newest = history.release("latest").map_or("0.12", |release| without_v(&release.name));
    let near = error.help().unwrap_or_default().to_owned();
    error.with_help(format!(
        "{near}; or use a newer nri-compat, or newer tables with `--data DIR`, or name the NRI that it links, for example \
         `--assume nri@{newest}`"
    ))
}

fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default()
}

fn unknown(error: nri_schema::Error) -> Error {
    let error: Error = error.into();
    error.of_kind(ErrorKind::Target)
}
