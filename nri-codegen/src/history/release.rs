//! Releases of NRI and their revisions: `versions.toml`.

use semver::Version;

use super::table;
use crate::error::Error;

pub(super) const FILE: &str = "versions.toml";

/// A release of NRI that speaks the ttrpc protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// `0.12.5`, as a version.
    pub version: Version,
    /// `v0.12.5`, as the Go module is tagged, or a Go pseudo-version.
    pub name: String,
    /// Its protocol revision: the name of the first release with that protocol.
    pub revision: String,
    /// Day of the tag or commit, `YYYY-MM-DD`.
    pub date: String,
    /// True if there is no tag, only runtimes that pin the commit.
    pub untagged: bool,
    /// The runtimes that pin it, if it is untagged.
    pub shipped_by: Option<String>,
}

/// A release before the ttrpc protocol, whose plugins are executables that read and write JSON
/// once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneShot {
    /// `v0.1.0`
    pub name: String,
    /// Day of the tag, `YYYY-MM-DD`.
    pub date: String,
}

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
