//! Reads the releases of NRI and their revisions from `versions.toml`.

use super::table;
use crate::error::Error;
use crate::release::{OneShot, Release};

pub(super) const FILE: &str = "versions.toml";

/// Reads the table: releases in ascending order of version, and the releases before the protocol.
pub(super) fn read(text: &str) -> Result<(Vec<Release>, Vec<OneShot>), Error> {
    table::read(FILE, text, |root| {
        root.only(&["release", "one_shot"]);
        let mut releases: Vec<Release> = root.tables("release").iter().map(release).collect();
        releases.sort_by(|a, b| a.version.cmp(&b.version));
        (
            releases,
            root.tables("one_shot").iter().map(one_shot).collect(),
        )
    })
}

fn release(entry: &table::Entry<'_, '_>) -> Release {
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

fn one_shot(entry: &table::Entry<'_, '_>) -> OneShot {
    entry.only(&["version", "date"]);
    OneShot {
        name: entry.string("version"),
        date: entry.date("date"),
    }
}
