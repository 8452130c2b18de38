//! Fetches the images of a request: manifests first, then each layer once, then the reports.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::entry::{self, EntryPoint};
use super::platform::Platforms;
use super::remote::{Remote, unreadable};
use super::report;
use crate::check::collect::archive::{Image, Images, Layers, Store};
use crate::check::collect::demand::Demand;
use crate::check::collect::parallel;
use crate::check::collect::request::{ImageOptions, ImageRequest};
use crate::check::collect::scan::Scan;
use crate::check::collect::unjudged;
use crate::place::Place;
use crate::registry::{Client, Options, Reference};
use crate::skipped::{SkipKind, Unreadable};

/// An image, and all places that ask for it.
struct Job<'r> {
    reference: &'r str,
    places: Vec<&'r Place>,
    found: OnceLock<Result<Found<'r>, Unreadable>>,
}

/// The manifests of an image.
struct Found<'c> {
    remote: Remote<'c>,
    images: Images,
}

/// Checks the images.
pub(super) fn read(scan: &Scan<'_>, requests: &[ImageRequest], options: &ImageOptions) {
    let prepared = prepare(options);
    let jobs = jobs(requests);
    let (client, platforms) = match &prepared {
        Ok(both) => both,
        Err(why) => return jobs.iter().for_each(|job| job.failed(scan, why)),
    };
    parallel::each(scan.threads, &jobs, |job| {
        let _ = job.found.set(job.manifests(client, platforms));
    });
    let images: Vec<(&Remote<'_>, &Image)> = jobs.iter().flat_map(Job::images).collect();
    let stores = images
        .iter()
        .map(|(remote, image)| (*remote as &dyn Store, *image));
    let layers = Layers::new(scan, stores);
    let entries = if options.quick {
        entry_points(scan, &images, &layers)
    } else {
        images.iter().map(|_| OnceLock::new()).collect()
    };
    let whole = images
        .iter()
        .zip(&entries)
        .filter(|(_, entry)| entry.get().is_none());
    layers.read(whole.map(|((_, image), _)| *image));
    let mut entries = entries.iter();
    for job in &jobs {
        job.report(scan, &layers, &mut entries);
    }
}

/// Returns the entry points of the images, where they are plugins.
fn entry_points(
    scan: &Scan<'_>,
    images: &[(&Remote<'_>, &Image)],
    layers: &Layers<'_>,
) -> Vec<OnceLock<EntryPoint>> {
    let entries: Vec<OnceLock<EntryPoint>> = images.iter().map(|_| OnceLock::new()).collect();
    let pairs: Vec<_> = images.iter().zip(&entries).collect();
    parallel::each(scan.threads, &pairs, |((remote, image), entry)| {
        if let Some(found) = entry::find(remote, image, layers) {
            let _ = entry.set(found);
        }
    });
    entries
}

/// Returns each image once, with all places that ask for it.
fn jobs(requests: &[ImageRequest]) -> Vec<Job<'_>> {
    let mut by_reference: BTreeMap<&str, Vec<&Place>> = BTreeMap::new();
    for request in requests {
        let places = by_reference.entry(&request.reference).or_default();
        if !places.contains(&&request.place) {
            places.push(&request.place);
        }
    }
    let job = |(reference, places)| Job {
        reference,
        places,
        found: OnceLock::new(),
    };
    by_reference.into_iter().map(job).collect()
}

fn prepare(options: &ImageOptions) -> Result<(Client, Platforms), Unreadable> {
    let platforms = Platforms::parse(options.platform.as_deref())
        .map_err(|why| Unreadable::new(SkipKind::Io, why))?;
    let client = Client::new(Options {
        insecure: options.insecure.clone(),
        ..Options::default()
    });
    Ok((client, platforms))
}

impl<'r> Job<'r> {
    fn manifests(
        &self,
        client: &'r Client,
        platforms: &Platforms,
    ) -> Result<Found<'r>, Unreadable> {
        let reference = Reference::parse(self.reference).map_err(|error| unreadable(&error))?;
        let remote = Remote::new(client, reference);
        let images = remote
            .images(platforms)
            .map_err(|error| unreadable(&error))?;
        Ok(Found { remote, images })
    }

    /// Returns the images that were found.
    fn images(&self) -> impl Iterator<Item = (&Remote<'r>, &Image)> {
        let found = self.found.get().and_then(|found| found.as_ref().ok());
        found.into_iter().flat_map(|found| {
            let images = found.images.images.iter();
            images.map(|image| (&found.remote, image))
        })
    }

    /// Reports the images under each place. `entries` yields the entry point of each.
    fn report<'e>(
        &self,
        scan: &Scan<'_>,
        layers: &Layers<'_>,
        entries: &mut impl Iterator<Item = &'e OnceLock<EntryPoint>>,
    ) {
        let found = match self.found.get() {
            Some(Ok(found)) => found,
            Some(Err(why)) => return self.failed(scan, why),
            None => return,
        };
        for (place, why) in self
            .places
            .iter()
            .flat_map(|place| found.images.problems.iter().map(move |why| (place, why)))
        {
            unjudged::report(scan, place, Demand::Named, &why.reason);
        }
        let count = found.images.images.len();
        for (image, entry) in found.images.images.iter().zip(entries) {
            for place in &self.places {
                let place = report::place_of(self.reference, place, &image.name, count);
                match entry.get() {
                    Some(entry) => report::entry_point(scan, entry, &place),
                    None => report::image(scan, image, layers, &place),
                }
            }
        }
    }

    /// Reports an image that could not be fetched.
    fn failed(&self, scan: &Scan<'_>, why: &Unreadable) {
        for place in &self.places {
            super::failed(scan, self.reference, place, &why.reason);
        }
    }
}
