//! Turns the paths that the user named into files for the readers.
//!
//! Folders are walked in parallel, every file is opened once, and a file is read further only if a
//! reader recognises its first bytes. The result is sorted, so it does not depend on thread timing.
//! Everything that cannot be checked is listed with a reason.
//!
//! The modules depend on each other in one direction: `scan` holds the shared state, `archive` and
//! `unjudged` add to it, `visit` takes one file through them, and `walk` and `processes` find the
//! files.

use std::path::Path;
use std::time::Instant;

#[cfg(feature = "registry")]
use super::container::images;
use super::content::disk;
use super::evidence::Reader;
use super::find::configurations::Configurations;
use super::find::machine_root::MachineRoot;
use super::find::roots::{self, Root, Roots};
use super::find::{processes, runtime, visit, walk};
use super::found::{Demand, FileOutcome};
use super::kubernetes::manifests;
use super::progress::Progress;
use super::scan::{Scan, Visit};
use super::{bridged, packages, parallel, unjudged};
use crate::place::Place;
use crate::report::check::Summary;
use crate::sighting::Sighting;
use crate::skipped::Unreadable;

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
    let roots = Roots::resolve(&scan, request, &machine, configurations);
    parallel::each(scan.threads, &roots.files, |root| file(&scan, root));
    roots.streams.iter().for_each(|path| stream(&scan, path));
    for folder in &roots.folders {
        walk::folder(&scan, folder, &roots.folders, &machine);
    }
    visit::deferred(&scan);
    if request.processes {
        processes::read(&scan, &machine.folder().join("proc"), &roots.sockets);
    }
    let wanted = scan.take_wanted_images();
    let mut images = request.images.clone();
    if request.pull == Pull::All {
        images.extend(wanted.iter().map(|image| image.request.clone()));
    } else {
        for image in &wanted {
            manifests::not_fetched(&scan, &image.request, Some(&image.reason));
        }
    }
    if request.pull == Pull::None {
        images.iter().for_each(|image| manifests::not_fetched(&scan, image, None));
    } else {
        #[cfg(feature = "registry")]
        images::read(&scan, &images, &request.image_options);
        #[cfg(not(feature = "registry"))]
        for image in &images {
            let reason = "this command was built without the feature `registry`";
            unjudged::not_fetched(&scan, &image.reference, &image.place, reason);
        }
    }
    let mut collected = scan.finish();
    for image in images.iter().filter(|_| request.pull != Pull::None) {
        if let Some(relayed) = &image.relayed {
            bridged::container(&mut collected.sightings, &image.place, relayed);
        }
    }
    if request.pull == Pull::All {
        manifests::explain(&mut collected.sightings, &wanted);
    }
    collected.sightings = packages::merge(collected.sightings, &request.paths, request.go);
    collected.sightings = roots.configurations.finish(collected.sightings, request.processes);
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
            unjudged::report(scan, &place, Demand::Named, &why.reason);
            scan.count(FileOutcome::Evidence);
        }
    }
}

/// Compares sightings for the order of the result.
fn in_order(a: &Sighting, b: &Sighting) -> std::cmp::Ordering {
    let key = |sighting: &Sighting| (sighting.kind, sighting.name.clone(), sighting.index.clone());
    a.place.compare_paths(&b.place).then_with(|| key(a).cmp(&key(b)))
}
