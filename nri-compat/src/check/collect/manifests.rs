//! Kubernetes manifests: their workloads are examined, and the images of those that may be NRI
//! plugins are checked like images by reference.

mod recognise;

use std::collections::HashMap;

use super::file_outcome::FileOutcome;
use super::found::Found;
use super::images::ImageRequest;
use super::scan::Scan;
use super::unjudged::Demand;
use super::wanted_image::WantedImage;
use crate::check::content::File;
use crate::check::evidence::Unreadable;
use crate::place::{Place, WorkloadPlace};
use crate::sighting::{Evidence, FileKind, Interface, Sighting};
use crate::skipped::{SkipKind, Skipped};
use crate::workloads::manifest::{self, Item};
use crate::workloads::{Candidate, Workload, candidates, unmounted};

pub(super) use recognise::recognises;

/// The name of the reader, in evidence.
const READER: &str = "manifest";

/// The texts that mark a placeholder: those of Helm, of shells and Flux, of kustomize, and of people.
const PLACEHOLDERS: [&str; 4] = ["{{", "${", "$(", "<"];

/// The findings in one manifest.
struct Reading<'r, 's> {
    scan: &'r Scan<'s>,
    file: &'r File<'r>,
    demand: Demand,
    /// True if the text has the word `nri`, so that documents that cannot be read matter.
    mentions_nri: bool,
    found: Found,
    objects: u64,
    workloads: u64,
    candidates: u64,
}

/// Reads a manifest, stores what it finds, and requests the images of the candidates. Returns `None`
/// if it has no Kubernetes object and the user did not name it.
pub(super) fn read(scan: &Scan<'_>, file: &File<'_>, demand: Demand) -> Option<FileOutcome> {
    let bytes = match whole(file) {
        Ok(bytes) => bytes,
        Err(why) => return Some(too_large(scan, file, demand, why)),
    };
    if demand != Demand::Named && !recognise::mentions(&bytes, recognise::API_VERSION) {
        return None;
    }
    let text = manifest::decode(&bytes);
    let mut reading = Reading {
        scan,
        file,
        demand,
        mentions_nri: recognise::mentions(text.as_bytes(), b"nri"),
        found: Found::default(),
        objects: 0,
        workloads: 0,
        candidates: 0,
    };
    manifest::read(&text, &mut |item| reading.item(item));
    scan.count_workloads(reading.workloads, reading.candidates);
    let outcome = reading.outcome();
    scan.store(reading.found);
    outcome
}

