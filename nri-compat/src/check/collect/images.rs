//! Images by reference: fetched from registries, each layer once, and checked like those in files.

#[cfg(feature = "registry")]
mod fetch;
#[cfg(feature = "registry")]
mod remote;

use super::found::FileOutcome;
use super::request::{ImageOptions, ImageRequest, shown};
use super::scan::Scan;
use super::unjudged;
use crate::place::Place;
use crate::sighting::UnknownKind;

/// Checks the images of a request.
pub(super) fn read(scan: &Scan<'_>, images: &[ImageRequest], options: &ImageOptions) {
    if images.is_empty() {
        return;
    }
    #[cfg(feature = "registry")]
    fetch::read(scan, images, options);
    #[cfg(not(feature = "registry"))]
    {
        let _ = options;
        let reason = "this command was built without the feature `registry`";
        images
            .iter()
            .for_each(|image| failed(scan, &image.reference, &image.place, reason));
    }
}

/// Reports an image of which nothing could be read.
fn failed(scan: &Scan<'_>, reference: &str, place: &Place, reason: &str) {
    let reason = format!("cannot fetch {}: {reason}", shown(reference));
    scan.store_sighting(unjudged::of_kind(place, UnknownKind::NotFetched, &reason));
    scan.count(FileOutcome::Evidence);
    scan.gathered().found.not_fetched.push(reason);
}
