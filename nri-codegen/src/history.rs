//! Releases, runtimes and deprecations, laid over the models of all protocol revisions.
//!
//! ```
//! use nri_codegen::history::History;
//!
//! let history = History::embedded()?;
//! assert_eq!(history.release("0.11")?.name, "v0.11.0");
//! let linked = history.runtime("containerd@2.2.1")?;
//! assert_eq!(linked.release.nri, "v0.11.0");
//! assert!(history.release("0.13").unwrap_err().help().is_some());
//! # Ok::<(), nri_codegen::Error>(())
//! ```

mod check;
mod deprecation;
mod disk;
mod lineage;
mod lookup;
mod release;
mod runtime;
mod table;

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::compile::{self, Compiled};
use crate::error::{Error, ErrorKind, Problem};
use crate::model::Protocol;

pub use deprecation::{Deprecation, Interface, Removal, RemovalStatus, Since, Warning};
pub use lineage::EventHistory;
pub use release::{OneShot, Release};
pub use runtime::{Runtime, RuntimeAt, RuntimeRelease};

/// Everything known about the protocol's past. Protos and the larger table are read when first asked for.
#[derive(Debug)]
pub struct History {
    releases: Vec<Release>,
    one_shot: Vec<OneShot>,
    revisions: Vec<Revision>,
    deprecations: Vec<Deprecation>,
    tables: Tables,
    runtimes: OnceLock<Vec<Runtime>>,
}

/// The files of `nri-protos` as text: what a [`History`] is read from.
#[derive(Clone, Debug)]
pub struct Tables {
    /// The text of `versions.toml`: releases of NRI.
    pub versions: Cow<'static, str>,
    /// The text of `runtimes.toml`: releases of container runtimes.
    pub runtimes: Cow<'static, str>,
    /// The text of `deprecations.toml`.
    pub deprecations: Cow<'static, str>,
    /// Name and proto of each revision, in any order.
    pub protos: Vec<(String, Cow<'static, str>)>,
}

/// One protocol revision: a proto, and the releases that carry it.
#[derive(Debug)]
pub struct Revision {
    name: String,
    proto: Cow<'static, str>,
    compiled: OnceLock<Compiled>,
    protocol: OnceLock<Protocol>,
}

impl Revision {
    /// Its name: that of the first release that carries it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its proto, comments included.
    pub fn proto(&self) -> &str {
        &self.proto
    }

    /// Its descriptors; compiled when first asked for.
    ///
    /// # Errors
    ///
    /// If the proto does not compile, which only a revision under import can bring about.
    pub fn compiled(&self) -> Result<&Compiled, Error> {
        if let Some(compiled) = self.compiled.get() {
            return Ok(compiled);
        }
        let mut compiled = compile::text("api.proto", &self.proto)?;
        compiled.origin.clone_from(&self.name);
        Ok(self.compiled.get_or_init(|| compiled))
    }

    /// Its model; read when first asked for.
    ///
    /// # Errors
    ///
    /// As for [`Revision::compiled`].
    pub fn protocol(&self) -> Result<&Protocol, Error> {
        let compiled = self.compiled()?;
        Ok(self.protocol.get_or_init(|| Protocol::read(compiled)))
    }
}

impl History {
    /// The history that this crate carries: the protos and tables of `nri-protos`.
    ///
    /// # Errors
    ///
    /// If a table is malformed or its entries do not fit together; a build with such a table does not pass the tests.
    pub fn embedded() -> Result<History, Error> {
        History::from_tables(Tables::embedded())
    }

    /// Reads a history from the text of its tables.
    ///
    /// # Errors
    ///
    /// If a table is malformed, or a release names a revision that has no proto.
    pub fn from_tables(tables: Tables) -> Result<History, Error> {
        let (releases, one_shot) = release::read(&tables.versions)?;
        let deprecations = deprecation::read(&tables.deprecations)?;
        let revisions = revisions(&releases, &tables)?;
        Ok(History {
            releases,
            one_shot,
            revisions,
            deprecations,
            tables,
            runtimes: OnceLock::new(),
        })
    }

