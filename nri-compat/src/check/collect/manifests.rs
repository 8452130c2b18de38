//! Kubernetes manifests: their workloads are examined, and the images of those that may be NRI
//! plugins are checked like images by reference.
//!
//! `reading` reads one file: it turns the candidates of each workload into requests for images, and into
//! what is not_a_plugin without them.

mod reading;
mod recognise;

use std::collections::HashMap;

use super::request::{ImageRequest, WantedImage, shown};
use super::scan::Scan;
use crate::place::{Place, WorkloadPlace};
use crate::sighting::Sighting;
use crate::workloads::is_own;
use reading::{evidence, not_a_plugin};

pub(super) use reading::{read, unknown};
pub(super) use recognise::recognises;

/// Reports an image that is not fetched: as unknown, unless it is that of this command. `reason` says
/// why the container of a manifest may be a plugin.
pub(super) fn not_fetched(scan: &Scan<'_>, image: &ImageRequest, reason: Option<&str>) {
    let name = shown(&image.reference);
    let place = match reason {
        None if image.place.file != name => image.place.in_image(&name),
        Some(_) | None => image.place.clone(),
    };
    scan.store_sighting(match (is_own(&image.reference), reason) {
        (true, reason) => {
            let reason = reason.map_or("by its name".to_owned(), |why| format!("which {why}"));
            let detail = format!("not a plugin: the image of nri-compat itself, {reason}");
            not_a_plugin(place, &detail)
        }
        (false, Some(why)) => unknown(place, format!("{why}; its image {name} was not fetched")),
        (false, None) => {
            let reason = format!("the image {name} was not fetched, because of --no-pull");
            unknown(place, reason)
        }
    });
}

/// Adds to the findings in the images of candidates why their containers may be plugins.
pub(super) fn explain(sightings: &mut [Sighting], wanted: &[WantedImage]) {
    type Key<'p> = (&'p str, Option<&'p WorkloadPlace>);
    fn key(place: &Place) -> Key<'_> {
        (&place.file, place.workload.as_deref())
    }
    let reasons: HashMap<Key<'_>, &str> = wanted
        .iter()
        .map(|image| (key(&image.request.place), image.reason.as_str()))
        .collect();
    for sighting in sightings.iter_mut() {
        if let Some(reason) = reasons.get(&key(&sighting.place)) {
            sighting.evidence.push(evidence(reason));
        }
    }
}
