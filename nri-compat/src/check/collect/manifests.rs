//! Kubernetes manifests: their workloads are examined, and the images of those that may be NRI
//! plugins are checked like images by reference.
//!
//! `reading` reads one file: it turns the candidates of each workload into requests for images, and into
//! what is not_a_plugin without them.

mod reading;
mod recognise;

use std::collections::HashMap;

use super::request::ImageRequest;
use super::scan::Scan;
use super::wanted_image::WantedImage;
use crate::place::{Place, WorkloadPlace};
use crate::sighting::Sighting;
use crate::workloads::is_own;
use reading::{evidence, not_a_plugin, unknown};

pub(super) use reading::read;
pub(super) use recognise::recognises;

/// Returns a sighting of a chart that is not rendered.
pub(super) fn chart(place: Place, reason: String) -> Sighting {
    unknown(place, reason)
}

/// Reports images that the user named as unknown without fetching them.
pub(super) fn named_not_fetched(scan: &Scan<'_>, named: &[ImageRequest]) {
    for image in named {
        let reason = format!(
            "the image {} was not fetched, because of --no-pull",
            shown(image)
        );
        scan.store_sighting(unknown(image.place.clone(), reason));
    }
}

/// Reports the images of candidates as unknown without fetching them.
pub(super) fn not_fetched(scan: &Scan<'_>, wanted: &[WantedImage]) {
    for WantedImage {
        request,
        reason: why,
    } in wanted
    {
        let found = if is_own(&request.reference) {
            let detail = format!("not a plugin: the image of nri-compat itself, which {why}");
            not_a_plugin(request.place.clone(), &detail)
        } else {
            let reason = format!("{why}; its image {} was not fetched", shown(request));
            unknown(request.place.clone(), reason)
        };
        scan.store_sighting(found);
    }
}

fn shown(image: &ImageRequest) -> String {
    crate::escape::bytes(image.reference.as_bytes())
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
