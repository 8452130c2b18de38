//! Archives: plain tars of files, and images (docker-save tars, OCI layouts as tars and folders), plain or packed with
//! gzip or zstd.
//!
//! Shown as `files.tar.gz: /bin/plugin`, and for images `image.tar: example.org/plugin:1.0: /usr/bin/plugin`. Of an
//! image counts what a container would see: whiteouts and later layers hide files of earlier ones. A layer is read
//! once, however many images share it. Archives within archives are not opened, which is said.

mod covers;
mod entries;
mod image;
mod kind;
mod layer;
mod limits;
mod manifest;
mod names;
mod pax;
mod spool;
mod store;
mod unpack;
mod window;
mod zstd_window;

use std::path::Path;

use super::scan::Scan;
use crate::check::content::{Content, File};
use crate::check::packing::Packing;
use crate::check::place::Place;
use crate::check::skipped::Unreadable;
use layer::Stop;
use limits::Limits;
use store::{Folder, Packed};

pub(super) use kind::of as kind;
pub(super) use unpack::WINDOW_LOG;

/// Looks into an archive, which is packed in this way.
pub(super) fn read(scan: &Scan<'_>, file: &File<'_>, packing: Packing) {
    let done = match packing {
        Packing::Not => tar(scan, file.content, &file.place),
        _ => packed(scan, file, packing),
    };
    if let Err(reason) = done {
        scan.skip(file.place.clone(), reason);
    }
}

/// Looks into a folder that is an OCI layout.
pub(super) fn read_layout(scan: &Scan<'_>, folder: &Path, shown: &Path) {
    let place = Place::of(shown);
    if let Err(why) = image::read(scan, &Folder::new(folder), &place) {
        scan.skip(place, why);
    }
}

/// An archive that can be read at any place: its headers tell whether it is an image.
fn tar(scan: &Scan<'_>, content: &dyn Content, place: &Place) -> Result<(), Unreadable> {
    let store = Packed::index(content);
    if store.is_image() {
        if let Some(reason) = &store.broken {
            scan.skip(place.clone(), reason.clone());
        }
        return image::read(scan, &store, place);
    }
    let limits = Limits::of(content.len());
    let layer = layer::read(scan, content, Packing::Not, &limits, Stop::Never);
    layer.report(scan, place);
    Ok(())
}

/// A packed archive is read through. If it turns out to be an image, it is unpacked to a temporary file: layers are
/// named after they come.
fn packed(scan: &Scan<'_>, file: &File<'_>, packing: Packing) -> Result<(), Unreadable> {
    let limits = Limits::of(file.content.len());
    let layer = layer::read(scan, file.content, packing, &limits, Stop::AtImage);
    if layer.is_image {
        let unpacked = spool::unpacked(scan, file.content, packing)?;
        return tar(scan, &unpacked, &file.place);
    }
    layer.report(scan, &file.place);
    Ok(())
}