    /// Releases that speak the protocol, ascending by version, untagged ones included.
    pub fn releases(&self) -> &[Release] {
        &self.releases
    }

    /// Releases from before the protocol.
    pub fn one_shot(&self) -> &[OneShot] {
        &self.one_shot
    }

    /// Protocol revisions, oldest first.
    pub fn revisions(&self) -> &[Revision] {
        &self.revisions
    }

    /// What is deprecated, in the table's order.
    pub fn deprecations(&self) -> &[Deprecation] {
        &self.deprecations
    }

    /// Container runtimes, in the table's order.
    ///
    /// # Errors
    ///
    /// If the table is malformed.
    pub fn runtimes(&self) -> Result<&[Runtime], Error> {
        if let Some(runtimes) = self.runtimes.get() {
            return Ok(runtimes);
        }
        let runtimes = runtime::read(&self.tables.runtimes)?;
        Ok(self.runtimes.get_or_init(|| runtimes))
    }

    /// Returns the date of the newest release in the tables, of NRI or a runtime: `2026-10-23`.
    ///
    /// # Errors
    ///
    /// If the table of runtimes is malformed.
    pub fn date(&self) -> Result<&str, Error> {
        let releases = self.releases.iter().map(|release| release.date.as_str());
        let runtimes = self.runtimes()?.iter();
        let runtimes = runtimes.flat_map(|runtime| &runtime.releases);
        let dates = releases.chain(runtimes.map(|release| release.date.as_str()));
        Ok(dates.max().unwrap_or_default())
    }

    /// The revision that `release` carries.
    ///
    /// # Errors
    ///
    /// If `release` is not one of this history.
    pub fn revision_of(&self, release: &Release) -> Result<&Revision, Error> {
        let mut revisions = self.revisions.iter();
        let found = revisions.find(|revision| revision.name == release.revision);
        found.ok_or_else(|| {
            let fact = format!("revision {} is not in this history", release.revision);
            Problem::new(ErrorKind::Version, fact).into()
        })
    }

    /// Releases that carry `revision`, ascending.
    pub fn releases_of(&self, revision: &Revision) -> impl Iterator<Item = &Release> {
        let name = revision.name.clone();
        self.releases
            .iter()
            .filter(move |release| release.revision == name)
    }

    /// Compiles what a version stands for: a release, `latest`, or what a runtime links.
    ///
    /// # Errors
    ///
    /// An unknown version lists the ones near it; one without a protocol says so.
    pub fn compiled_for(&self, spec: &str) -> Result<Compiled, Error> {
        let release = self.version(spec)?;
        let mut compiled = self.revision_of(release)?.compiled()?.clone();
        compiled.origin = match spec.contains('@') {
            true => format!("{spec} (NRI {})", release.name),
            false => release.name.clone(),
        };
        compiled.release = Some(release.clone());
        Ok(compiled)
    }
}

/// The revisions that releases name, oldest first, each with its proto.
fn revisions(releases: &[Release], tables: &Tables) -> Result<Vec<Revision>, Error> {
    let mut problems = Vec::new();
    let mut revisions: Vec<Revision> = Vec::new();
    for release in releases {
        if revisions.iter().any(|known| known.name == release.revision) {
            continue;
        }
        match tables
            .protos
            .iter()
            .find(|(name, _)| *name == release.revision)
        {
            Some((name, proto)) => revisions.push(Revision {
                name: name.clone(),
                proto: proto.clone(),
                compiled: OnceLock::new(),
                protocol: OnceLock::new(),
            }),
            None => problems.push(no_proto(release)),
        }
    }
    Error::unless_empty(problems)?;
    Ok(revisions)
}

fn no_proto(release: &Release) -> Problem {
    let fact = format!(
        "release {} names revision {}, which has no proto",
        release.name, release.revision
    );
    Problem::new(ErrorKind::Table, fact).in_file(release::FILE)
}
