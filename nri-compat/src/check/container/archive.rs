//! Archives: plain tar files, and images (docker-save tars, and OCI layouts as tars or folders),
//! plain or compressed with gzip, zstd, xz or bzip2.
//!
//! Files are shown as `files.tar.gz: /bin/plugin`, and in images as `image.tar:
//! example.org/plugin:1.0: /usr/bin/plugin`. Only those files of an image count that a container
//! would see: whiteouts and later layers hide files of earlier ones. A layer is read once, however
//! many images share it. Archives within archives are not opened, but reported.

mod entries;
pub(in crate::check) mod image;
mod layer;
pub(in crate::check) mod manifest;
pub(in crate::check) mod names;
mod store;
mod tree;

use std::path::Path;

use crate::check::content::compressed;
use crate::check::content::{Content, File};
use crate::check::observations::Observations;
use crate::check::scan::Scan;
use crate::place::Place;
use crate::skipped::Unreadable;
use crate::unpack::Packing;
use layer::{Kind, Layer, LayerReading, Memory};
use names::shown_path;
use store::{LayoutFolder, Packed};
use tree::Tree;

/// Checks an archive with this compression.
pub(in crate::check) fn read(scan: &Scan<'_>, file: &File<'_>, packing: Packing) {
    let done = if packing == Packing::Not {
        image_or_files(scan, file.content, &file.place)
    } else {
        packed(scan, file, packing)
    };
    if let Err(why) = done {
        scan.skip(file.place.clone(), why);
    }
}

/// Checks a folder that is an OCI layout.
pub(in crate::check) fn read_layout(scan: &Scan<'_>, folder: &Path, place: &Place) {
    if let Err(why) = image::read(scan, &LayoutFolder(folder.to_owned()), place) {
        scan.skip(place.clone(), why);
    }
}

/// Checks an archive that can be read at any offset: its headers show whether it is an image.
fn image_or_files(scan: &Scan<'_>, content: &dyn Content, place: &Place) -> Result<(), Unreadable> {
    let store = Packed::index(content);
    if !manifest::is_image(&store) {
        drop(store);
        report(scan, files(scan, content, Packing::Not, Kind::Plain), place);
        return Ok(());
    }
    if let Some(why) = &store.broken {
        scan.skip(place.clone(), why.clone());
    }
    let images = image::read(scan, &store, place)?;
    store.others(&images).map_or(Ok(()), Err)
}

/// Reads a compressed archive sequentially. If it turns out to be an image, it is decompressed to a
/// temporary file, because layers may precede the manifest that names them.
fn packed(scan: &Scan<'_>, file: &File<'_>, packing: Packing) -> Result<(), Unreadable> {
    let layer = files(scan, file.content, packing, Kind::MaybeImage);
    if layer.is_image {
        let unpacked = compressed::to_disk(file.content, packing)?;
        return image_or_files(scan, &unpacked, &file.place);
    }
    report(scan, layer, &file.place);
    Ok(())
}

/// Reads the files of an archive, which is a single layer.
fn files(scan: &Scan<'_>, content: &dyn Content, packing: Packing, kind: Kind) -> Layer {
    Layer::read(LayerReading { scan, content, packing, memory: &Memory::new(1), kind })
}

/// Reports the files of an archive.
fn report(scan: &Scan<'_>, mut layer: Layer, archive: &Place) {
    if let Some(why) = layer.failed.take() {
        scan.skip(archive.clone(), why);
    }
    for (folder, chart) in std::mem::take(&mut layer.charts) {
        let path = shown_path(Path::new(&folder));
        scan.store(Observations::sighting(chart).moved(archive, &path));
    }
    let findings = Tree::new(&[&layer]).findings(archive);
    findings.into_iter().for_each(|observed| scan.store(observed));
}
