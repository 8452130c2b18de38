//! Container runtimes, and the NRI that each of their releases links: `runtimes.toml`.

use semver::Version;

use super::table;
use crate::error::Error;

pub(super) const FILE: &str = "runtimes.toml";

/// A container runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runtime {
    /// `containerd` or `cri-o`, the part before the `@`.
    pub id: String,
    /// Its name in prose.
    pub title: String,
    /// The names in its `ConfigureRequest.runtime_name`.
    pub reports_as: Vec<String>,
    /// The default path of its socket for plugins.
    pub socket: String,
    /// The default folder of the plugins that it launches.
    pub plugin_dir: String,
    /// The default folder of their configuration.
    pub config_dir: String,
    /// Paths of its Go modules, one per major version, under which a module proxy has its releases.
    pub modules: Vec<String>,
    /// Its final releases, ascending by version.
    pub releases: Vec<RuntimeRelease>,
}

/// A release of a container runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeRelease {
    /// `2.2.1`, as a version.
    pub version: Version,
    /// `v2.2.1`, as tagged.
    pub name: String,
    /// Name of the NRI release it links: one in `versions.toml`.
    pub nri: String,
    /// Day of the release, `YYYY-MM-DD`.
    pub date: String,
}

/// A runtime and one of its releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimeAt<'h> {
    /// The runtime.
    pub runtime: &'h Runtime,
    /// Its release.
    pub release: &'h RuntimeRelease,
}

/// Returns the runtimes of the embedded table.
pub(super) fn embedded() -> Vec<Runtime> {
    nri_protos::RUNTIMES.iter().map(Runtime::from).collect()
}

pub(super) fn read(text: &str) -> Result<Vec<Runtime>, Error> {
    table::read(FILE, text, |root| {
        root.only(&["runtime"]);
        root.tables("runtime").iter().map(runtime).collect()
    })
}

fn runtime(entry: &table::TableEntry<'_, '_>) -> Runtime {
    entry.only(&[
        "id",
        "title",
        "reports_as",
        "socket",
        "plugin_dir",
        "config_dir",
        "modules",
        "releases",
    ]);
    let mut releases: Vec<RuntimeRelease> = entry.tables("releases").iter().map(release).collect();
    releases.sort_by(|a, b| a.version.cmp(&b.version));
    Runtime {
        id: entry.string("id"),
        title: entry.string("title"),
        reports_as: entry.strings("reports_as"),
        socket: entry.string("socket"),
        plugin_dir: entry.string("plugin_dir"),
        config_dir: entry.string("config_dir"),
        modules: entry.strings("modules"),
        releases,
    }
}

fn release(entry: &table::TableEntry<'_, '_>) -> RuntimeRelease {
    entry.only(&["release", "nri", "date"]);
    let (version, name) = entry.version("release");
    RuntimeRelease {
        version,
        name,
        nri: entry.string("nri"),
        date: entry.date("date"),
    }
}

impl From<&nri_protos::Runtime> for Runtime {
    fn from(runtime: &nri_protos::Runtime) -> Self {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Runtime {
            id: runtime.id.to_owned(),
            title: runtime.title.to_owned(),
            reports_as: texts(runtime.reports_as),
            socket: runtime.socket.to_owned(),
            plugin_dir: runtime.plugin_dir.to_owned(),
            config_dir: runtime.config_dir.to_owned(),
            modules: texts(runtime.modules),
            releases: runtime.releases.iter().map(RuntimeRelease::from).collect(),
        }
    }
}

impl From<&nri_protos::RuntimeRelease> for RuntimeRelease {
    fn from(release: &nri_protos::RuntimeRelease) -> Self {
        let (major, minor, patch) = release.version;
        RuntimeRelease {
            version: Version::new(major, minor, patch),
            name: release.name.to_owned(),
            nri: release.nri.to_owned(),
            date: release.date.to_owned(),
        }
    }
}
