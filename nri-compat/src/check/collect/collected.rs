//! The result of a collection.

use crate::check::sighting::Sighting;
use crate::check::skipped::Skipped;
use crate::report::check::Summary;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// What the readers saw, sorted by path, kind and name.
    pub sightings: Vec<Sighting>,
    /// What could not be looked at, sorted.
    pub skipped: Vec<Skipped>,
    /// Named paths that do not exist; they are among `skipped` too.
    pub missing: Vec<String>,
    /// What was looked at. The number of plugins is left to whoever judges.
    pub summary: Summary,
}
