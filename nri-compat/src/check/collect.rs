//! Turns the paths that the user named into files for the readers.
//!
//! Folders are walked in parallel, every file is opened once, and a file is read further only if a
//! reader recognises its first bytes. The result is sorted, so it does not depend on thread timing.
//! Everything that cannot be checked is listed with a reason.
//!
//! A file passes through `find`, `recognise`, `container` or `kubernetes`, and `evidence`, in this
//! order. `scan` holds what they share.

use std::path::Path;
use std::time::Instant;

use super::content::disk;
use super::evidence::Reader;
use super::find::configurations::Configurations;
use super::find::machine_root::MachineRoot;
use super::find::roots::{self, Root, Roots};
use super::find::{processes, runtime, visit, walk};
use super::kubernetes::manifests;
use super::observations::{Demand, FileOutcome};
use super::progress::Progress;
use super::scan::{Scan, Visit};
use super::{bridged, packages, parallel, unjudged};
use crate::place::Place;
use crate::report::check::Summary;
use crate::sighting::Sighting;
use crate::skipped::Unreadable;
use crate::unknown::UnknownFile;

pub use super::collected::{Collected, MachineRuntime};
pub(crate) use super::evidence::defect::start_again_after_panics;
pub use super::request::{ImageOptions, ImageRequest, Pull, Request};

/// Passes everything that the request names to the readers.
///
/// No problem stops the scan: what cannot be read is in [`Collected::skipped`].
pub fn collect(request: &Request<'_>, readers: &[&dyn Reader]) -> Collected {
    let start = Instant::now();
    let own = Progress::default();
    let progress = request.progress.unwrap_or(&own);
    let scan = Scan::new(readers, progress, parallel::threads(request.threads));
    let machine = MachineRoot::new(request.root.as_deref().unwrap_or(Path::new("/")));
    let runtimes = runtimes(request, &machine);
    let configurations = Configurations::read_by(&runtimes, &request.releases);
    let mut roots = Roots::resolve(&scan, request, &machine, configurations);
    parallel::each(scan.threads, &roots.files, |root| file(&scan, root));
    roots.streams.iter().for_each(|path| stream(&scan, path));
    for folder in &roots.folders {
        walk::folder(&scan, folder, &roots.folders, &machine);
    }
    visit::deferred(&scan);
    if request.processes {
        processes::read(&scan, &machine.folder().join("proc"), &roots.sockets);
    }
    images(&scan, request);
    let detached = scan.take_configurations();
    detached.into_iter().for_each(|one| roots.configurations.judge_detached(one));
    let relays = scan.take_relays();
    let mut collected = scan.finish();
    collected.sightings = packages::merge(collected.sightings, &request.paths, request.go);
    collected.sightings = roots.configurations.finish(collected.sightings, request.processes);
    bridged::mark(&mut collected.sightings, &relays);
    collected.sightings.sort_by(in_order);
    collected.runtimes = runtimes;
    collected.summary = Summary {
        looked_at: roots.looked_at,
        without_configuration: roots.without_configuration,
        not_looked_for: request.not_looked_for(),
        millis: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
        ..collected.summary
    };
    collected
}

/// Checks the images of the request and those of manifests, as far as they are fetched, and reports
/// the others.
fn images(scan: &Scan<'_>, request: &Request<'_>) {
    let wanted = scan.take_wanted_images();
    if request.pull != Pull::All {
        for image in &wanted {
            manifests::not_fetched(scan, &image.request, Some(&image.reason));
        }
    }
    let asked = request.images.iter();
    match request.pull {
        Pull::None => asked.for_each(|image| manifests::not_fetched(scan, image, None)),
        Pull::Named => fetch(scan, &request.images, &request.image_options),
        Pull::All => {
            let of_manifests = wanted.into_iter().map(|image| image.request);
            let all: Vec<ImageRequest> = asked.cloned().chain(of_manifests).collect();
            fetch(scan, &all, &request.image_options);
        }
    }
}

#[cfg(feature = "registry")]
fn fetch(scan: &Scan<'_>, images: &[ImageRequest], options: &ImageOptions) {
    super::container::images::read(scan, images, options);
}

#[cfg(not(feature = "registry"))]
fn fetch(scan: &Scan<'_>, images: &[ImageRequest], _: &ImageOptions) {
    let reason = "this command was built without the feature `registry`";
    images.iter().for_each(|image| unjudged::not_fetched(scan, image, reason));
}

/// Returns the runtimes that have reported their releases, and those of the machine, if one is
/// checked.
fn runtimes(request: &Request<'_>, machine: &MachineRoot) -> Vec<MachineRuntime> {
    let mut runtimes = request.runtimes.clone();
    if !request.is_about_machine() {
        return runtimes;
    }
    for program in runtime::programs(machine) {
        match runtimes.iter_mut().find(|known| known.runtime == program.runtime) {
            Some(known) => known.nri = known.nri.take().or(program.nri),
            None => runtimes.push(program),
        }
    }
    runtimes
}

fn file(scan: &Scan<'_>, root: &Root) {
    let visit = Visit {
        place: Place::from_path(&root.shown),
        path: root.path.clone(),
        is_link: false,
        demand: if root.is_named { Demand::Named } else { Demand::Walked },
    };
    visit::file(scan, &visit);
}

/// Reads a pipe or standard input to its end, so that archives can be read at any offset.
fn stream(scan: &Scan<'_>, path: &Path) {
    let place = Place::from(roots::stream_name(path));
    let spooled = roots::open_stream(path)
        .map_err(Unreadable::from)
        .and_then(|mut input| disk::spooled(&mut *input));
    match spooled {
        Ok(disk) => visit::stream(scan, &disk, place),
        Err(why) => {
            unjudged::report(scan, &place, Demand::Named, UnknownFile::Unread(why.reason));
            scan.count(FileOutcome::Evidence);
        }
    }
}

/// Compares sightings for the order of the result.
fn in_order(a: &Sighting, b: &Sighting) -> std::cmp::Ordering {
    let key = |sighting: &Sighting| (sighting.kind, sighting.name.clone(), sighting.index.clone());
    a.place.compare_paths(&b.place).then_with(|| key(a).cmp(&key(b)))
}
