//! Fetches the images of a request: manifests first, then each layer once, then the reports.

use std::collections::BTreeMap;

use super::entry::{self, EntryPoint};
use super::platform::Platforms;
use super::remote::Remote;
use super::{failed, report};
use crate::check::collect::archive::{Image, Images, Layers, Store};
use crate::check::collect::demand::Demand;
use crate::check::collect::parallel;
use crate::check::collect::request::{ImageOptions, ImageRequest};
use crate::check::collect::scan::Scan;
use crate::check::collect::unjudged;
use crate::place::Place;
use crate::registry::{Client, Options};
use crate::skipped::Unreadable;

/// The manifests of an image.
struct Found<'c> {
    remote: Remote<'c>,
    images: Images,
}

/// Checks the images, each once, for all places that ask for it.
pub(super) fn read(scan: &Scan<'_>, requests: &[ImageRequest], options: &ImageOptions) {
    let places = places_by_reference(requests);
    let client = Client::new(Options {
        insecure: options.insecure.clone(),
        ..Options::default()
    });
    let platforms = Platforms::parse(options.platform.as_deref());
    let references: Vec<&str> = places.keys().copied().collect();
    let found = parallel::map(scan.threads, &references, |reference| {
        manifests(reference, &client, platforms.as_ref())
    });
    let images: Vec<(&Remote<'_>, &Image)> = found.iter().flatten().flat_map(Found::each).collect();
    let stores = images
        .iter()
        .map(|(remote, image)| (*remote as &dyn Store, *image));
    let layers = Layers::new(scan, stores);
    let entries = parallel::map(scan.threads, &images, |(remote, image)| {
        options
            .quick
            .then(|| entry::find(remote, image, &layers))
            .flatten()
    });
    let whole = images
        .iter()
        .zip(&entries)
        .filter(|(_, entry)| entry.is_none());
    layers.read(whole.map(|((_, image), _)| *image));
    let mut entries = entries.iter();
    for ((reference, places), found) in places.iter().zip(&found) {
        match found {
            Ok(found) => found.report(scan, (reference, places), &layers, &mut entries),
            Err(why) => places
                .iter()
                .for_each(|place| failed(scan, reference, place, why)),
        }
    }
}

/// Returns each reference once, with all places that ask for it.
fn places_by_reference(requests: &[ImageRequest]) -> BTreeMap<&str, Vec<&Place>> {
    let mut places: BTreeMap<&str, Vec<&Place>> = BTreeMap::new();
    for request in requests {
        let places = places.entry(&request.reference).or_default();
        if !places.contains(&&request.place) {
            places.push(&request.place);
        }
    }
    places
}

/// Fetches the manifests of an image.
fn manifests<'c>(
    reference: &str,
    client: &'c Client,
    platforms: Result<&Platforms, &String>,
) -> Result<Found<'c>, String> {
    let platforms = platforms.map_err(String::clone)?;
    let said = |why: Unreadable| why.reason;
    let remote = Remote::new(client, reference).map_err(said)?;
    let images = remote.images(platforms).map_err(said)?;
    Ok(Found { remote, images })
}

impl<'c> Found<'c> {
    fn each(&self) -> impl Iterator<Item = (&Remote<'c>, &Image)> {
        self.images.images.iter().map(|image| (&self.remote, image))
    }

    /// Reports the images under each place. `entries` yields the entry point of each.
    fn report<'e>(
        &self,
        scan: &Scan<'_>,
        (reference, places): (&str, &[&Place]),
        layers: &Layers<'_>,
        entries: &mut impl Iterator<Item = &'e Option<EntryPoint>>,
    ) {
        for why in &self.images.problems {
            for place in places {
                unjudged::report(scan, place, Demand::Named, &why.reason);
            }
        }
        let count = self.images.images.len();
        for (image, entry) in self.images.images.iter().zip(entries) {
            for place in places {
                let place = report::place_of(reference, place, &image.name, count);
                match entry {
                    Some(entry) => report::entry_point(scan, entry, &place),
                    None => report::image(scan, image, layers, &place),
                }
            }
        }
    }
}