fn too_large(scan: &Scan<'_>, file: &File<'_>, demand: Demand, why: Unreadable) -> FileOutcome {
    if demand == Demand::Named {
        scan.store_sighting(unknown(file.place.clone(), why.reason));
        return FileOutcome::Evidence;
    }
    scan.skip(file.place.clone(), why);
    FileOutcome::Unreadable
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

fn whole(file: &File<'_>) -> Result<Vec<u8>, Unreadable> {
    let len = file.content.len();
    if len > manifest::MAX_BYTES {
        let reason = format!(
            "a manifest larger than {} MiB: split it",
            manifest::MAX_BYTES >> 20
        );
        return Err(Unreadable::new(SkipKind::TooLarge, reason));
    }
    let mut bytes = vec![0; usize::try_from(len).unwrap_or_default()];
    let read = file
        .content
        .read_at(0, &mut bytes)
        .map_err(|error| Unreadable::from(&error))?;
    bytes.truncate(read);
    Ok(bytes)
}

impl Reading<'_, '_> {
    fn item(&mut self, item: Item) {
        match item {
            Item::Object => self.objects += 1,
            Item::Foreign => {}
            Item::Workload { document, workload } => {
                self.objects += 1;
                self.workloads += 1;
                self.workload(document, &workload);
            }
            Item::Unreadable {
                document,
                line,
                reason,
            } => self.unreadable(document, line, reason),
        }
    }

    fn workload(&mut self, document: u32, workload: &Workload) {
        let candidates = candidates(workload);
        self.candidates += u64::from(!candidates.is_empty());
        for candidate in &candidates {
            let place = place(self.file, document, workload, candidate);
            match reference(candidate) {
                Ok(reference) => self.scan.want_image(WantedImage {
                    request: ImageRequest { reference, place },
                    reason: candidate.reason(),
                }),
                Err(reason) => {
                    let reason = format!("{}; {reason}", candidate.reason());
                    self.found.sightings.push(unknown(place, reason));
                }
            }
        }
        let place = self.file.place.in_workload(WorkloadPlace {
            document: Some(document),
            ..head(workload)
        });
        if let Some(reason) = placeholder_path(workload) {
            self.report(place.clone(), reason);
        }
        for volume in unmounted(workload) {
            self.found.sightings.push(Sighting {
                place: place.clone(),
                kind: FileKind::Manifest,
                evidence: vec![evidence(&volume.to_string())],
                ..Sighting::default()
            });
        }
    }

    /// Reports a document that cannot be read: always if the user named the file, and in folders,
    /// where charts are full of templates, if the file has to do with NRI.
    fn unreadable(&mut self, document: u32, line: u32, reason: String) {
        let place = self.file.place.at_line(line);
        self.report(place, format!("document {document}: {reason}"));
    }

    fn report(&mut self, place: Place, reason: String) {
        if self.demand == Demand::Named {
            self.found.sightings.push(unknown(place, reason));
        } else if self.mentions_nri {
            self.found
                .skipped
                .push(Skipped::new(place, SkipKind::Broken, reason));
        }
    }

    /// Returns the outcome for the file, after adding the answer that the user expects if nothing
    /// was found in a file that they named.
    fn outcome(&mut self) -> Option<FileOutcome> {
        let is_empty = self.found.is_empty() && self.candidates == 0;
        if is_empty && self.demand == Demand::Named {
            let sighting = self.without_candidates();
            self.found.sightings.push(sighting);
        }
        match self.found.outcome() {
            FileOutcome::WithoutNri if self.candidates > 0 => Some(FileOutcome::Evidence),
            FileOutcome::WithoutNri if self.objects == 0 => None,
            outcome => Some(outcome),
        }
    }

    fn without_candidates(&self) -> Sighting {
        if self.objects == 0 {
            let reason = "no Kubernetes object in it";
            return unknown(self.file.place.clone(), reason.to_owned());
        }
        let detail = match self.workloads {
            0 => "a manifest without workloads".to_owned(),
            1 => "a manifest whose workload has nothing to do with NRI".to_owned(),
            count => format!("a manifest of {count} workloads, none of which has to do with NRI"),
        };
        Sighting {
            place: self.file.place.clone(),
            kind: FileKind::Manifest,
            evidence: vec![evidence(&detail)],
            ..Sighting::default()
        }
    }
}

/// Returns the image reference of a candidate, or why there is none.
fn reference(candidate: &Candidate<'_>) -> Result<String, String> {
    let Some(image) = &candidate.container.image else {
        return Err("it has no image: check the complete manifest".to_owned());
    };
    if is_placeholder(image) || image.contains(char::is_whitespace) {
        let image = crate::escape::bytes(image.as_bytes());
        return Err(format!(
            "its image `{image}` is a placeholder: render the manifest first"
        ));
    }
    Ok(image.clone())
}

/// Returns the reason why a path on the host is not known, if one is a placeholder.
fn placeholder_path(workload: &Workload) -> Option<String> {
    let volumes = workload.templates.iter().flat_map(|pod| &pod.volumes);
    let mut paths = volumes.filter_map(|volume| volume.host_path.as_ref());
    let path = paths.find(|path| !path.path.starts_with('/') && is_placeholder(&path.path))?;
    let path = crate::escape::bytes(path.path.as_bytes());
    Some(format!(
        "the path `{path}` of a volume is a placeholder: render the manifest first"
    ))
}

/// Reports whether a text is to be replaced before the manifest is used.
fn is_placeholder(text: &str) -> bool {
    PLACEHOLDERS.iter().any(|mark| text.contains(mark))
}

/// Returns the place of the container of a candidate.
fn place(file: &File<'_>, document: u32, workload: &Workload, candidate: &Candidate<'_>) -> Place {
    file.place.in_workload(WorkloadPlace {
        document: Some(document),
        line: candidate.container.line,
        container: candidate.container.name.clone(),
        ..head(workload)
    })
}

fn head(workload: &Workload) -> WorkloadPlace {
    WorkloadPlace {
        kind: workload.kind.clone(),
        namespace: workload.namespace.clone(),
        name: workload.name.clone(),
        ..WorkloadPlace::default()
    }
}

/// Returns a sighting of a container or document that cannot be judged.
pub(super) fn unknown(place: Place, reason: String) -> Sighting {
    Sighting {
        place,
        kind: FileKind::Manifest,
        evidence: vec![evidence(&reason)],
        interface: Interface::Unknown(reason),
        ..Sighting::default()
    }
}

fn evidence(detail: &str) -> Evidence {
    Evidence {
        reader: READER,
        detail: detail.to_owned(),
    }
}
