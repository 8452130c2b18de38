//! The state that all threads of one scan share: counters and findings.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::bridged::Relays;
use super::content::disk::FileId;
use super::observations::{Demand, FileOutcome, Observations};
use super::request::WantedImage;
use super::settings::DetachedConfiguration;
use crate::check::collected::Collected;
use crate::check::evidence::Reader;
use crate::check::progress::Progress;
use crate::place::Place;
use crate::sighting::Sighting;
use crate::skipped::{SkipKind, Skipped, Unreadable};

/// The maximum number of skipped files that are listed; further ones are only counted.
const MAX_SKIPPED_LISTED: usize = 20_000;

/// One scan.
pub(super) struct Scan<'s> {
    pub(super) readers: &'s [&'s dyn Reader],
    progress: &'s Progress,
    gathered: Mutex<Gathered>,
    pub(super) threads: usize,
}

/// The findings so far, and the names, images and charts to return to when all files were read.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) collected: Collected,
    skipped_unlisted: u64,
    /// The place of each file that was read.
    read: HashMap<FileId, Place>,
    /// The names of files whose other names are not known yet.
    pub(super) linked: Vec<Linked>,
    /// The images that manifests name.
    pub(super) wanted_images: Vec<WantedImage>,
    /// The configurations of runtimes in folders and manifests.
    pub(super) configurations: Vec<DetachedConfiguration>,
    /// The processes of plugins behind bridges.
    pub(super) relays: Relays,
    /// The charts that were reported.
    pub(super) charts: HashSet<Place>,
}

/// A file, and how the scan found it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Visit {
    /// The place to report.
    pub(super) place: Place,
    /// The path to open; empty for a stream.
    pub(super) path: PathBuf,
    /// True if the path is a symbolic link.
    pub(super) is_link: bool,
    /// The demand for a result if the file is not recognised.
    pub(super) demand: Demand,
}

/// A recognised file that has, or may have, several names. The name to report is chosen when all
/// names are known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Linked {
    pub(super) id: FileId,
    /// The rank of the name for the report; the best one sorts first.
    pub(super) rank: NameRank,
    pub(super) visit: Visit,
}

/// The rank of one of several names of a file for the report, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameRank {
    /// A runtime starts the file under this name, or the user named it.
    Wanted,
    /// The name has the form that runtimes expect: `10-logger`.
    PluginName,
    /// It is a hard link.
    Own,
    /// It is a symbolic link.
    Symbolic,
}

