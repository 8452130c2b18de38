//! Reads `runtimes.toml`.

use super::super::runtime::{FILE, Runtime, RuntimeRelease};
use super::table;
use crate::error::Error;

/// Reads the table.
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
    RuntimeRelease { version, name, nri: entry.string("nri"), date: entry.date("date") }
}
