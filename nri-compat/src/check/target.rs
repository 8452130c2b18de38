//! What plugins are judged against: a release of NRI or of a runtime, and what it speaks.

use nri_codegen::history::{Deprecation, History, RemovalStatus};
use nri_codegen::model::{Event, Protocol};
use semver::Version;

use crate::diff::Target as RuntimeRelease;
use crate::error::{Error, ErrorKind};
use crate::report::check::CheckTarget;

/// A release to judge against.
#[derive(Clone, Debug)]
pub struct Target<'h> {
    /// Its name and what it links, as reports show it.
    pub head: CheckTarget,
    pub(super) history: &'h History,
    /// What it speaks; `None` where it knows only one-shot plugins.
    pub(super) protocol: Option<&'h Protocol>,
    /// The NRI release it links.
    pub(super) nri: Version,
    /// The runtime release, unless NRI itself was asked for.
    pub(super) runtime: Option<RuntimeRelease>,
}

impl<'h> Target<'h> {
    /// The target that a user names: `nri@0.12`, `containerd@2.3.4`, `cri-o@1.36`, `containerd@latest`; or
    /// `containerd@2.7`, which is only planned, but is when something goes.
    ///
    /// # Errors
    ///
    /// A target that does not exist, or lies outside the tables; the help names near ones.
    pub fn parse(history: &'h History, spec: &str) -> Result<Self, Error> {
        match spec.split_once('@') {
            Some(("nri", version)) => Self::of_nri(history, version),
            Some((runtime, version)) => match planned(history, runtime, version)? {
                Some(version) => Self::planned(history, runtime, version),
                None => Self::released(history, spec),
            },
            None => Err(
                Error::new(ErrorKind::Target, format!("`{spec}` is no target"))
                    .with_help("name a release: nri@0.12, containerd@2.3.4, cri-o@1.36"),
            ),
        }
    }

    /// The newest known release of NRI, for those who name no target.
    ///
    /// # Errors
    ///
    /// When the history's own tables are broken.
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
        })
    }

    fn released(history: &'h History, spec: &str) -> Result<Self, Error> {
        let at = history.runtime(spec).map_err(unknown)?;
        let runtime = RuntimeRelease {
            runtime: at.runtime.id.clone(),
            version: at.release.version.clone(),
        };
        let mut releases = history.releases().iter();
        let linked = releases.find(|release| release.name == at.release.nri);
        let protocol = match linked {
            Some(release) => Some(history.revision_of(release)?.protocol()?),
            None => None,
        };
        Ok(Self {
            head: CheckTarget {
                name: format!("{}@{}", runtime.runtime, runtime.version),
                nri: at.release.nri.clone(),
                ..CheckTarget::default()
            },
            history,
            protocol,
            nri: linked.map_or(Version::new(0, 1, 0), |release| release.version.clone()),
            runtime: Some(runtime),
        })
    }

    /// A release that is not out yet; it is taken to speak the newest known protocol.
    fn planned(history: &'h History, runtime: &str, version: Version) -> Result<Self, Error> {
        let mut target = Self::of_nri(history, "latest")?;
        target.head.name = format!("{runtime}@{}.{}", version.major, version.minor);
        target.head.planned = true;
        target.runtime = Some(RuntimeRelease {
            runtime: runtime.to_owned(),
            version,
        });
        Ok(target)
    }

    /// The event that an RPC name stands for, if the target knows it.
    pub(super) fn event(&self, rpc: &str) -> Option<&'h Event> {
        let nri = self.protocol?.nri.as_ref()?;
        nri.events.iter().find(|event| event.rpc_name == rpc)
    }

    /// Whether the deprecated thing is gone here: done, or planned for a release that this one is not before.
    pub(super) fn has_removed(&self, deprecation: &Deprecation) -> bool {
        let removal = &deprecation.removal;
        let by_nri = removal
            .when
            .nri
            .as_deref()
            .is_some_and(|since| self.reaches_nri(since));
        match removal.status {
            RemovalStatus::Done => by_nri || self.reaches(&removal.when.runtimes),
            // What a released version still has is not gone, whatever was planned for it.
            RemovalStatus::Planned => self.head.planned && self.reaches(&removal.when.runtimes),
        }
    }

    /// Whether it counts the thing as deprecated. Where the table says nothing of the runtime, its NRI decides.
    pub(super) fn deprecates(&self, deprecation: &Deprecation) -> bool {
        let since = &deprecation.deprecated_in;
        let runtime = self.runtime.as_ref();
        let named =
            runtime.is_some_and(|at| since.runtimes.iter().any(|(id, _)| *id == at.runtime));
        if named {
            return self.reaches(&since.runtimes);
        }
        since
            .nri
            .as_deref()
            .is_some_and(|since| self.reaches_nri(since))
    }

    pub(super) fn reaches_nri(&self, since: &str) -> bool {
        Version::parse(since.trim_start_matches('v')).is_ok_and(|since| self.nri >= since)
    }

    fn reaches(&self, series: &[(String, String)]) -> bool {
        let Some(at) = &self.runtime else {
            return false;
        };
        series
            .iter()
            .any(|(id, series)| *id == at.runtime && at.reaches(series))
    }
}

/// The version, if that is a series for which a removal is planned and of which nothing is released yet.
fn planned(history: &History, runtime: &str, version: &str) -> Result<Option<Version>, Error> {
    let released = |series: &str| {
        let spec = format!("{runtime}@{series}");
        history.runtime(&spec).is_ok()
    };
    let wanted = version.trim_start_matches('v');
    let all = history.deprecations().iter();
    let mut series = all.flat_map(|one| &one.removal.when.runtimes);
    let found =
        series.find(|(id, series)| id == runtime && of_series(wanted, series) && !released(series));
    Ok(found.and_then(|(_, series)| Version::parse(&format!("{series}.0")).ok()))
}

/// Whether `2.7` or `2.7.0` is of the series `2.7`.
fn of_series(version: &str, series: &str) -> bool {
    let rest = version.strip_prefix(series);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn unknown(error: nri_codegen::Error) -> Error {
    let error: Error = error.into();
    error.of_kind(ErrorKind::Target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(spec: &str) -> Result<CheckTarget, Error> {
        let history = History::embedded().expect("the tables fit together");
        Target::parse(&history, spec).map(|target| target.head)
    }

    #[test]
    fn releases_and_series_are_named_in_full() {
        let nri = head("nri@0.11").expect("known");
        assert_eq!(
            (nri.name.as_str(), nri.nri.as_str()),
            ("nri@0.11.0", "v0.11.0")
        );
        let old = head("containerd@1.6.4").expect("known");
        assert_eq!((old.nri.as_str(), old.planned), ("v0.1.0", false));
    }

    #[test]
    fn a_planned_release_says_so() {
        for spec in ["containerd@2.7", "containerd@v2.7.0"] {
            let target = head(spec).expect("planned");
            assert_eq!(
                (target.name.as_str(), target.planned),
                ("containerd@2.7", true)
            );
        }
    }

    #[test]
    fn what_does_not_exist_is_refused() {
        for spec in [
            "containerd@2.6",
            "containerd@2.70",
            "cri-o@2.7",
            "podman@1.0",
            "nri@0.1.0",
            "2.7",
            "nri@",
        ] {
            assert!(head(spec).is_err(), "{spec}");
        }
    }
}
