//! The findings in an image, under each place that asked for it.

use super::entry::EntryPoint;
use crate::check::collect::archive::{Image, Layers, report_one, shown_path};
use crate::check::collect::file_outcome::FileOutcome;
use crate::check::collect::request::shown;
use crate::check::collect::scan::Scan;
use crate::check::collect::unjudged;
use crate::place::Place;
use crate::skipped::{SkipKind, Unreadable};

/// Returns the name of an image within its place: the platform if there are several, after the
/// reference unless the place is the reference.
pub(super) fn place_of(reference: &str, place: &Place, platform: &str, images: usize) -> Place {
    let reference = shown(reference);
    let is_named = place.file == reference;
    match (is_named, images > 1 && !platform.is_empty()) {
        (true, true) => place.in_image(platform),
        (true, false) => place.clone(),
        (false, true) => place.in_image(&format!("{reference} ({platform})")),
        (false, false) => place.in_image(&reference),
    }
}

/// Reports an image whose layers were read, also if it has no trace of NRI and no part that could not be
/// read.
pub(super) fn image(scan: &Scan<'_>, image: &Image, layers: &Layers<'_>, place: &Place) {
    scan.count(FileOutcome::Archive);
    match report_one(image, layers, place) {
        Ok(0) if scan.skipped_within(place).1 == 0 => unjudged::without_plugin(scan, place),
        Ok(_) => {}
        Err(why) => scan.skip(place.clone(), why),
    }
    unjudged::image(scan, place);
}

/// Reports the entry point of an image whose other files were not read.
pub(super) fn entry_point(scan: &Scan<'_>, entry: &EntryPoint, place: &Place) {
    scan.count(FileOutcome::Archive);
    scan.store(entry.found.clone().moved(place, &shown_path(&entry.path)));
    let reason = "only the entry point was read, as --quick demands";
    scan.skip(place.clone(), Unreadable::new(SkipKind::Limit, reason));
}
