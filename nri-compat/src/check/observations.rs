//! The findings in one file, the demand for them, and the outcome for the file.

use super::identity::identity;
use crate::place::Place;
use crate::sighting::Sighting;
use crate::skipped::Skipped;

/// The end of the default path of the folder in which runtimes look for plugins.
pub(super) const PLUGIN_FOLDER: &str = "nri/plugins";

/// The demand for a result about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Demand {
    /// It was found by walking a folder, and may be anything.
    Walked,
    /// It is in a folder whose executables a runtime starts.
    Launched,
    /// The user named it.
    Named,
}

/// The outcome for a file. Every file is counted under exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileOutcome {
    /// Readers found traces of NRI in it, or it has to be reported as unknown.
    Evidence,
    /// Readers know this kind of file, and it has no trace of NRI.
    WithoutNri,
    /// Files of this kind cannot hold a plugin.
    OtherFile,
    /// It is empty.
    Empty,
    /// It is another name of a file that was counted before.
    OtherName,
    /// It is an archive, whose files are counted separately.
    Archive,
    /// It could not be read.
    Unreadable,
}

/// The sightings in one file, and the readers that could not read it.
#[derive(Clone, Debug, Default)]
pub(super) struct Observations {
    pub(super) sightings: Vec<Sighting>,
    pub(super) skipped: Vec<Skipped>,
}

impl Observations {
    /// Returns findings that consist of one skipped place.
    pub(super) fn skipped(skipped: Skipped) -> Self {
        Self { skipped: vec![skipped], ..Self::default() }
    }

    /// Returns findings that consist of one sighting.
    pub(super) fn sighting(sighting: Sighting) -> Self {
        Self { sightings: vec![sighting], ..Self::default() }
    }

    /// Returns the outcome for the file.
    pub(super) fn outcome(&self) -> FileOutcome {
        if !self.sightings.is_empty() {
            FileOutcome::Evidence
        } else if self.skipped.is_empty() {
            FileOutcome::WithoutNri
        } else {
            FileOutcome::Unreadable
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sightings.is_empty() && self.skipped.is_empty()
    }

    /// Returns the same findings for an entry of an archive or image with this path. Lines stay;
    /// index and name change if they came from the name of the file.
    pub(super) fn moved(mut self, archive: &Place, path: &str) -> Self {
        for seen in &mut self.sightings {
            let own = (seen.index.take(), seen.name.take());
            let from_file = own == identity(seen.place.name());
            let new = identity(archive.entry(path).name());
            (seen.index, seen.name) = if from_file { new } else { own };
        }
        let seen = self.sightings.iter_mut().map(|seen| &mut seen.place);
        let skipped = self.skipped.iter_mut().map(|skipped| &mut skipped.place);
        for place in seen.chain(skipped) {
            *place = Place { line: place.line.or(archive.line), ..archive.entry(path) };
        }
        self
    }
}
