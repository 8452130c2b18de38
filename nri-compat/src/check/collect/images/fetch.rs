//! Fetches the images of a request: manifests first, then each layer once, then the reports.

use std::collections::BTreeMap;

use super::remote::Remote;
use super::{entry, failed, platform};
use crate::check::collect::archive::{Image, Images, Layers, Platform, Store, report_image};
use crate::check::collect::demand::Demand;
use crate::check::collect::file_outcome::FileOutcome;
use crate::check::collect::found::Found;
use crate::check::collect::request::{ImageOptions, ImageRequest, shown};
use crate::check::collect::scan::Scan;
use crate::check::collect::{parallel, unjudged};
use crate::place::Place;
use crate::registry::{Client, Options};
use crate::skipped::{SkipKind, Unreadable};

/// Checks the images, each once, for all places that ask for it.
pub(super) fn read(scan: &Scan<'_>, requests: &[ImageRequest], options: &ImageOptions) {
    let client = Client::new(Options {
        insecure: options.insecure.clone(),
        ..Options::default()
    });
    let platform = options.platform.as_deref().map(platform::parse).transpose();
    let places = places_by_reference(requests);
    let references: Vec<&str> = places.keys().copied().collect();
    let found = parallel::map(scan.threads, &references, |reference| {
        let platform = platform.as_ref().map_err(Clone::clone)?;
        manifests(reference, &client, platform.as_ref()).map_err(|why| why.reason)
    });
    let stores = found.iter().flatten();
    let layers = Layers::new(
        scan,
        stores.map(|(remote, found)| (remote as &dyn Store, found.images.as_slice())),
    );
    let images = found.iter().flatten();
    let images =
        images.flat_map(|(remote, found)| found.images.iter().map(move |image| (remote, image)));
    let images: Vec<(&Remote<'_>, &Image)> = images.collect();
    let entries = parallel::map(scan.threads, &images, |(remote, image)| {
        let find = || entry::find(remote, image, &layers);
        options.quick.then(find).flatten()
    });
    let whole = images
        .iter()
        .zip(&entries)
        .filter(|(_, entry)| entry.is_none());
    layers.read(whole.map(|((_, image), _)| *image));
    let mut entries = entries.into_iter();
    for ((reference, places), found) in places.iter().zip(&found) {
        match found {
            Ok((_, found)) => {
                let own = entries
                    .by_ref()
                    .take(found.images.len())
                    .collect::<Vec<_>>();
                for place in places {
                    report(scan, (reference, place), (found, &own), &layers);
                }
            }
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
    platform: Option<&Platform>,
) -> Result<(Remote<'c>, Images), Unreadable> {
    let remote = Remote::new(client, reference)?;
    let images = remote.images(platform)?;
    Ok((remote, images))
}

/// Reports the images of a reference under a place that asks for it, and the entry points of those that were not read
/// further.
fn report(
    scan: &Scan<'_>,
    (reference, place): (&str, &Place),
    (found, entries): (&Images, &[Option<Found>]),
    layers: &Layers<'_>,
) {
    for why in &found.problems {
        unjudged::report(scan, place, Demand::Named, &why.reason);
    }
    for (image, entry) in found.images.iter().zip(entries) {
        let platform = image.platform.as_ref().filter(|_| found.images.len() > 1);
        let place = place_of(reference, place, platform);
        scan.count(FileOutcome::Archive);
        match entry {
            Some(entry) => entry_point(scan, entry, &place),
            None => whole(scan, image, layers, &place),
        }
    }
}

/// Returns the place of an image within the place that asks for it: the platform if there are several, after the
/// reference unless the place is the reference.
fn place_of(reference: &str, place: &Place, platform: Option<&Platform>) -> Place {
    let reference = shown(reference);
    let is_named = place.file == reference;
    match platform
        .map(Platform::to_string)
        .filter(|platform| !platform.is_empty())
    {
        Some(platform) if is_named => place.in_image(&platform),
        Some(platform) => place.in_image(&format!("{reference} ({platform})")),
        None if is_named => place.clone(),
        None => place.in_image(&reference),
    }
}

/// Reports an image whose layers were read, also if it has no trace of NRI and no part that could not be
/// read.
fn whole(scan: &Scan<'_>, image: &Image, layers: &Layers<'_>, place: &Place) {
    match report_image(image, layers, place) {
        Ok(0) if scan.skipped_within(place).1 == 0 => unjudged::without_plugin(scan, place),
        Ok(_) => {}
        Err(why) => scan.skip(place.clone(), why),
    }
    unjudged::image(scan, place);
}

/// Reports the entry point of an image whose other files were not read.
fn entry_point(scan: &Scan<'_>, entry: &Found, place: &Place) {
    if let Some(seen) = entry.sightings.first() {
        scan.store(entry.clone().moved(place, &seen.place.file));
    }
    let reason = "only the entry point was read, as --quick demands";
    scan.skip(place.clone(), Unreadable::new(SkipKind::Limit, reason));
}
