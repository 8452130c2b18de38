//! Reads `versions.toml`.

use super::super::release::{FILE, Versions};
use super::table;
use crate::error::Error;
use crate::release::{OneShot, Release};

/// Reads the table.
pub(super) fn read(text: &str) -> Result<Versions, Error> {
    table::read(FILE, text, |root| {
        root.only(&["module", "wasm", "release", "one_shot"]);
        let mut releases: Vec<Release> = root.tables("release").iter().map(release).collect();
        releases.sort_by(|a, b| a.version.cmp(&b.version));
        Versions {
            module: root.string_if_any("module"),
            wasm: root.string_if_any("wasm"),
            releases,
            one_shot: root.tables("one_shot").iter().map(one_shot).collect(),
        }
    })
}

fn release(entry: &table::TableEntry<'_, '_>) -> Release {
    entry.only(&["version", "revision", "date", "untagged", "shipped_by"]);
    let (version, name) = entry.version("version");
    Release {
        version,
        name,
        revision: entry.string("revision"),
        date: entry.date("date"),
        untagged: entry.flag("untagged"),
        shipped_by: entry.string_if_any("shipped_by"),
    }
}

fn one_shot(entry: &table::TableEntry<'_, '_>) -> OneShot {
    entry.only(&["version", "date"]);
    OneShot { name: entry.string("version"), date: entry.date("date") }
}
