//! Images: each layer is read once, and the layers of each image are combined.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::layer::{self, Layer, Reading};
use super::limits::Limits;
use super::manifest::{self, Blob, Image};
use super::overlay;
use super::store::Store;
use crate::check::collect::parallel;
use crate::check::collect::scan::Scan;
use crate::place::Place;
use crate::skipped::{SkipKind, Unreadable};

/// The assumed size of an image folder of unknown size in bytes.
const UNKNOWN_SIZE: u64 = 1 << 30;

/// The maximum number of files with findings in all images together; each image counts separately.
const MAX_HITS: usize = 20_000;

/// A layer of an archive, with the images that use it.
struct Slot<'i> {
    blob: &'i Blob,
    read: OnceLock<Layer>,
}

/// Checks all images of an archive.
pub(super) fn read(scan: &Scan<'_>, store: &dyn Store, archive: &Place) -> Result<(), Unreadable> {
    let found = manifest::images(store)?;
    for why in found.problems {
        scan.skip(archive.clone(), why);
    }
    let slots = slots(&found.images);
    let limits = Limits::of(store.size().unwrap_or(UNKNOWN_SIZE));
    parallel::each(scan.threads, &slots, |slot| {
        let _ = slot.read.set(layer(scan, store, slot.blob, &limits));
    });
    let layers: BTreeMap<&str, &Layer> = slots
        .iter()
        .filter_map(|slot| Some((slot.blob.path.as_str(), slot.read.get()?)))
        .collect();
    if let Some(why) = store.others(&layers.keys().copied().collect()) {
        scan.skip(archive.clone(), why);
    }
    let mut reported = BTreeSet::new();
    let mut left = MAX_HITS;
    for image in &found.images {
        let place = archive.in_image(&image.name);
        for why in &image.problems {
            scan.skip(place.clone(), why.clone());
        }
        report(scan, image, &layers, &place, &mut reported);
        let blobs = image.layers.iter();
        let stack: Vec<&Layer> = blobs
            .filter_map(|blob| layers.get(blob.path.as_str()).copied())
            .collect();
        overlay(scan, &stack, &place, &mut left)?;
    }
    Ok(())
}

/// Returns every layer once, however many images have it.
fn slots(images: &[Image]) -> Vec<Slot<'_>> {
    let blobs = images.iter().flat_map(|image| &image.layers);
    let by_path: BTreeMap<&str, &Blob> = blobs.map(|blob| (blob.path.as_str(), blob)).collect();
    let slot = |blob| Slot {
        blob,
        read: OnceLock::new(),
    };
    by_path.into_values().map(slot).collect()
}

fn layer(scan: &Scan<'_>, store: &dyn Store, blob: &Blob, limits: &Limits) -> Layer {
    let content = match store.open(&blob.path) {
        Ok(Some(content)) => content,
        Ok(None) => {
            let why = Unreadable::new(SkipKind::NotFound, "it is not there");
            return Layer::failed(why);
        }
        Err(why) => return Layer::failed(why),
    };
    let reading = Reading {
        scan,
        content: &*content,
        limits,
        is_layer: true,
    };
    layer::read_blob(reading, blob.is_labelled_tar, &blob.name)
}

/// Reports what could not be checked, once per layer.
fn report<'i>(
    scan: &Scan<'_>,
    image: &'i Image,
    layers: &BTreeMap<&str, &Layer>,
    place: &Place,
    reported: &mut BTreeSet<&'i str>,
) {
    for (number, blob) in (1..).zip(&image.layers) {
        if let Some(layer) = layers.get(blob.path.as_str())
            && reported.insert(&blob.path)
        {
            layer.report_limits(scan, &place.in_layer(number));
        }
    }
}

/// Reports what a container of an image with these layers would see, and returns the number of
/// files.
#[cfg(feature = "registry")]
pub(in crate::check::collect) fn report_overlay(
    scan: &Scan<'_>,
    stack: &[&Layer],
    place: &Place,
) -> Result<usize, Unreadable> {
    overlay(scan, stack, place, &mut { MAX_HITS })
}

/// Reports what a container of the image would see, and returns the number of files.
fn overlay(
    scan: &Scan<'_>,
    stack: &[&Layer],
    place: &Place,
    left: &mut usize,
) -> Result<usize, Unreadable> {
    let mut reported = 0;
    for (number, layer) in stack.iter().enumerate() {
        for hit in &layer.hits {
            *left = left.checked_sub(1).ok_or_else(|| {
                let reason = format!("more than {MAX_HITS} files with evidence in its images");
                Unreadable::new(SkipKind::Limit, reason)
            })?;
            reported += usize::from(overlay::report(scan, hit, stack, number, place));
        }
    }
    Ok(reported + overlay::report_launched(scan, stack, place))
}
