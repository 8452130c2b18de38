//! The result of a collection.

use super::bridged::Relays;
use crate::report::check::Summary;
use crate::sighting::Sighting;
use crate::skipped::Skipped;

/// The result of a scan.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// The sightings of the readers, sorted by path, kind and name.
    pub sightings: Vec<Sighting>,
    /// Places that could not be checked, sorted.
    pub skipped: Vec<Skipped>,
    /// Named paths that do not exist; they are in `skipped` too.
    pub missing: Vec<String>,
    /// Logs of which a part could not be read that may have warnings; they are in `sightings` and
    /// `skipped` too.
    pub unread: Vec<String>,
    /// The images that could not be fetched, with the reasons; they are in `sightings` too.
    pub not_fetched: Vec<String>,
    /// The processes of plugins behind bridges.
    pub(super) relays: Relays,
    /// The places that were checked, with counts. The number of plugins is added later, with the
    /// verdicts.
    pub summary: Summary,
}
