//! Reads `distributions.toml`.

use super::super::distribution::{Distribution, DistributionRelease, FILE};
use super::table;
use crate::error::Error;

/// Reads the table, which may be empty: older folders of tables lack it.
pub(super) fn read(text: &str) -> Result<Vec<Distribution>, Error> {
    table::read(FILE, text, |root| {
        root.only(&["distribution"]);
        root.tables("distribution").iter().map(distribution).collect()
    })
}

fn distribution(entry: &table::TableEntry<'_, '_>) -> Distribution {
    entry.only(&["id", "title", "runtime", "file", "before", "releases"]);
    let mut releases: Vec<DistributionRelease> =
        entry.tables("releases").iter().map(release).collect();
    releases.sort_by(|a, b| a.version.cmp(&b.version));
    Distribution {
        id: entry.string("id"),
        title: entry.string("title"),
        runtime: entry.string("runtime"),
        file: entry.string("file"),
        before: entry.string("before"),
        releases,
    }
}

fn release(entry: &table::TableEntry<'_, '_>) -> DistributionRelease {
    entry.only(&["release", "runtime", "date"]);
    let (version, name) = entry.version("release");
    DistributionRelease {
        version,
        name,
        runtime: entry.string("runtime"),
        date: entry.date("date"),
    }
}
