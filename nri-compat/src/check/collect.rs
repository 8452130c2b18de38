//! Where files come from: turns what the user named into files for the readers.
//!
//! Folders are walked in parallel, every file is opened once, and only what a reader recognises by its first bytes is
//! read further. The answer is sorted, so that it does not depend on which thread was faster. What cannot be looked
//! at is listed with the reason.
//!
//! The modules depend on each other in one direction: `scan` holds the shared state, `archive` and `unjudged` add to
//! it, `visit` takes one file through them, and `walk`, `links` and `processes` find the files.

mod archive;
mod budget;
mod collected;
mod disk;
mod fate;
mod found;
mod links;
mod machine_root;
mod parallel;
mod processes;
mod pseudo;
mod roots;
mod runtime;
mod scan;
mod spool;
mod unjudged;
mod visit;
mod walk;

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::evidence::Reader;
use super::packages;
use super::place::Place;
use super::progress::Progress;
use super::sighting::Sighting;
use super::skipped::Unreadable;
use crate::report::check::Summary;
use fate::Fate;
use machine_root::MachineRoot;
use roots::{Root, Roots};
use scan::Scan;
use unjudged::Demand;
use visit::Visit;

pub use collected::Collected;

/// The places to look at, and how.
#[derive(Clone, Debug, Default)]
pub struct Request<'p> {
    /// Files and folders, as the user spelled them; `-` stands for standard input, and pipes are read. A runtime's
    /// configuration stands for the folders it names.
    ///
    /// If there are none, and no processes are asked for: what the runtimes configured on this machine use, else
    /// their default folders; [`Summary::looked_at`] says which.
    pub paths: Vec<PathBuf>,
    /// True if the executables of running processes are checked, too.
    pub processes: bool,
    /// Where the machine's file system is: `/`, or the folder where it is mounted in a container. It is used for the
    /// runtimes' configuration, for the paths in it, for `proc`, and for all links below it.
    pub root: Option<PathBuf>,
    /// The most threads to use; 0 for as many as there are cores.
    pub threads: usize,
    /// True if the Go toolchain may be asked which packages a plugin is built from. It may download
    /// modules.
    pub go: bool,
    /// The counters of a progress bar.
    pub progress: Option<&'p Progress>,
}

/// Looks at everything the request names and hands it to the readers.
///
/// Nothing in it stops the rest: what cannot be read is in [`Collected::skipped`].
pub fn collect(request: &Request<'_>, readers: &[&dyn Reader]) -> Collected {
    let start = Instant::now();
    let own = Progress::default();
    let progress = request.progress.unwrap_or(&own);
    let scan = Scan::new(readers, progress, parallel::threads(request.threads));
    let machine = MachineRoot::new(request.root.as_deref().unwrap_or(Path::new("/")));
    let roots = Roots::resolve(&scan, &request.paths, request.processes, &machine);
    parallel::each(scan.threads, &roots.files, |root| file(&scan, root));
    roots.streams.iter().for_each(|path| stream(&scan, path));
    for folder in &roots.folders {
        walk::folder(&scan, folder, &roots.folders);
    }
    links::read(&scan);
    if request.processes {
        processes::read(&scan, &machine.folder().join("proc"));
    }
    let mut collected = scan.finish();
    collected.sightings = packages::merge(collected.sightings, request.go);
    collected.sightings.sort_by(in_order);
    collected.summary = Summary {
        looked_at: roots.looked_at,
        millis: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
        ..collected.summary
    };
    collected
}

fn file(scan: &Scan<'_>, root: &Root) {
    let demand = if root.is_named {
        Demand::Named
    } else {
        Demand::Walked
    };
    let visit = Visit {
        path: &root.path,
        place: Place::of(&root.shown),
        is_link: false,
        demand,
    };
    visit::file(scan, &visit);
}

/// Reads a pipe or standard input to its end, so that archives can be read at any offset.
fn stream(scan: &Scan<'_>, path: &Path) {
    let place = Place::from(roots::stream_name(path));
    let spooled = roots::open_stream(path)
        .map_err(Unreadable::from)
        .and_then(|mut input| spool::to_disk(&mut *input));
    match spooled {
        Ok(disk) => visit::stream(scan, &disk, &place),
        Err(why) => {
            unjudged::report(scan, &place, Demand::Named, &why.reason);
            scan.count(Fate::Evidence);
        }
    }
}

/// Compares sightings for the order of the answer.
fn in_order(a: &Sighting, b: &Sighting) -> std::cmp::Ordering {
    let key = |sighting: &Sighting| (sighting.kind, sighting.name.clone(), sighting.index.clone());
    a.place
        .compare_paths(&b.place)
        .then_with(|| key(a).cmp(&key(b)))
}
