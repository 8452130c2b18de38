//! Archives: plain tar files, and images (docker-save tars, and OCI layouts as tars or folders),
//! plain or compressed with gzip, zstd, xz or bzip2.
//!
//! Files are shown as `files.tar.gz: /bin/plugin`, and in images as `image.tar:
//! example.org/plugin:1.0: /usr/bin/plugin`. Only those files of an image count that a container
//! would see: whiteouts and later layers hide files of earlier ones. A layer is read once, however
//! many images share it. Archives within archives are not opened, but reported.

mod covers;
mod entries;
mod image;
mod kind;
mod layer;
mod limits;
mod links;
mod manifest;
mod names;
mod overlay;
mod pax;
mod sparse;
mod spool;
mod store;
mod stored;
#[cfg(feature = "registry")]
mod stream;
mod unpack;
mod window;
mod zstd_frames;

use std::path::Path;

#[cfg(feature = "registry")]
pub(super) use image::report_overlay;
#[cfg(feature = "registry")]
pub(super) use layer::{Layer, file_at, read_blob};
#[cfg(feature = "registry")]
pub(super) use manifest::{Blob as LayerBlob, Image, Images, images_of, parse_manifest};
#[cfg(feature = "registry")]
pub(super) use names::clean as clean_path;
#[cfg(feature = "registry")]
pub(super) use store::Store;
#[cfg(feature = "registry")]
pub(super) use stored::shown_path;
#[cfg(feature = "registry")]
pub(super) use stream::is_streamable;

use super::scan::Scan;
use crate::check::content::{Content, File};
use crate::packing::Packing;
use crate::place::Place;
use crate::skipped::Unreadable;
pub(super) use layer::Reading;
use layer::Stop;
pub(super) use limits::Limits;
use store::{Folder, Packed};

pub(super) use kind::of as kind;

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
    let limits = Limits::of(content.len());
    let reading = Reading {
        scan,
        content,
        limits: &limits,
        is_layer: false,
    };
    let layer = layer::read(reading, Packing::Not, Stop::Never);
    overlay::report_archive(scan, &layer, place);
    Ok(())
}

/// Reads a compressed archive sequentially. If it turns out to be an image, it is decompressed to a
/// temporary file, because layers may precede the manifest that names them.
fn packed(scan: &Scan<'_>, file: &File<'_>, packing: Packing) -> Result<(), Unreadable> {
    let limits = Limits::of(file.content.len());
    let reading = Reading {
        scan,
        content: file.content,
        limits: &limits,
        is_layer: false,
    };
    let layer = layer::read(reading, packing, Stop::AtImage);
    if layer.is_image {
        let unpacked = spool::unpacked(scan, file.content, packing)?;
        return tar(scan, &unpacked, &file.place);
    }
    overlay::report_archive(scan, &layer, &file.place);
    Ok(())
}
