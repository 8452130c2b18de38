//! Archives: plain tar files, and images (docker-save tars, and OCI layouts as tars or folders),
//! plain or compressed with gzip, zstd, xz or bzip2.
//!
//! Files are shown as `files.tar.gz: /bin/plugin`, and in images as `image.tar:
//! example.org/plugin:1.0: /usr/bin/plugin`. Only those files of an image count that a container
//! would see: whiteouts and later layers hide files of earlier ones. A layer is read once, however
//! many images share it. Archives within archives are not opened, but reported.

mod blob;
mod entries;
mod image;
mod input;
mod kind;
mod layer;
mod layer_blob;
mod limits;
mod manifest;
mod names;
mod store;
mod stored;
mod tree;
mod window;

use std::path::Path;

#[cfg(feature = "registry")]
pub(super) use blob::Blob as LayerBlob;
#[cfg(feature = "registry")]
pub(super) use image::{Layers, report_one};
#[cfg(feature = "registry")]
pub(super) use limits::EntryCount;
#[cfg(feature = "registry")]
pub(super) use manifest::{Descriptor, Image, Images, Platform, images_of, parse_manifest};
#[cfg(feature = "registry")]
pub(super) use names::clean as clean_path;
#[cfg(feature = "registry")]
pub(super) use store::Store;
pub(super) use stored::shown_path;

use super::compressed;
use super::found::Found;
use super::scan::Scan;
use crate::check::content::{Content, File};
use crate::packing::Packing;
use crate::place::Place;
use crate::skipped::Unreadable;
use crate::unpack;
use layer::{Layer, Reading, Stop};
#[cfg(not(feature = "registry"))]
use limits::EntryCount;
use store::{Folder, Packed};
use tree::Tree;

pub(super) use kind::archive_packing;

/// Checks an archive with this compression.
pub(super) fn read(scan: &Scan<'_>, file: &File<'_>, packing: Packing) {
    let done = if packing == Packing::Not {
        tar(scan, file.content, &file.place)
    } else {
        packed(scan, file, packing)
    };
    if let Err(why) = done {
        scan.skip(file.place.clone(), why);
    }
}

/// Checks a folder that is an OCI layout.
pub(super) fn read_layout(scan: &Scan<'_>, folder: &Path, place: &Place) {
    if let Err(why) = image::read(scan, &Folder::new(folder), place) {
        scan.skip(place.clone(), why);
    }
}

/// Checks an archive that can be read at any offset: its headers show whether it is an image.
fn tar(scan: &Scan<'_>, content: &dyn Content, place: &Place) -> Result<(), Unreadable> {
    let store = Packed::index(content);
    if manifest::is_image(&store) {
        if let Some(why) = &store.broken {
            scan.skip(place.clone(), why.clone());
        }
        return image::read(scan, &store, place);
    }
    let layer = layer::read(
        reading(scan, content, &EntryCount::default()),
        Packing::Not,
        Stop::Never,
    );
    report(scan, layer, place);
    Ok(())
}

/// Reads a compressed archive sequentially. If it turns out to be an image, it is decompressed to a
/// temporary file, because layers may precede the manifest that names them.
fn packed(scan: &Scan<'_>, file: &File<'_>, packing: Packing) -> Result<(), Unreadable> {
    let count = EntryCount::default();
    let layer = layer::read(reading(scan, file.content, &count), packing, Stop::AtImage);
    if layer.is_image {
        let unpacked = compressed::to_disk(file.content, unpack::limit(file.content.len()))?;
        return tar(scan, &unpacked, &file.place);
    }
    report(scan, layer, &file.place);
    Ok(())
}

/// Reports a plain archive, which is a single layer.
fn report(scan: &Scan<'_>, mut layer: Layer, archive: &Place) {
    layer.report_limits(scan, archive);
    let charts = std::mem::take(&mut layer.charts);
    for (folder, chart) in charts {
        scan.store(Found::sighting(chart).moved(archive, &shown_path(folder.as_bytes())));
    }
    let findings = Tree::new(&[&layer]).findings(archive);
    findings.into_iter().for_each(|found| scan.store(found));
}

/// Returns the way in which an archive that is not the layer of an image is read.
fn reading<'r>(
    scan: &'r Scan<'r>,
    content: &'r dyn Content,
    entries: &'r EntryCount,
) -> Reading<'r> {
    Reading {
        scan,
        content,
        entries,
        is_layer: false,
    }
}
