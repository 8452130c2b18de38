//! Releases, runtimes and deprecations, combined with the models of all protocol revisions.
//!
//! ```
//! use nri_schema::history::History;
//!
//! let history = History::embedded()?;
//! assert_eq!(history.release("0.11")?.name, "v0.11.0");
//! let linked = history.runtime("containerd@2.2.1")?;
//! assert_eq!(linked.release.nri, "v0.11.0");
//! assert!(history.release("0.13").unwrap_err().help().is_some());
//! # Ok::<(), nri_schema::Error>(())
//! ```

mod check;
mod deprecation;
mod disk;
mod distribution;
// The layout of generated code is that of its generator.
#[rustfmt::skip]
mod embedded;
mod lineage;
mod lookup;
#[cfg(feature = "tables")]
mod read;
mod release;
mod revision;
mod row;
mod runtime;

use std::borrow::Cow;

use crate::compile::Compiled;
use crate::error::{Error, ErrorKind, Problem};

pub use crate::release::{OneShot, Release};
pub use deprecation::{Deprecation, Interface, Removal, RemovalStatus, Since, Warning};
pub use distribution::{Distribution, DistributionRelease};
pub use lineage::EventHistory;
pub use revision::{Proto, Revision};
pub use runtime::{Runtime, RuntimeAt, RuntimeRelease};

/// All known releases and revisions of the protocol. Protos are parsed on first use.
#[derive(Debug)]
pub struct History {
    versions: release::Versions,
    revisions: Vec<Revision>,
    deprecations: Vec<Deprecation>,
    tables: Tables,
    runtimes: Vec<Runtime>,
    distributions: Vec<Distribution>,
}

/// The files of `nri-protos` as text, from which a [`History`] is read.
#[derive(Clone, Debug)]
pub struct Tables {
    /// The text of `versions.toml`: releases of NRI.
    pub versions: Cow<'static, str>,
    /// The text of `runtimes.toml`: releases of container runtimes.
    pub runtimes: Cow<'static, str>,
    /// The text of `distributions.toml`: releases of distributions of Kubernetes. Empty if there is
    /// no such file.
    pub distributions: Cow<'static, str>,
    /// The text of `deprecations.toml`.
    pub deprecations: Cow<'static, str>,
    /// The proto of each revision, in any order.
    pub protos: Vec<Proto>,
}

impl History {
    /// Reads the history embedded in this crate: the protos and tables of `nri-protos`.
    ///
    /// # Errors
    ///
    /// Returns an error if a table is malformed or its entries are inconsistent; tests ensure that
    /// this does not happen.
    pub fn embedded() -> Result<History, Error> {
        let tables = Tables::embedded();
        let (versions, deprecations) = (embedded::versions(), embedded::deprecations());
        let (runtimes, distributions) = (embedded::runtimes(), embedded::distributions());
        History::new(versions, runtimes, distributions, deprecations, tables)
    }

    /// `tables` are the texts of which the values were read, and the protos.
    fn new(
        versions: release::Versions,
        runtimes: Vec<Runtime>,
        distributions: Vec<Distribution>,
        deprecations: Vec<Deprecation>,
        tables: Tables,
    ) -> Result<History, Error> {
        let revisions = revisions(&versions.releases, &tables)?;
        Ok(History { versions, revisions, deprecations, tables, runtimes, distributions })
    }

    /// Returns the files that the history was read from.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Returns the releases that speak the protocol, including untagged ones, ascending by version.
    pub fn releases(&self) -> &[Release] {
        &self.versions.releases
    }

    /// Returns the releases before the protocol.
    pub fn one_shot(&self) -> &[OneShot] {
        &self.versions.one_shot
    }

    /// Returns the path of NRI's Go module, if the table names it.
    pub fn module(&self) -> Option<&str> {
        self.versions.module.as_deref()
    }

    /// Returns the name of the first release that loads WebAssembly plugins, if the table names it.
    /// No proto shows this.
    pub fn wasm_since(&self) -> Option<&str> {
        self.versions.wasm.as_deref()
    }

    /// Returns the protocol revisions, oldest first.
    pub fn revisions(&self) -> &[Revision] {
        &self.revisions
    }

    /// Returns the deprecations, in the order of the table.
    pub fn deprecations(&self) -> &[Deprecation] {
        &self.deprecations
    }

    /// Returns the container runtimes, in the order of the table.
    pub fn runtimes(&self) -> &[Runtime] {
        &self.runtimes
    }

    /// Returns the distributions of Kubernetes, in the order of the table.
    pub fn distributions(&self) -> &[Distribution] {
        &self.distributions
    }

    /// Returns the date of the newest release in the tables, of NRI or a runtime: `2026-10-23`.
    pub fn date(&self) -> &str {
        let releases = self.releases().iter().map(|release| release.date.as_str());
        let runtimes = self.runtimes().iter().flat_map(|runtime| &runtime.releases);
        let dates = releases.chain(runtimes.map(|release| release.date.as_str()));
        dates.max().unwrap_or_default()
    }

    /// Returns the revision of `release`.
    ///
    /// # Errors
    ///
    /// Returns an error if `release` is not in this history.
    pub fn revision_of(&self, release: &Release) -> Result<&Revision, Error> {
        let found = self.revisions.iter().find(|revision| revision.name() == release.revision);
        found.ok_or_else(|| {
            let fact = format!("revision {} is not in this history", release.revision);
            Problem::new(ErrorKind::Version, fact).into()
        })
    }

    /// Returns the releases with `revision`, ascending.
    pub fn releases_of(&self, revision: &Revision) -> impl Iterator<Item = &Release> {
        let name = revision.name().to_owned();
        self.releases().iter().filter(move |release| release.revision == name)
    }

    /// Returns the descriptors of a version: a release, `latest`, or the release that a runtime
    /// links.
    ///
    /// # Errors
    ///
    /// Returns an error if the version is unknown, in which case it lists similar ones, or predates
    /// the protocol.
    pub fn compiled_for(&self, spec: &str) -> Result<Compiled, Error> {
        let release = self.version(spec)?;
        let mut compiled = self.revision_of(release)?.compiled()?.clone();
        compiled.origin = if spec.contains('@') {
            format!("{spec} (NRI {})", release.name)
        } else {
            release.name.clone()
        };
        compiled.release = Some(release.clone());
        Ok(compiled)
    }
}

/// Returns the revisions that releases name, oldest first, each with its proto.
fn revisions(releases: &[Release], tables: &Tables) -> Result<Vec<Revision>, Error> {
    let mut problems = Vec::new();
    let mut revisions: Vec<Revision> = Vec::new();
    for release in releases {
        if revisions.iter().any(|known| known.name() == release.revision) {
            continue;
        }
        match tables.protos.iter().find(|proto| proto.revision == release.revision) {
            Some(proto) => revisions.push(Revision::new(proto.clone())),
            None => problems.push(no_proto(release)),
        }
    }
    Error::unless_empty(problems)?;
    Ok(revisions)
}

fn no_proto(release: &Release) -> Problem {
    let fact =
        format!("release {} names revision {}, which has no proto", release.name, release.revision);
    Problem::new(ErrorKind::Table, fact).in_file(release::FILE)
}
