//! Images: layers read once each, and laid over each other for every image.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::layer::{self, Layer, Stop};
use super::limits::Limits;
use super::manifest::{self, Image};
use super::store::Store;
use crate::check::collect::scan::Scan;
use crate::check::collect::{disk, parallel};
use crate::check::packing::Packing;
use crate::check::place::Place;
use crate::check::skipped::{SkipKind, Unreadable};

/// What an image folder of unknown size may cost at least.
const UNKNOWN: u64 = 1 << 30;

/// The most files of all images together in which something is seen; each image counts its own.
const HITS: usize = 20_000;

/// One of all layers of an archive.
struct Slot {
    path: String,
    read: OnceLock<Layer>,
}

/// Looks into all images of an archive.
pub(super) fn read(scan: &Scan<'_>, store: &dyn Store, archive: &Place) -> Result<(), Unreadable> {
    let images = manifest::images(store)?;
    let slots = slots(&images);
    let limits = Limits::of(store.size().unwrap_or(UNKNOWN));
    parallel::each(scan.threads, &slots, |slot| {
        let _ = slot.read.set(layer(scan, store, &slot.path, &limits));
    });
    let layers: BTreeMap<&str, &Layer> = slots
        .iter()
        .filter_map(|slot| Some((slot.path.as_str(), slot.read.get()?)))
        .collect();
    let mut said = BTreeSet::new();
    let mut left = HITS;
    for image in &images {
        let place = archive.in_image(&image.name);
        if let Some(reason) = &image.failed {
            scan.skip(place.clone(), reason.clone());
        }
        say(scan, image, &layers, &place, &mut said);
        overlay(scan, image, &layers, &place, &mut left)?;
    }
    Ok(())
}

/// Every layer once, whatever the number of images that have it.
fn slots(images: &[Image]) -> Vec<Slot> {
    let mut paths: Vec<&String> = images.iter().flat_map(|image| &image.layers).collect();
    paths.sort();
    paths.dedup();
    let slot = |path: &String| Slot {
        path: path.clone(),
        read: OnceLock::new(),
    };
    paths.into_iter().map(slot).collect()
}

fn layer(scan: &Scan<'_>, store: &dyn Store, path: &str, limits: &Limits) -> Layer {
    let content = match store.open(path) {
        Ok(Some(content)) => content,
        Ok(None) => return Layer::failed(Unreadable::new(SkipKind::NotFound, "it is not there")),
        Err(reason) => return Layer::failed(reason),
    };
    match disk::head(&*content) {
        Ok(head) => layer::read(scan, &*content, Packing::of(&head), limits, Stop::Never),
        Err(error) => Layer::failed(Unreadable::from(&error)),
    }
}

/// Says what could not be looked at, of each layer once.
fn say<'i>(
    scan: &Scan<'_>,
    image: &'i Image,
    layers: &BTreeMap<&str, &Layer>,
    place: &Place,
    said: &mut BTreeSet<&'i str>,
) {
    for (number, path) in image.layers.iter().enumerate() {
        if let Some(layer) = layers.get(path.as_str())
            && said.insert(path)
        {
            layer.report_limits(
                scan,
                &place.in_layer(u32::try_from(number + 1).unwrap_or(u32::MAX)),
            );
        }
    }
}

/// Hands over what a container of the image would see.
fn overlay(
    scan: &Scan<'_>,
    image: &Image,
    layers: &BTreeMap<&str, &Layer>,
    place: &Place,
    left: &mut usize,
) -> Result<(), Unreadable> {
    let stack: Vec<&Layer> = image
        .layers
        .iter()
        .filter_map(|path| layers.get(path.as_str()).copied())
        .collect();
    for (number, layer) in stack.iter().enumerate() {
        let above = stack.get(number + 1..).unwrap_or_default();
        for hit in &layer.hits {
            *left = left.checked_sub(1).ok_or_else(|| {
                Unreadable::new(
                    SkipKind::Limit,
                    format!("more than {HITS} files with evidence in its images"),
                )
            })?;
            let mut names = visible(&hit.paths, above);
            names.extend(linked(&hit.paths, above));
            names.sort();
            if let Some(path) = names.first() {
                scan.store(hit.found.clone().moved(place, &layer::shown_path(path)));
            }
        }
    }
    Ok(())
}

/// Those of the paths that no layer above hides.
fn visible<'p>(paths: &'p [Vec<u8>], above: &[&Layer]) -> Vec<&'p [u8]> {
    let hidden = |path: &[u8]| above.iter().any(|layer| layer.covers.hide(path));
    let paths = paths.iter().map(Vec::as_slice);
    paths.filter(|path| !hidden(path)).collect()
}

/// Names that layers above give to a file by hard links, and that can be seen.
fn linked<'l>(paths: &[Vec<u8>], above: &[&'l Layer]) -> Vec<&'l [u8]> {
    let mut names = Vec::new();
    for (number, layer) in above.iter().enumerate() {
        let below = above.get(..number).unwrap_or_default();
        let over = above.get(number + 1..).unwrap_or_default();
        for target in visible(paths, below) {
            let links = layer.links.get(target).map(Vec::as_slice);
            names.extend(visible(links.unwrap_or_default(), over));
        }
    }
    names
}
