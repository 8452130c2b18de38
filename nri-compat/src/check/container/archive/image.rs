//! Images: each layer is read once, and the layers of each image are combined.

use std::cmp::Reverse;
use std::collections::BTreeMap;
#[cfg(feature = "registry")]
use std::path::Path;
use std::sync::OnceLock;

use super::layer::{FINDINGS_MEMORY, Kind, Layer, LayerReading, Memory};
use super::manifest::{self, Blob, Image, Store};
use super::tree::Tree;
use crate::check::observations::Observations;
use crate::check::parallel;
use crate::check::recognise;
use crate::check::scan::Scan;
use crate::place::Place;
use crate::skipped::Unreadable;

/// The layers of images by their path. Each is read when it is first needed.
pub(crate) struct Layers<'i> {
    scan: &'i Scan<'i>,
    memory: Memory,
    /// Each layer with the store of the first image that has it.
    slots: BTreeMap<&'i str, (&'i dyn Store, OnceLock<Layer>)>,
}

impl<'i> Layers<'i> {
    /// Lists each layer of the images once, with its store. The memory of the stores grows with the
    /// number of archives.
    pub(crate) fn new(
        scan: &'i Scan<'i>,
        archives: usize,
        images: impl Iterator<Item = (&'i dyn Store, &'i Image)>,
    ) -> Self {
        let mut slots = BTreeMap::new();
        for (store, image) in images {
            for blob in &image.layers {
                let slot = slots.entry(blob.path.as_str());
                slot.or_insert((store, OnceLock::new()));
            }
        }
        Self { scan, memory: Memory::new(archives), slots }
    }

    /// Reads the layers of these images that were not read yet.
    pub(crate) fn read<'r>(&self, images: impl Iterator<Item = &'r Image>) {
        let mut blobs: Vec<&Blob> = images.flat_map(|image| &image.layers).collect();
        // The largest first, so that no thread is left with it at the end.
        blobs.sort_by_key(|blob| (Reverse(blob.size), blob.path.as_str()));
        blobs.dedup_by_key(|blob| blob.path.as_str());
        parallel::each(self.scan.threads, &blobs, |blob| {
            self.get(blob);
        });
    }

    /// Returns a layer, which is read if it was not yet; `None` if no image has it.
    fn get(&self, blob: &Blob) -> Option<&Layer> {
        let (store, layer) = self.slots.get(blob.path.as_str())?;
        Some(layer.get_or_init(|| {
            self.open(*store, blob)
                .unwrap_or_else(|why| Layer { failed: Some(why), ..Layer::default() })
        }))
    }

    fn open(&self, store: &dyn Store, blob: &Blob) -> Result<Layer, Unreadable> {
        let content = &*store.layer(blob)?;
        let packing = recognise::layer(content)?;
        Ok(Layer::read(LayerReading {
            scan: self.scan,
            content,
            packing,
            memory: &self.memory,
            kind: Kind::Layer,
        }))
    }

    /// Returns the findings in the file of an image with this path. Only the layers from the
    /// topmost down to that with the file are read.
    #[cfg(feature = "registry")]
    pub(crate) fn file_at(&self, image: &Image, path: &Path) -> Option<Observations> {
        let mut stack = Vec::new();
        for blob in image.layers.iter().rev() {
            let layer = self.get(blob).filter(|layer| layer.failed.is_none())?;
            stack.insert(0, layer);
            if layer.has(path) {
                return Tree::new(&stack).target(path).cloned();
            }
        }
        None
    }
}

/// Checks all images of an archive, and returns them.
pub(super) fn read(
    scan: &Scan<'_>,
    store: &dyn Store,
    archive: &Place,
) -> Result<Vec<Image>, Unreadable> {
    let found = manifest::images(store)?;
    for why in found.problems {
        scan.skip(archive.clone(), why);
    }
    let images = found.images;
    let layers = Layers::new(scan, 1, images.iter().map(|image| (store, image)));
    layers.read(images.iter());
    for image in &images {
        let findings = report(image, &layers, &archive.in_image(&image.name))?;
        findings.into_iter().for_each(|observed| scan.store(observed));
    }
    Ok(images)
}

/// Returns the findings in the files that a container of an image would see, and reports what could
/// not be read.
pub(crate) fn report(
    image: &Image,
    layers: &Layers<'_>,
    place: &Place,
) -> Result<Vec<Observations>, Unreadable> {
    let scan = layers.scan;
    for why in &image.problems {
        scan.skip(place.clone(), why.clone());
    }
    let stack: Vec<&Layer> = image.layers.iter().filter_map(|blob| layers.get(blob)).collect();
    for (number, layer) in (1..).zip(&stack) {
        if let Some(why) = &layer.failed {
            scan.skip(place.in_layer(number), why.clone());
        }
    }
    let findings = Tree::new(&stack).findings(place);
    layers.memory.add(findings.len() * FINDINGS_MEMORY)?;
    Ok(findings)
}
