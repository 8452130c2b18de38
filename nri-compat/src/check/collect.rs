//! Where files come from: what the user named becomes files in front of the readers.
//!
//! Folders are walked in parallel, every file is opened once, and only what a reader recognises by its first bytes is
//! read further. The answer is sorted, so that it does not depend on which thread was faster. What cannot be looked
//! at is listed with the reason.

mod archive;
mod budget;
mod disk;
mod found;
mod links;
mod parallel;
mod processes;
mod pseudo;
mod roots;
mod runtime;
mod scan;
mod walk;

use std::path::PathBuf;
use std::time::Instant;

use super::evidence::Reader;
use super::packages;
use super::progress::Progress;
use super::sighting::Sighting;
use super::skipped::Skipped;
use crate::report::check::Summary;
use scan::Scan;

/// What to look at.
#[derive(Clone, Debug, Default)]
pub struct Request<'p> {
    /// Files and folders, as the user spelled them. A runtime's configuration stands for the folders it names.
    ///
    /// If there are none, and no processes are asked for: what the runtimes configured on this machine use, else
    /// their default folders; [`Summary::looked_at`] says which.
    pub paths: Vec<PathBuf>,
    /// Whether to look at the executables of running processes, too.
    pub processes: bool,
    /// Where the machine's file system is: `/`, or where it is mounted in a container. Only for what is not named: the
    /// runtimes' configuration, the paths in it, and `proc`.
    pub root: Option<PathBuf>,
    /// How many threads at most; 0 for as many as there are cores.
    pub threads: usize,
    /// Whether the Go toolchain may be asked which packages a plugin is built from. It may download modules.
    pub go: bool,
    /// Where to count along, for a progress bar.
    pub progress: Option<&'p Progress>,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// What the readers saw, sorted by path, kind and name.
    pub sightings: Vec<Sighting>,
    /// What could not be looked at, sorted.
    pub skipped: Vec<Skipped>,
    /// Named paths that do not exist; they are among `skipped` too.
    pub missing: Vec<String>,
    /// What was looked at; how many plugins is left to whoever judges.
    pub summary: Summary,
}

/// Looks at everything the request names and hands it to the readers.
///
/// Nothing in it stops the rest: what cannot be read is in [`Collected::skipped`].
pub fn collect(request: &Request<'_>, readers: &[&dyn Reader]) -> Collected {
    let start = Instant::now();
    let own = Progress::default();
    let progress = request.progress.unwrap_or(&own);
    let scan = Scan::new(readers, progress, parallel::threads(request.threads));
    let root = request.root.clone().unwrap_or_else(|| PathBuf::from("/"));
    let roots = roots::resolve(&scan, request, &root);
    parallel::each(scan.threads, &roots.files, |root| scan.named(root));
    for folder in &roots.folders {
        walk::folder(&scan, folder);
    }
    links::read(&scan);
    if request.processes {
        processes::read(&scan, &root.join("proc"));
    }
    let mut collected = scan.finish();
    collected.sightings = packages::merge(collected.sightings, request.go);
    collected.sightings.sort_by(scan::by_place);
    collected.summary = Summary {
        looked_at: roots.looked_at,
        skipped: collected.skipped.len() as u64,
        millis: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
        ..collected.summary
    };
    collected
}
