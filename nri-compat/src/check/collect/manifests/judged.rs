//! The workloads of a manifest that may be plugins, and what is reported about them.

use super::super::demand::Demand;
use super::super::file_outcome::FileOutcome;
use super::super::found::Found;
use super::super::request::ImageRequest;
use super::super::scan::Scan;
use super::super::wanted_image::WantedImage;
use crate::place::{Place, WorkloadPlace};
use crate::sighting::{Evidence, FileKind, Interface, Sighting};
use crate::skipped::{SkipKind, Skipped};
use crate::workloads::{Candidate, Workload, candidates};

/// The name of the reader, in evidence.
const READER: &str = "manifest";

/// The texts that mark a placeholder: those of Helm, of shells and Flux, of kustomize, and of people.
const PLACEHOLDERS: [&str; 4] = ["{{", "${", "$(", "<"];

/// A manifest, and what is known about it so far.
pub(super) struct ManifestFile {
    /// The file.
    pub(super) place: Place,
    /// The reason why it is read.
    pub(super) demand: Demand,
    /// True if the text has the word `nri`, so that documents that cannot be read matter.
    pub(super) mentions_nri: bool,
    /// The number of objects.
    pub(super) objects: u64,
    /// The number of objects with pods.
    pub(super) workloads: u64,
    /// True if something about it is reported.
    pub(super) is_reported: bool,
}

/// The findings in one manifest.
pub(super) struct Judged {
    /// The manifest.
    pub(super) file: ManifestFile,
    /// The findings.
    pub(super) found: Found,
    /// The number of workloads that may be plugins.
    pub(super) candidates: u64,
}

impl Judged {
    pub(super) fn new(file: ManifestFile) -> Self {
        Self {
            file,
            found: Found::default(),
            candidates: 0,
        }
    }

    /// Requests the images of the candidates of a workload, and reports what is known without them.
    pub(super) fn workload(&mut self, scan: &Scan<'_>, document: u32, workload: &Workload) {
        let candidates = candidates(workload);
        self.candidates += u64::from(!candidates.is_empty());
        self.file.is_reported |= !candidates.is_empty();
        for candidate in &candidates {
            for (line, image) in images(candidate) {
                let place = place(&self.file, document, workload, candidate, line);
                self.image(scan, place, image, candidate.reason());
            }
        }
        let place = self.file.place.in_workload(WorkloadPlace {
            document: Some(document),
            ..head(workload)
        });
        if let Some(reason) = placeholder_path(workload) {
            self.report(place, reason);
        }
    }

    /// Reports a statement about NRI outside of a pod.
    pub(super) fn mention(&mut self, line: u32, reason: String) {
        self.add(unknown(self.file.place.at_line(line), reason));
    }

    fn image(&mut self, scan: &Scan<'_>, place: Place, image: Result<String, String>, why: String) {
        match image {
            Ok(reference) => scan.want_image(WantedImage {
                request: ImageRequest { reference, place },
                reason: why,
            }),
            Err(reason) => self.add(unknown(place, format!("{why}; {reason}"))),
        }
    }

    /// Reports a document that cannot be read: always if the user named the file, and in folders,
    /// where charts are full of templates, if the file has to do with NRI.
    pub(super) fn unreadable(&mut self, document: u32, line: u32, reason: &str) {
        let place = self.file.place.at_line(line);
        self.report(place, format!("document {document}: {reason}"));
    }

    fn report(&mut self, place: Place, reason: String) {
        if self.file.demand == Demand::Named {
            self.add(unknown(place, reason));
        } else if self.file.mentions_nri {
            self.file.is_reported = true;
            let skipped = Skipped::new(place, SkipKind::Broken, reason);
            self.found.skipped.push(skipped);
        }
    }

    fn add(&mut self, sighting: Sighting) {
        self.file.is_reported = true;
        self.found.sightings.push(sighting);
    }

    /// Adds the answer that the user expects if nothing was found in a file that they named.
    pub(super) fn answer(&mut self) {
        if !self.file.is_reported && self.file.demand == Demand::Named {
            self.add(self.without_candidates());
        }
    }

    /// Returns the outcome for the file.
    pub(super) fn outcome(&self) -> FileOutcome {
        match self.found.outcome() {
            FileOutcome::WithoutNri if self.candidates > 0 => FileOutcome::Evidence,
            outcome => outcome,
        }
    }

    fn without_candidates(&self) -> Sighting {
        if self.file.objects == 0 {
            let reason = "no Kubernetes object in it";
            return unknown(self.file.place.clone(), reason.to_owned());
        }
        let detail = match self.file.workloads {
            0 => "a manifest without workloads".to_owned(),
            1 => "a manifest whose workload has nothing to do with NRI".to_owned(),
            count => format!("a manifest of {count} workloads, none of them related to NRI"),
        };
        known(self.file.place.clone(), &detail)
    }
}

/// Returns the images of a candidate with their lines: that of the container and those that it mounts,
/// each as a reference, or as the reason why there is none.
fn images(candidate: &Candidate<'_>) -> Vec<(u32, Result<String, String>)> {
    let container = candidate.container;
    let mounted = candidate.image_volumes.iter();
    let mounted = mounted.map(|image| (image.line, reference(&image.reference)));
    let missing = || Err("it has no image: check the complete manifest".to_owned());
    let own = container.image.as_deref().map_or_else(missing, reference);
    [(container.line, own)].into_iter().chain(mounted).collect()
}

/// Returns an image reference, or why it is none.
fn reference(image: &str) -> Result<String, String> {
    if is_placeholder(image) || image.contains(char::is_whitespace) {
        let image = crate::escape::bytes(image.as_bytes());
        return Err(format!(
            "its image `{image}` is a placeholder: render the manifest first"
        ));
    }
    Ok(image.to_owned())
}

/// Returns the reason why a path on the host is not known, if one is a placeholder.
fn placeholder_path(workload: &Workload) -> Option<String> {
    let volumes = workload.templates.iter().flat_map(|pod| &pod.volumes);
    let mut paths = volumes.filter_map(|volume| volume.host_path.as_ref());
    let path = paths.find(|path| !path.starts_with('/') && is_placeholder(path))?;
    let path = crate::escape::bytes(path.as_bytes());
    Some(format!(
        "the path `{path}` of a volume is a placeholder: render the manifest first"
    ))
}

/// Returns true if a text is a placeholder that is replaced before the manifest is used.
fn is_placeholder(text: &str) -> bool {
    PLACEHOLDERS.iter().any(|mark| text.contains(mark))
}

/// Returns the place of the container of a candidate.
fn place(
    file: &ManifestFile,
    document: u32,
    workload: &Workload,
    candidate: &Candidate<'_>,
    line: u32,
) -> Place {
    file.place.in_workload(WorkloadPlace {
        document: Some(document),
        line: Some(line),
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

/// Returns a sighting of something that is known not to be a plugin.
pub(super) fn known(place: Place, detail: &str) -> Sighting {
    Sighting {
        place,
        kind: FileKind::Manifest,
        evidence: vec![evidence(detail)],
        ..Sighting::default()
    }
}

/// Returns a sighting of a container or document that cannot be judged.
pub(super) fn unknown(place: Place, reason: String) -> Sighting {
    Sighting {
        place,
        kind: FileKind::Manifest,
        evidence: vec![evidence(&reason)],
        interface: Interface::unknown(reason),
        ..Sighting::default()
    }
}

pub(super) fn evidence(detail: &str) -> Evidence {
    Evidence {
        reader: READER,
        detail: detail.to_owned(),
    }
}
