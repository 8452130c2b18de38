//! Kubernetes manifests: their workloads are examined, and the images of those that may be NRI
//! plugins are checked like images by reference.
//!
//! `reading` reads one file. A workload whose volumes are claims waits until all files are read,
//! because another file may declare the persistent volume. `judged` turns the candidates of a workload
//! into requests for images, and into what is known without them.

mod judged;
mod reading;
mod recognise;

use std::collections::HashMap;

use super::demand::Demand;
use super::file_outcome::FileOutcome;
use super::request::ImageRequest;
use super::scan::Scan;
use super::waiting::WaitingFile;
use super::wanted_image::WantedImage;
use crate::place::{Place, WorkloadPlace};
use crate::sighting::Sighting;
use crate::workloads::is_own;
use judged::{Judged, evidence, known, unknown};

pub(super) use reading::read;
pub(super) use recognise::recognises;

/// Judges the workloads that waited for the persistent volumes of other files.
pub(super) fn finish(scan: &Scan<'_>) {
    let waiting = scan.take_waiting();
    for WaitingFile { file, workloads } in waiting.files {
        let is_new = !file.is_reported && file.demand != Demand::Named;
        let mut judged = Judged::new(file);
        for (document, mut workload) in workloads {
            waiting.storage.bind(&mut workload);
            judged.workload(scan, document, &workload);
        }
        judged.answer();
        if is_new && judged.file.is_reported {
            scan.recount(FileOutcome::WithoutNri, FileOutcome::Evidence);
        }
        scan.count_workloads(0, judged.candidates);
        scan.store(judged.found);
    }
}

/// Reports images as unknown without fetching them: those that the user named, and those of
/// candidates.
pub(super) fn not_fetched(scan: &Scan<'_>, named: &[ImageRequest], wanted: &[WantedImage]) {
    let reason = |image: &ImageRequest| {
        let name = crate::escape::bytes(image.reference.as_bytes());
        format!("image {name} was not fetched, because of --no-pull")
    };
    for image in named {
        let reason = format!("the {}", reason(image));
        scan.store_sighting(unknown(image.place.clone(), reason));
    }
    for WantedImage {
        request,
        reason: why,
    } in wanted
    {
        if is_own(&request.reference) {
            let detail = format!("not a plugin: the image of nri-compat itself, which {why}");
            scan.store_sighting(known(request.place.clone(), &detail));
            continue;
        }
        let reason = format!("{why}; its {}", reason(request));
        scan.store_sighting(unknown(request.place.clone(), reason));
    }
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
