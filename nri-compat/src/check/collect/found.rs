//! What was found in one file, and what of it could not be read.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::check::content::File;
use crate::check::evidence::{Reader, Unreadable};
use crate::check::place::Place;
use crate::check::sighting::Sighting;
use crate::check::skipped::{SkipKind, Skipped};

/// Sightings of one file, and the readers that could not read it.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) sightings: Vec<Sighting>,
    pub(super) skipped: Vec<Skipped>,
}

impl Found {
    /// Returns nothing but something skipped.
    pub(super) fn skipped(skipped: Skipped) -> Self {
        Self {
            sightings: Vec::new(),
            skipped: vec![skipped],
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sightings.is_empty() && self.skipped.is_empty()
    }

    /// Adds the answer of a reader.
    pub(super) fn add(&mut self, file: &File<'_>, answer: Result<Vec<Sighting>, Unreadable>) {
        match answer {
            Ok(sightings) => self.sightings.extend(sightings),
            Err(why) => self
                .skipped
                .push(Skipped::unreadable(file.place.clone(), why)),
        }
    }

    /// Returns the same, found in the entry of this path of an archive or image. Lines stay.
    pub(super) fn moved(mut self, archive: &Place, path: &str) -> Self {
        let seen = self.sightings.iter_mut().map(|seen| &mut seen.place);
        let skipped = self.skipped.iter_mut().map(|skipped| &mut skipped.place);
        for place in seen.chain(skipped) {
            *place = Place {
                line: place.line,
                ..archive.entry(path)
            };
        }
        self
    }
}

/// Calls a reader. A defect in it, or in a library under it, must not end the scan of everything else.
pub(super) fn guarded(reader: &dyn Reader, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
    catch_unwind(AssertUnwindSafe(|| reader.read(file))).unwrap_or_else(|_| {
        let reason = format!("defect in the reader `{}`: it panicked", reader.name());
        Err(Unreadable::new(SkipKind::Defect, reason))
    })
}
