//! Adds the newest releases of container runtimes to `protos/runtimes.toml`.
//!
//! The `go.mod` of a release determines the NRI that it links. The `go` command fetches it, from
//! the proxies that `GOPROXY` names, and verifies it.

mod file;
mod go;
mod insert;

use std::fmt;
use std::path::{Path, PathBuf};

use nri_codegen::write;
use nri_schema::history::{History, Runtime, Tables};
use nri_schema::{Error, Problem};
use semver::Version;

use crate::generate;

pub use file::add;

/// The module of NRI.
const NRI: &str = "github.com/containerd/nri";

/// A runtime release that was added to the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// The id of the runtime or distribution, such as `containerd` or `k0s`.
    pub id: String,
    /// The release, as tagged: `v2.4.3`.
    pub release: String,
    /// The NRI that it carries, or the runtime.
    pub carried: Carried,
    /// Its date, `YYYY-MM-DD` in UTC.
    pub date: String,
}

/// The part of a release that decides which NRI it speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carried {
    /// The NRI release that a runtime links.
    Nri(String),
    /// The id and the release of the runtime that a distribution ships.
    Runtime(String, String),
}

impl fmt::Display for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Carried::Nri(nri) => write!(f, "links NRI {nri}"),
            Carried::Runtime(id, release) => write!(f, "ships {id} {release}"),
        }
    }
}

impl fmt::Display for Added {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Added { id, release, carried, date } = self;
        write!(f, "added {id} {release}: {carried}, {date}")
    }
}

/// A release that exists but was not added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The release: `containerd v2.5.0`, `NRI v0.13.0` or `all of CRI-O`.
    pub release: String,
    /// Why the release was not added.
    pub reason: String,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "left out {}: {}", self.release, self.reason)
    }
}

/// The releases that were added, and the generated files that changed.
#[derive(Debug, Default)]
pub struct Refreshed {
    /// The releases that were added, by runtime and then ascending by version.
    pub added: Vec<Added>,
    /// The releases that were not added.
    pub left_out: Vec<LeftOut>,
    /// The files that were written.
    pub written: Vec<PathBuf>,
}

/// The reason why the tables were not refreshed.
#[derive(Debug)]
pub enum RefreshError {
    /// The `go` command has no module of a runtime: the reason for the first one.
    Go(String),
    /// A release that was named with a file cannot be added: the reason.
    File(String),
    /// The tables, or the files that depend on them, could not be written.
    Generate(Error),
}

impl From<Error> for RefreshError {
    fn from(error: Error) -> Self {
        RefreshError::Generate(error)
    }
}

impl From<Problem> for RefreshError {
    fn from(problem: Problem) -> Self {
        RefreshError::Generate(problem.into())
    }
}

/// Extends the tables of the repository at `root`, and regenerates what depends on them.
///
/// A module or release that cannot be fetched is left out with the reason, and the others are
/// added.
///
/// # Errors
///
/// Returns an error if no module of a runtime can be fetched, or a file cannot be written.
pub fn refresh(root: &Path) -> Result<Refreshed, RefreshError> {
    let protos = root.join("protos");
    let mut tables = Tables::read(&protos)?;
    let earlier = History::from_tables(tables.clone())?;
    let mut refreshed = fetch(&earlier).map_err(RefreshError::Go)?;
    tables.runtimes = insert::all(&tables.runtimes, &refreshed.added)?.into();
    let history = History::from_tables(tables.clone())?;
    history.check()?;
    write::all(&tables.files(&protos))?;
    refreshed.written = generate::run(root, &history)?;
    Ok(refreshed)
}

/// Returns the new releases of all modules, or the first failure if every module of a runtime
/// fails.
fn fetch(history: &History) -> Result<Refreshed, String> {
    let mut found = Refreshed::default();
    found.protocols(history);
    let (mut is_served, mut failed) = (false, None);
    for runtime in history.runtimes() {
        for module in &runtime.modules {
            match found.module(history, runtime, module) {
                Ok(()) => is_served = true,
                Err(reason) => {
                    found.leave_out(format!("all of {}", runtime.title), reason.clone());
                    failed.get_or_insert(reason);
                }
            }
        }
    }
    match failed {
        Some(reason) if !is_served => Err(reason),
        Some(_) | None => Ok(found),
    }
}

impl Refreshed {
    /// Reports releases of NRI that are newer than the newest known one: their table entry needs
    /// the revision of the protocol, which depends on a proto.
    fn protocols(&mut self, history: &History) {
        let newest = history.releases().iter().rfind(|release| !release.untagged);
        let is_new = |version: &Version| newest.is_none_or(|newest| *version > newest.version);
        match go::releases(NRI) {
            Ok(versions) => {
                for version in versions.into_iter().filter(is_new) {
                    let reason = "add it with `cargo run -p xtask -- import`";
                    self.leave_out(format!("NRI v{version}"), reason.to_owned());
                }
            }
            Err(reason) => self.leave_out("NRI".to_owned(), reason),
        }
    }

    /// Adds the new releases of a module of a runtime.
    fn module(&mut self, history: &History, runtime: &Runtime, module: &str) -> Result<(), String> {
        for version in new_releases(runtime, go::releases(module)?) {
            let release = format!("v{version}");
            match added(history, runtime, module, &release) {
                Ok(added) => self.added.push(added),
                Err(reason) => self.leave_out(format!("{} {release}", runtime.title), reason),
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, release: String, reason: String) {
        self.left_out.push(LeftOut { release, reason });
    }
}

/// Returns a release if its NRI is known.
fn added(
    history: &History,
    runtime: &Runtime,
    module: &str,
    release: &str,
) -> Result<Added, String> {
    let described = go::describe(module, release)?;
    let nri = go::required(&described.go_mod, NRI)?;
    if !history.knows(&nri) {
        return Err(format!("links NRI {nri}, which is not in versions.toml"));
    }
    Ok(Added {
        id: runtime.id.clone(),
        release: release.to_owned(),
        carried: Carried::Nri(nri),
        date: described.date,
    })
}

/// Returns the releases that are newer than the oldest known one of the runtime and not in its
/// table.
fn new_releases(runtime: &Runtime, mut versions: Vec<Version>) -> Vec<Version> {
    let oldest = runtime.releases.first().map(|oldest| &oldest.version);
    let is_known =
        |version: &Version| runtime.releases.iter().any(|known| known.version == *version);
    versions.retain(|version| oldest.is_none_or(|oldest| version > oldest) && !is_known(version));
    versions
}
