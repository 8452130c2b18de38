//! Deprecations, with their start, planned end and replacement: `deprecations.toml`.

use std::ops::Range;

use semver::Version;

use crate::version;

pub(super) const FILE: &str = "deprecations.toml";

/// A deprecated interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deprecation {
    /// Permanent id.
    pub id: String,
    /// The deprecated interface.
    pub interface: Interface,
    /// A summary in one line for reports.
    pub summary: String,
    /// The release since which it is deprecated.
    pub deprecated_in: Since,
    /// The first runtime release that warns the operator, if any.
    pub warned_by: Option<Warning>,
    /// The planned or actual removal.
    pub removal: Removal,
    /// The enum values of `Event`, each with the RPC of service `Plugin` that carries it instead,
    /// in the order of the table.
    pub replaced_by: Vec<(String, String)>,
    /// The remedy for the author of a plugin.
    pub remedy: String,
    /// The sources of this decision.
    pub sources: Vec<String>,
    /// The bytes of the table that declare it; empty if the table was not read from text.
    pub(super) place: Range<usize>,
}

/// A deprecated interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interface {
    /// An RPC, with its request; full names.
    Rpc {
        /// `nri.pkg.api.v1alpha1.Plugin.StateChange`
        rpc: String,
        /// `nri.pkg.api.v1alpha1.StateChangeEvent`
        message: Option<String>,
    },
    /// A kind of plugin, which no proto declares.
    Plugin,
    /// A function that WebAssembly plugins export.
    Wasm {
        /// `plugin_state_change`
        function: String,
    },
}

/// An NRI release and series of runtimes, each optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Since {
    /// `v0.12.0`
    pub nri: Option<String>,
    /// Runtime id and series: `("containerd", "2.3")`.
    pub runtimes: Vec<(String, String)>,
}

/// The warning of a runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Runtime id and first release: `("containerd", "2.3.4")`.
    pub runtimes: Vec<(String, String)>,
    /// The id of the warning.
    pub id: String,
}

/// The end of a deprecated interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// Announced or done.
    pub status: RemovalStatus,
    /// The releases.
    pub when: Since,
    /// The visible effect, if it is done.
    pub effect: Option<String>,
}

/// The status of a removal. A planned removal has no effect until it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovalStatus {
    /// Announced; still works.
    Planned,
    /// Done.
    Done,
}

impl Since {
    /// Returns the releases in words: `NRI v0.12.0, containerd 2.3`; `None` if there are none.
    pub fn words(&self) -> Option<String> {
        let nri = self.nri.iter().map(|nri| format!("NRI {nri}"));
        let runtimes = self.runtimes.iter().map(|(runtime, series)| format!("{runtime} {series}"));
        let all: Vec<String> = nri.chain(runtimes).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// Returns true if this NRI release is the named one or a later one.
    pub fn in_nri(&self, release: &Version) -> bool {
        let since = self.nri.as_deref().and_then(version::parse);
        since.is_some_and(|since| *release >= since)
    }

    /// Returns true if this release of a runtime belongs to the named series or a later one.
    pub fn in_runtime(&self, runtime: &str, release: &Version) -> bool {
        in_series(&self.runtimes, runtime, release)
    }

    /// Returns true if it holds in a release of a runtime, given as id and version, or of NRI: by
    /// the series if the runtime is named, else by the NRI release, which the runtime links.
    pub fn holds(&self, runtime: Option<(&str, &Version)>, nri: Option<&Version>) -> bool {
        match runtime {
            Some((id, release)) if self.runtimes.iter().any(|(known, _)| known == id) => {
                self.in_runtime(id, release)
            }
            _ => nri.is_some_and(|nri| self.in_nri(nri)),
        }
    }
}

impl Warning {
    /// Returns true if this release of a runtime warns the operator.
    pub fn is_given_by(&self, runtime: &str, release: &Version) -> bool {
        in_series(&self.runtimes, runtime, release)
    }
}

impl Removal {
    /// Returns the status in words: `planned for containerd 2.7`, `done in NRI v0.12.0`, `not
    /// planned`.
    pub fn words(&self) -> String {
        match (self.status, self.when.words()) {
            (RemovalStatus::Planned, None) => "not planned".to_owned(),
            (RemovalStatus::Planned, Some(when)) => format!("planned for {when}"),
            (RemovalStatus::Done, when) => format!("done in {}", when.unwrap_or_default()),
        }
    }
}

/// Returns true if a release belongs to one of these series of its runtime, or to a later one. A
/// series is `2.7`, or a release such as `2.3.4`.
fn in_series(all: &[(String, String)], runtime: &str, release: &Version) -> bool {
    let release = [release.major, release.minor, release.patch];
    let mut all = all.iter().filter(|(id, _)| id == runtime);
    all.any(|(_, series)| {
        let mut parts = series.split('.').map(|part| part.parse().unwrap_or(u64::MAX));
        release
            >= std::array::from_fn(|at| parts.next().unwrap_or(if at == 0 { u64::MAX } else { 0 }))
    })
}

impl Deprecation {
    /// Returns a phrase about the removal: `removal is planned for containerd 2.7`; `None` if there
    /// is not a plan.
    pub fn outlook(&self) -> Option<String> {
        let when = self.removal.when.words()?;
        Some(match self.removal.status {
            RemovalStatus::Planned => format!("removal is planned for {when}"),
            RemovalStatus::Done => format!("removed in {when}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn since(nri: Option<&str>, series: &[(&str, &str)]) -> Since {
        let owned = |(id, first): &(&str, &str)| ((*id).to_owned(), (*first).to_owned());
        Since { nri: nri.map(str::to_owned), runtimes: series.iter().map(owned).collect() }
    }

    #[test]
    fn series_are_compared_by_number() {
        let reached =
            |series| since(None, &[("a", series)]).in_runtime("a", &Version::new(2, 10, 0));
        assert!(reached("2.7") && reached("2.10") && reached("2"));
        assert!(!reached("2.11") && !reached("2.10.1") && !reached("3") && !reached(""));
    }

    #[test]
    fn the_series_of_a_named_runtime_decides_and_else_nri() {
        let since = since(Some("v0.12.0"), &[("a", "2.3")]);
        let (new, old) = (Version::new(0, 12, 0), Version::new(0, 11, 0));
        assert!(!since.holds(Some(("a", &Version::new(2, 2, 9))), Some(&new)));
        assert!(since.holds(Some(("a", &Version::new(2, 3, 0))), Some(&old)));
        assert!(since.holds(Some(("b", &Version::new(1, 0, 0))), Some(&new)));
        assert!(!since.holds(Some(("b", &Version::new(1, 0, 0))), Some(&old)));
        assert!(since.holds(None, Some(&new)) && !since.holds(None, None));
        assert_eq!(since.words().as_deref(), Some("NRI v0.12.0, a 2.3"));
    }
}
