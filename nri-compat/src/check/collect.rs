//! Turns the paths that the user named into files for the readers.
//!
//! Folders are walked in parallel, every file is opened once, and a file is read further only if a
//! reader recognises its first bytes. The result is sorted, so it does not depend on thread timing.
//! Everything that cannot be checked is listed with a reason.
//!
//! The modules depend on each other in one direction: `scan` holds the shared state, `archive` and `unjudged` add to
//! it, `visit` takes one file through them, and `walk`, `links` and `processes` find the files.

mod archive;
mod budget;
mod collected;
mod disk;
mod file_outcome;
mod found;
mod images;
mod links;
mod machine_root;
mod manifests;
mod parallel;
mod processes;
mod pseudo;
mod roots;
mod runtime;
mod scan;
mod spool;
mod unjudged;
mod visit;
mod waiting;
mod walk;
mod wanted_image;

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::evidence::Reader;
use super::packages;
use super::progress::Progress;
use crate::place::Place;
use crate::report::check::Summary;
use crate::sighting::Sighting;
use crate::skipped::Unreadable;
use file_outcome::FileOutcome;
use machine_root::MachineRoot;
use roots::{Root, Roots};
use scan::Scan;
use unjudged::Demand;
use visit::Visit;

pub use collected::Collected;
pub use images::{ImageOptions, ImageRequest};

/// The places to check, and the options.
#[derive(Clone, Debug, Default)]
pub struct Request<'p> {
    /// Files and folders, as spelled by the user; `-` is standard input, and pipes are read. A
    /// runtime's configuration stands for the folders that it names.
    ///
    /// If empty, and neither images nor processes are requested, the check covers what the runtimes configured on
    /// this machine use, or else their default folders; [`Summary::looked_at`] lists them.
    pub paths: Vec<PathBuf>,
    /// Images in registries. An image that is requested under several places is fetched once, and
    /// reported for each of them.
    pub images: Vec<ImageRequest>,
    /// True if no image is fetched, neither a requested one nor that of a Kubernetes manifest; they
    /// are reported as unknown.
    pub no_pull: bool,
    /// The way in which they are fetched.
    pub image_options: ImageOptions,
    /// True if the executables of running processes are checked, too.
    pub processes: bool,
    /// The root of the machine's file system: `/`, or the folder where it is mounted in a
    /// container. It applies to the configuration of the runtimes, the paths in it, `proc`, and all
    /// links below it.
    pub root: Option<PathBuf>,
    /// The maximum number of threads; 0 means the number of cores.
    pub threads: usize,
    /// True if the Go toolchain may be asked which packages a plugin is built from. It may download
    /// modules.
    pub go: bool,
    /// The counters of a progress display.
    pub progress: Option<&'p Progress>,
}

/// Passes everything that the request names to the readers.
///
/// No problem stops the scan: what cannot be read is in [`Collected::skipped`].
pub fn collect(request: &Request<'_>, readers: &[&dyn Reader]) -> Collected {
    let start = Instant::now();
    let own = Progress::default();
    let progress = request.progress.unwrap_or(&own);
    let scan = Scan::new(readers, progress, parallel::threads(request.threads));
    let machine = MachineRoot::new(request.root.as_deref().unwrap_or(Path::new("/")));
    let roots = Roots::resolve(&scan, request, &machine);
    parallel::each(scan.threads, &roots.files, |root| file(&scan, root));
    roots.streams.iter().for_each(|path| stream(&scan, path));
    for folder in &roots.folders {
        walk::folder(&scan, folder, &roots.folders);
    }
    links::read(&scan);
    if request.processes {
        processes::read(&scan, &machine.folder().join("proc"));
    }
    manifests::finish(&scan);
    let wanted = scan.take_wanted_images();
    if request.no_pull {
        manifests::not_fetched(&scan, &request.images, &wanted);
    } else {
        let requests = wanted.iter().map(|image| &image.request);
        let images: Vec<ImageRequest> = request.images.iter().chain(requests).cloned().collect();
        images::read(&scan, &images, &request.image_options);
    }
    let mut collected = scan.finish();
    if !request.no_pull {
        manifests::explain(&mut collected.sightings, &wanted);
    }
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
            scan.count(FileOutcome::Evidence);
        }
    }
}

/// Compares sightings for the order of the result.
fn in_order(a: &Sighting, b: &Sighting) -> std::cmp::Ordering {
    let key = |sighting: &Sighting| (sighting.kind, sighting.name.clone(), sighting.index.clone());
    a.place
        .compare_paths(&b.place)
        .then_with(|| key(a).cmp(&key(b)))
}
