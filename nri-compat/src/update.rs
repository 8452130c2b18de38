//! Updates the tables: asks a Go module proxy for releases of container runtimes that the tables do
//! not have.
//!
//! The `go.mod` of a release determines the NRI that it links. Any proxy that implements the
//! [GOPROXY protocol](https://go.dev/ref/mod#goproxy-protocol) provides it, so neither git nor an
//! API token is needed.

mod http;
mod insert;
mod module;
mod proxies;

use std::path::Path;

use jiff::civil::Date;
use nri_codegen::write;
use nri_schema::history::{History, Runtime, Tables};
use semver::Version;

use crate::error::{Error, ErrorKind};
use crate::facts::MODULE;

pub use http::Limits;
pub use proxies::{Proxies, goproxy};

/// The maximum number of releases that are added at once: as many as the runtimes publish in about
/// five years.
const MAX_NEW: usize = 1000;

/// A runtime release that was added to the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// The name, `containerd` or `cri-o`.
    pub runtime: String,
    /// The release, as tagged: `v2.4.3`.
    pub release: String,
    /// The NRI release that it links.
    pub nri: String,
    /// Its date, `YYYY-MM-DD` in UTC.
    pub date: Date,
}

/// A release that exists but is not in the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The release: `containerd v2.5.0`, or `NRI v0.13.0`.
    pub release: String,
    /// The reason why it was not added.
    pub reason: String,
}

/// The tables with all new releases.
#[derive(Clone, Debug)]
pub struct Update {
    /// The extended tables.
    pub tables: Tables,
    /// The releases that were added, by runtime and then ascending by version.
    pub added: Vec<Added>,
    /// The releases that could not be added.
    pub left_out: Vec<LeftOut>,
}

/// Returns `tables` with the additional runtime releases of the module proxies. A module or release
/// that cannot be fetched is left out, with the reason, and the others are added.
///
/// # Errors
///
/// Returns an error if the tables are malformed, or if no module can be fetched.
pub fn update(tables: Tables, proxies: &Proxies) -> Result<Update, Error> {
    let history = History::from_tables(tables.clone())?;
    let mut update = Update {
        tables,
        added: Vec::new(),
        left_out: Vec::new(),
    };
    let mut modules = Modules::default();
    modules.add("NRI", update.protocols(&history, proxies), &mut update)?;
    for runtime in history.runtimes() {
        for module in &runtime.modules {
            let outcome = update.module(&history, runtime, module, proxies);
            modules.add(&runtime.title, outcome, &mut update)?;
        }
    }
    if !modules.any_served {
        return Err(modules.failed.unwrap_or_else(nothing_served));
    }
    update.tables.runtimes = insert::all(&update.tables.runtimes, &update.added)?.into();
    History::from_tables(update.tables.clone())?.check()?;
    Ok(update)
}

/// The outcomes of the modules so far.
#[derive(Default)]
struct Modules {
    any_served: bool,
    /// The first failure before any module was served.
    failed: Option<Error>,
}

impl Modules {
    /// Notes whether a module was served. Leaves one out that failed, but gives up if another one
    /// failed before and none was served: the proxy itself does not work then, and each module
    /// would wait for it.
    fn add(
        &mut self,
        title: &str,
        outcome: Result<bool, Error>,
        update: &mut Update,
    ) -> Result<(), Error> {
        match outcome {
            Ok(served) => self.any_served |= served,
            Err(_) if !self.any_served && self.failed.is_some() => {
                return self.failed.take().map_or(Ok(()), Err);
            }
            Err(error) => {
                update.left_out.push(LeftOut {
                    release: format!("all of {title}"),
                    reason: error.to_string(),
                });
                self.failed.get_or_insert(error);
            }
        }
        Ok(())
    }
}

fn nothing_served() -> Error {
    let message = format!("no module proxy has {MODULE} or a module of a runtime");
    Error::new(ErrorKind::Fetch, message).with_help(
        "check GOPROXY: `go list -m -versions github.com/containerd/nri` shows what a proxy has",
    )
}

impl Update {
    /// Writes the tables and protos to a folder for `--data`.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be written; the folder is then unchanged.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        Ok(write::all(&self.tables.files(folder))?)
    }

    /// Reports releases of NRI that are newer than the newest known one; a table entry needs the
    /// revision of the protocol, which depends on a proto. Returns true if a proxy has NRI.
    fn protocols(&mut self, history: &History, proxies: &Proxies) -> Result<bool, Error> {
        let Some(versions) = module::releases(proxies, MODULE)? else {
            self.left_out.push(not_served("NRI", MODULE));
            return Ok(false);
        };
        let newest = &history.release("latest")?.version;
        let new = versions.iter().filter(|version| *version > newest);
        self.left_out.extend(new.map(new_protocol));
        Ok(true)
    }

    /// Adds the new releases of a module of a runtime. Returns true if a proxy has the module.
    fn module(
        &mut self,
        history: &History,
        runtime: &Runtime,
        module: &str,
        proxies: &Proxies,
    ) -> Result<bool, Error> {
        let Some(versions) = module::releases(proxies, module)? else {
            self.left_out.push(not_served(&runtime.title, module));
            return Ok(false);
        };
        for version in new_releases(runtime, module, versions)? {
            let release = format!("v{version}");
            if let Err(error) = self.release(history, runtime, module, &release, proxies) {
                self.leave_out(runtime, &release, error.to_string());
            }
        }
        Ok(true)
    }

    /// Adds a release if its NRI is known.
    fn release(
        &mut self,
        history: &History,
        runtime: &Runtime,
        module: &str,
        release: &str,
        proxies: &Proxies,
    ) -> Result<(), Error> {
        match module::linked_nri(proxies, module, release)? {
            Ok(nri) if history.knows(&nri) => self.added.push(Added {
                runtime: runtime.id.clone(),
                date: module::date(proxies, module, release)?,
                release: release.to_owned(),
                nri,
            }),
            Ok(nri) => self.leave_out(runtime, release, unknown_nri(&nri)),
            Err(reason) => self.leave_out(runtime, release, reason),
        }
        Ok(())
    }

    fn leave_out(&mut self, runtime: &Runtime, release: &str, reason: String) {
        let release = format!("{} {release}", runtime.title);
        self.left_out.push(LeftOut { release, reason });
    }
}

fn unknown_nri(nri: &str) -> String {
    format!("links NRI {nri}, which is not in versions.toml")
}

fn not_served(title: &str, module: &str) -> LeftOut {
    LeftOut {
        release: format!("all of {title}"),
        reason: format!("no module proxy has {module}"),
    }
}

fn new_protocol(version: &Version) -> LeftOut {
    let reason = "it may change the protocol and comes with a newer nri-compat; until then, \
                  `nri-compat diff latest api.proto` compares its proto";
    LeftOut {
        release: format!("NRI v{version}"),
        reason: reason.to_owned(),
    }
}

/// Returns the releases that are newer than the oldest known one of the runtime and not in its table, ascending.
fn new_releases(
    runtime: &Runtime,
    module: &str,
    mut versions: Vec<Version>,
) -> Result<Vec<Version>, Error> {
    let oldest = runtime.releases.first().map(|oldest| &oldest.version);
    let is_known = |version: &Version| {
        runtime
            .releases
            .iter()
            .any(|known| known.version == *version)
    };
    versions.retain(|version| oldest.is_none_or(|oldest| version > oldest) && !is_known(version));
    if versions.len() > MAX_NEW {
        let count = versions.len();
        let message = format!("{module} has {count} new releases; at most {MAX_NEW} are added");
        return Err(Error::new(ErrorKind::Fetch, message));
    }
    Ok(versions)
}
