//! Reads one manifest.

use super::super::demand::Demand;
use super::super::file_outcome::FileOutcome;
use super::super::scan::Scan;
use super::judged::{Judged, ManifestFile, unknown};
use super::recognise;
use crate::check::content::File;
use crate::check::evidence::Unreadable;
use crate::skipped::SkipKind;
use crate::workloads::manifest::{self, Item};

/// The content of one manifest.
struct Reading<'r, 's> {
    scan: &'r Scan<'s>,
    judged: Judged,
}

/// Reads a manifest, stores what it finds, and requests the images of the candidates. Returns `None`
/// if it has no Kubernetes object and the user did not name it.
pub(in crate::check::collect) fn read(
    scan: &Scan<'_>,
    file: &File<'_>,
    demand: Demand,
) -> Option<FileOutcome> {
    let bytes = match whole(file) {
        Ok(bytes) => bytes,
        Err(why) => return Some(too_large(scan, file, demand, why)),
    };
    let text = manifest::decode(&bytes);
    if demand != Demand::Named && !recognise::has_object(text.as_bytes()) {
        return None;
    }
    let mut reading = Reading {
        scan,
        judged: Judged::new(ManifestFile {
            place: file.place.clone(),
            demand,
            mentions_nri: recognise::mentions(text.as_bytes(), b"nri"),
            objects: 0,
            workloads: 0,
            is_reported: false,
        }),
    };
    manifest::read(&text, &mut |item| reading.item(item));
    reading.finish()
}

fn too_large(scan: &Scan<'_>, file: &File<'_>, demand: Demand, why: Unreadable) -> FileOutcome {
    if demand == Demand::Named {
        scan.store_sighting(unknown(file.place.clone(), why.reason));
        return FileOutcome::Evidence;
    }
    scan.skip(file.place.clone(), why);
    FileOutcome::Unreadable
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
        let file = &mut self.judged.file;
        match item {
            Item::Foreign => {}
            Item::Object => file.objects += 1,
            Item::Mention { line, reason } => self.judged.mention(line, reason),
            Item::Workload { document, workload } => {
                file.objects += 1;
                file.workloads += 1;
                self.judged.workload(self.scan, document, &workload);
            }
            Item::Unreadable {
                document,
                line,
                reason,
            } => self.judged.unreadable(document, line, &reason),
        }
    }

    /// Stores the findings, and returns the outcome for the file.
    fn finish(mut self) -> Option<FileOutcome> {
        let file = &self.judged.file;
        self.scan
            .count_workloads(file.workloads, self.judged.candidates);
        self.judged.answer();
        let outcome = match self.judged.outcome() {
            FileOutcome::WithoutNri if self.judged.file.objects == 0 => None,
            outcome => Some(outcome),
        };
        self.scan.store(self.judged.found);
        outcome
    }
}