impl<'s> Scan<'s> {
    pub(super) fn new(
        readers: &'s [&'s dyn Reader],
        progress: &'s Progress,
        threads: usize,
    ) -> Self {
        Self { readers, progress, threads, gathered: Mutex::default() }
    }

    /// Returns what was found so far, for as long as the guard is kept.
    pub(super) fn gathered(&self) -> MutexGuard<'_, Gathered> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the stored images, in the order of their places.
    pub(super) fn take_wanted_images(&self) -> Vec<WantedImage> {
        let mut images = std::mem::take(&mut self.gathered().wanted_images);
        images.sort_by(|a, b| a.request.place.cmp(&b.request.place));
        images
    }

    /// Takes the stored configurations, in the order of their places.
    pub(super) fn take_configurations(&self) -> Vec<DetachedConfiguration> {
        let mut configurations = std::mem::take(&mut self.gathered().configurations);
        configurations.sort_by(|a, b| a.place.cmp(&b.place));
        configurations
    }

    /// Takes the stored processes of plugins behind bridges.
    pub(super) fn take_relays(&self) -> Relays {
        std::mem::take(&mut self.gathered().relays)
    }

    /// Counts the workloads of a manifest.
    pub(super) fn count_workloads(&self, examined: u64, candidates: u64) {
        let summary = &mut self.gathered().collected.summary;
        let count = summary.workloads.get_or_insert_default();
        count.examined += examined;
        count.candidates += candidates;
    }

    /// Records that a file is read at this place. Returns where it was read before, if it was.
    pub(super) fn read_before(&self, id: FileId, place: &Place) -> Option<Place> {
        match self.gathered().read.entry(id) {
            Entry::Occupied(before) => Some(before.get().clone()),
            Entry::Vacant(first) => {
                first.insert(place.clone());
                None
            }
        }
    }

    /// Drops the findings in the file on disk at this place.
    pub(super) fn forget(&self, place: &Place) {
        let collected = &mut self.gathered().collected;
        collected.sightings.retain(|seen| seen.place.file != place.file);
        collected.skipped.retain(|skipped| skipped.place.file != place.file);
    }

    /// Counts a file under its outcome.
    pub(super) fn count(&self, outcome: FileOutcome) {
        let inputs = &mut self.gathered().collected.summary.inputs;
        *match outcome {
            FileOutcome::Evidence => &mut inputs.evidence,
            FileOutcome::WithoutNri => &mut inputs.without_nri,
            FileOutcome::OtherFile => &mut inputs.other_files,
            FileOutcome::Empty => &mut inputs.empty,
            FileOutcome::OtherName => &mut inputs.other_names,
            FileOutcome::Archive => &mut inputs.archives,
            FileOutcome::Unreadable => &mut inputs.unreadable,
        } += 1;
        self.progress.file();
    }

    /// Counts the bytes of an opened file.
    pub(super) fn count_bytes(&self, bytes: u64) {
        self.gathered().collected.summary.bytes += bytes;
        self.progress.read(bytes);
    }

    /// Stores findings for the result.
    pub(super) fn store(&self, observed: Observations) {
        let sightings = self.store_skipped(observed);
        self.gathered().collected.sightings.extend(sightings);
    }

    /// Stores what was skipped among findings for the result, and returns the others.
    pub(super) fn store_skipped(&self, observed: Observations) -> Vec<Sighting> {
        self.skip_all(observed.skipped);
        observed.sightings
    }

    /// Stores one sighting for the result.
    pub(super) fn store_sighting(&self, sighting: Sighting) {
        self.gathered().collected.sightings.push(sighting);
    }

    /// Lists something as skipped.
    pub(super) fn skip(&self, place: Place, why: Unreadable) {
        self.skip_all([Skipped::unreadable(place, why)]);
    }

    /// Lists several places as skipped.
    pub(super) fn skip_all(&self, skipped: impl IntoIterator<Item = Skipped>) {
        let gathered = &mut *self.gathered();
        for one in skipped {
            if gathered.collected.skipped.len() < MAX_SKIPPED_LISTED {
                gathered.collected.skipped.push(one);
            } else {
                gathered.skipped_unlisted += 1;
            }
        }
    }

    /// Returns the reason why something within a file, archive or image was skipped, and how many
    /// places were.
    pub(super) fn skipped_within(&self, outer: &Place) -> (Option<String>, usize) {
        let gathered = self.gathered();
        let mut all =
            gathered.collected.skipped.iter().filter(|skipped| skipped.place.is_within(outer));
        let first = all.next().map(|skipped| match skipped.place.within() {
            Some(within) => format!("{within}: {}", skipped.reason),
            None => skipped.reason.clone(),
        });
        let count = usize::from(first.is_some()) + all.count();
        (first, count)
    }

    /// Returns all findings; the sightings are not sorted yet.
    pub(super) fn finish(self) -> Collected {
        let gathered = self.gathered.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (mut collected, unlisted) = (gathered.collected, gathered.skipped_unlisted);
        collected.skipped.sort();
        collected.skipped.dedup();
        collected.summary.skipped = collected.skipped.len() as u64 + unlisted;
        if unlisted > 0 {
            let reason = format!("{unlisted} more places were skipped and are not listed");
            let others = Skipped::new("(others)", SkipKind::Limit, reason);
            collected.skipped.push(others);
        }
        collected.summary.files = collected.summary.inputs.total();
        collected
    }
}
