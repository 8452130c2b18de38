//! Kubernetes manifests: their workloads are examined, and the images of those that may be NRI
//! plugins are checked like images by reference.

mod recognise;

use crate::check::content::File;
use crate::check::evidence::text;
use crate::check::observations::{Demand, FileOutcome, Observations};
use crate::check::request::{ImageRequest, WantedImage, shown};
use crate::check::scan::Scan;
use crate::check::settings::DetachedConfiguration;
use crate::place::{Place, WorkloadPlace};
use crate::sighting::{Evidence, FileKind, Interface, Sighting};
use crate::skipped::{SkipKind, Skipped};
use crate::unknown::{UnknownImage, UnknownManifest};
use crate::workloads::manifest::{self, Item};
use crate::workloads::{Container, EmbeddedText, Workload, is_own};

pub(in crate::check) use recognise::recognises;

/// The name of the reader, in evidence.
const READER: &str = "manifest";

/// The texts that mark a placeholder: those of Helm, of shells and Flux, of kustomize, and of
/// people.
const PLACEHOLDERS: [&str; 4] = ["{{", "${", "$(", "<"];

/// How deep documents may be in texts of other documents.
const MAX_DEPTH: usize = 2;

/// A manifest that is being read, and its findings so far.
struct ManifestReading<'r, 's> {
    scan: &'r Scan<'s>,
    place: Place,
    demand: Demand,
    /// True if the text has the word `nri`, so that documents that cannot be read matter.
    mentions_nri: bool,
    /// The number of objects.
    objects: u64,
    /// The number of objects with pods.
    workloads: u64,
    /// The number of workloads that may be plugins.
    candidates: u64,
    /// The number of configurations of runtimes.
    configurations: u64,
    observed: Observations,
}

/// Reads a manifest, stores what it finds, and requests the images of the candidates. Returns
/// `None` if it has no Kubernetes object and the user did not name it.
pub(in crate::check) fn read(
    scan: &Scan<'_>,
    file: &File<'_>,
    demand: Demand,
) -> Option<FileOutcome> {
    let bytes = match text::bytes(file.content, manifest::MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(why) if demand == Demand::Named => {
            scan.store_sighting(unknown(file.place.clone(), UnknownManifest::Unread(why.reason)));
            return Some(FileOutcome::Evidence);
        }
        Err(why) => {
            scan.skip(file.place.clone(), why);
            return Some(FileOutcome::Unreadable);
        }
    };
    let text = manifest::decode(&bytes);
    if demand != Demand::Named && !recognise::has_object(text.as_bytes()) {
        return None;
    }
    let mut reading = ManifestReading {
        scan,
        place: file.place.clone(),
        demand,
        mentions_nri: recognise::mentions(text.as_bytes(), b"nri"),
        objects: 0,
        workloads: 0,
        candidates: 0,
        configurations: 0,
        observed: Observations::default(),
    };
    for item in manifest::read(&text) {
        reading.item(item);
    }
    reading.finish()
}

impl ManifestReading<'_, '_> {
    fn item(&mut self, item: Item) {
        match item {
            Item::Object => self.objects += 1,
            Item::Mention(mention) => self.observed.sightings.push(Sighting {
                name: mention.kind.plugin().map(str::to_owned),
                ..unknown(self.place.at_line(mention.line), UnknownManifest::Mention(mention.kind))
            }),
            Item::Workload(workload) => self.workload(&workload),
            Item::Embedded(embedded) => self.embedded(&embedded, 0),
            Item::Unreadable(error) => self.problem(
                self.place.at_line(error.line),
                UnknownManifest::DocumentUnread(error.document, error.reason),
            ),
        }
    }

    /// Keeps a text that is the configuration of a runtime, or those in a text that is a document
    /// itself, such as user data.
    fn embedded(&mut self, embedded: &EmbeddedText, depth: usize) {
        let EmbeddedText { line, text } = embedded;
        if let Some(read) = DetachedConfiguration::in_document(&self.place.at_line(*line), text) {
            self.configurations += 1;
            return self.scan.gathered().configurations.push(read);
        }
        let is_deeper = depth < MAX_DEPTH;
        for item in is_deeper.then(|| manifest::read(text)).into_iter().flatten() {
            if let Item::Embedded(inner) = item {
                self.embedded(&EmbeddedText { line: *line, ..inner }, depth + 1);
            }
        }
    }

    /// Requests the images of the candidates of a workload, and reports what needs no image.
    fn workload(&mut self, workload: &Workload) {
        self.objects += 1;
        self.workloads += 1;
        self.candidates += u64::from(workload.candidates().next().is_some());
        for candidate in workload.candidates() {
            self.candidate(candidate, workload);
        }
        if let Some(path) = placeholder_path(workload) {
            let why = UnknownManifest::PlaceholderPath(path);
            self.problem(self.place.in_workload(workload.place.clone()), why);
        }
    }

