//! Images: each layer is read once, and the layers of each image are combined.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::blob::Blob;
use super::layer::{Layer, Reading};
use super::layer_blob;
use super::manifest::{self, Image};
use super::store::Store;
use super::tree::Tree;
use crate::check::collect::parallel;
use crate::check::collect::scan::Scan;
use crate::place::Place;
use crate::skipped::{SkipKind, Unreadable};

/// The maximum number of files with findings in all images together; each image counts separately.
const MAX_FINDINGS: usize = 20_000;

/// The layers of images by their path. Each is read when it is first needed.
pub(in crate::check::collect) struct Layers<'i> {
    scan: &'i Scan<'i>,
    slots: BTreeMap<&'i str, Slot<'i>>,
}

/// A layer, and the store of the first image that has it.
struct Slot<'i> {
    blob: &'i Blob,
    store: &'i dyn Store,
    read: OnceLock<Layer>,
}

impl<'i> Layers<'i> {
    /// Lists the layers of these images, each once.
    pub(in crate::check::collect) fn new(
        scan: &'i Scan<'i>,
        images: impl Iterator<Item = (&'i dyn Store, &'i Image)>,
    ) -> Self {
        let mut slots = BTreeMap::new();
        for (store, image) in images {
            for blob in &image.layers {
                let read = OnceLock::new();
                let slot = || Slot { blob, store, read };
                slots.entry(blob.path.as_str()).or_insert_with(slot);
            }
        }
        Self { scan, slots }
    }

    /// Reads the layers of these images that were not read yet.
    pub(in crate::check::collect) fn read<'r>(&self, images: impl Iterator<Item = &'r Image>) {
        let mut blobs: Vec<&Blob> = images.flat_map(|image| &image.layers).collect();
        // The largest first, so that no thread is left with it at the end.
        blobs.sort_by_key(|blob| (Reverse(blob.size), blob.path.as_str()));
        blobs.dedup_by_key(|blob| blob.path.as_str());
        parallel::each(self.scan.threads, &blobs, |blob| {
            self.get(blob);
        });
    }

    /// Returns a layer, which is read if it was not yet; `None` if no image has it.
    pub(in crate::check::collect) fn get(&self, blob: &Blob) -> Option<&Layer> {
        let slot = self.slots.get(blob.path.as_str())?;
        let read = || slot.read(self.scan).unwrap_or_else(Layer::failed);
        Some(slot.read.get_or_init(read))
    }

    /// Returns the layers of an image.
    fn stack(&self, image: &Image) -> Vec<&Layer> {
        let blobs = image.layers.iter();
        blobs.filter_map(|blob| self.get(blob)).collect()
    }
}

impl Slot<'_> {
    fn read(&self, scan: &Scan<'_>) -> Result<Layer, Unreadable> {
        let content = self.store.layer(self.blob)?;
        let reading = Reading {
            scan,
            content: &*content,
            entries: self.store.entries(),
            is_layer: true,
        };
        let is_labelled_tar = self.blob.is_labelled_tar;
        Ok(layer_blob::read(reading, is_labelled_tar, &self.blob.name))
    }
}

/// Checks all images of an archive.
pub(super) fn read(scan: &Scan<'_>, store: &dyn Store, archive: &Place) -> Result<(), Unreadable> {
    let found = manifest::images(store)?;
    for why in found.problems {
        scan.skip(archive.clone(), why);
    }
    let images = &found.images;
    let layers = Layers::new(scan, images.iter().map(|image| (store, image)));
    layers.read(images.iter());
    let paths: BTreeSet<&str> = layers.slots.keys().copied().collect();
    if let Some(why) = store.others(&paths) {
        scan.skip(archive.clone(), why);
    }
    let mut left = MAX_FINDINGS;
    for image in images {
        report(image, &layers, &archive.in_image(&image.name), &mut left)?;
    }
    Ok(())
}

/// Reports what a container of an image would see, and what could not be read. Returns the number of
/// files.
#[cfg(feature = "registry")]
pub(in crate::check::collect) fn report_one(
    image: &Image,
    layers: &Layers<'_>,
    place: &Place,
) -> Result<usize, Unreadable> {
    report(image, layers, place, &mut { MAX_FINDINGS })
}

/// Reports an image. `left` is the number of files with findings that may be reported.
fn report(
    image: &Image,
    layers: &Layers<'_>,
    place: &Place,
    left: &mut usize,
) -> Result<usize, Unreadable> {
    let scan = layers.scan;
    for why in &image.problems {
        scan.skip(place.clone(), why.clone());
    }
    let stack = layers.stack(image);
    for (number, layer) in (1..).zip(&stack) {
        layer.report_limits(scan, &place.in_layer(number));
    }
    let findings = Tree::new(&stack).findings(place);
    *left = left.checked_sub(findings.len()).ok_or_else(|| {
        let reason = format!("more than {MAX_FINDINGS} files with evidence in its images");
        Unreadable::new(SkipKind::Limit, reason)
    })?;
    let reported = findings.len();
    findings.into_iter().for_each(|found| scan.store(found));
    Ok(reported)
}
