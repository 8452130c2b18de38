//! The result of a collection.

use crate::check::sighting::Sighting;
use crate::check::skipped::Skipped;
use crate::report::check::Summary;

/// The result of a scan.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// The sightings of the readers, sorted by path, kind and name.
    pub sightings: Vec<Sighting>,
    /// Places that could not be looked at, sorted.
    pub skipped: Vec<Skipped>,
    /// Named paths that do not exist; they are among `skipped` too.
    pub missing: Vec<String>,
    /// The places that were looked at, with counts. The number of plugins is left to whoever judges.
    pub summary: Summary,
}