    /// Requests the image of a candidate, or reports why that cannot be done.
    fn candidate(&mut self, candidate: &Container, workload: &Workload) {
        let place = self.place.in_workload(WorkloadPlace {
            line: Some(candidate.line),
            container: candidate.name.clone(),
            ..workload.place.clone()
        });
        let reason = candidate.reason();
        if candidate.mounts_images {
            self.container(place.clone(), &reason, UnknownImage::Mounted);
        }
        match reference(candidate.image.as_deref()) {
            Ok(reference) => {
                let request = ImageRequest {
                    relayed: candidate.relayed.clone(),
                    evidence: vec![Evidence::new(READER, &*reason)],
                    ..ImageRequest::at(reference, place)
                };
                self.scan.gathered().wanted_images.push(WantedImage { request, reason });
            }
            Err(why) => self.container(place, &reason, why),
        }
    }

    /// Reports something that cannot be read: always if the user named the file, and in folders,
    /// where charts are full of templates, if the file has to do with NRI.
    fn problem(&mut self, place: Place, why: UnknownManifest) {
        if self.demand == Demand::Named {
            self.observed.sightings.push(unknown(place, why));
        } else if self.mentions_nri {
            let skipped = Skipped::new(place, SkipKind::Broken, why.to_string());
            self.observed.skipped.push(skipped);
        }
    }

    /// Reports a container that may be a plugin for this reason, and whose program is not known.
    fn container(&mut self, place: Place, reason: &str, why: UnknownImage) {
        let why = UnknownManifest::Container(reason.to_owned(), why);
        self.observed.sightings.push(unknown(place, why));
    }

    /// Stores the findings, and returns the outcome for the file.
    fn finish(mut self) -> Option<FileOutcome> {
        let is_silent = self.candidates == 0 && self.observed.is_empty();
        if is_silent && self.demand == Demand::Named {
            let answer = self.without_candidates();
            self.observed.sightings.push(answer);
        }
        let outcome = match self.observed.outcome() {
            FileOutcome::WithoutNri if self.candidates + self.configurations > 0 => {
                Some(FileOutcome::Evidence)
            }
            FileOutcome::WithoutNri if self.objects == 0 => None,
            outcome => Some(outcome),
        };
        self.scan.count_workloads(self.workloads, self.candidates);
        self.scan.store(self.observed);
        outcome
    }

    /// Returns the answer that the user expects if nothing was found in a file that they named.
    fn without_candidates(&self) -> Sighting {
        if self.configurations > 0 {
            return not_a_plugin(self.place.clone(), "settings of a runtime for NRI, as a text");
        }
        if self.objects == 0 {
            return unknown(self.place.clone(), UnknownManifest::NoObject);
        }
        let detail = match self.workloads {
            0 => "a manifest without workloads".to_owned(),
            1 => "a manifest whose workload has nothing to do with NRI".to_owned(),
            count => format!("a manifest of {count} workloads, none of them related to NRI"),
        };
        not_a_plugin(self.place.clone(), &detail)
    }
}

/// Returns an image reference, or why it is none.
fn reference(image: Option<&str>) -> Result<String, UnknownImage> {
    let image = image.ok_or(UnknownImage::Unnamed)?;
    if is_placeholder(image) || image.contains(char::is_whitespace) {
        return Err(UnknownImage::Placeholder(crate::escape::bytes(image.as_bytes())));
    }
    Ok(image.to_owned())
}

/// Returns the first path on the host that is a placeholder, as text.
fn placeholder_path(workload: &Workload) -> Option<String> {
    let path =
        workload.host_paths.iter().find(|path| !path.starts_with('/') && is_placeholder(path))?;
    Some(crate::escape::bytes(path.as_bytes()))
}

/// Returns true if a text is a placeholder that is replaced before the manifest is used.
fn is_placeholder(text: &str) -> bool {
    PLACEHOLDERS.iter().any(|mark| text.contains(mark))
}

/// Returns a sighting of something that is known not to be a plugin.
fn not_a_plugin(place: Place, detail: &str) -> Sighting {
    Sighting {
        place,
        kind: FileKind::Manifest,
        evidence: vec![Evidence::new(READER, detail)],
        ..Sighting::default()
    }
}

/// Returns a sighting of a container or document that cannot be judged.
pub(in crate::check) fn unknown(place: Place, why: UnknownManifest) -> Sighting {
    Sighting {
        place,
        kind: FileKind::Manifest,
        evidence: vec![Evidence::new(READER, why.to_string())],
        interface: Interface::unknown(why),
        ..Sighting::default()
    }
}

/// Reports an image that is not fetched: as unknown, unless it is that of this command. `reason`
/// says why the container of a manifest may be a plugin.
pub(in crate::check) fn not_fetched(scan: &Scan<'_>, image: &ImageRequest, reason: Option<&str>) {
    let name = shown(&image.reference);
    let place = match reason {
        None if image.place.file != name => image.place.in_image(&name),
        Some(_) | None => image.place.clone(),
    };
    let seen = match (is_own(&image.reference), reason) {
        (true, reason) => {
            let reason = reason.map_or("by its name".to_owned(), |why| format!("which {why}"));
            let detail = format!("not a plugin: the image of nri-compat itself, {reason}");
            not_a_plugin(place, &detail)
        }
        (false, Some(why)) => {
            let unfetched = UnknownImage::NotFetched(name);
            unknown(place, UnknownManifest::Container(why.to_owned(), unfetched))
        }
        (false, None) => unknown(place, UnknownManifest::NotPulled(name)),
    };
    scan.store_sighting(match reason {
        Some(_) => seen,
        None => image.explained(seen),
    });
}
