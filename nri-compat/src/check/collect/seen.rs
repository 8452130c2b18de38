//! What readers saw in one file.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::check::content::File;
use crate::check::evidence::{Reader, Unreadable};
use crate::check::sighting::Sighting;
use crate::report::check::Skipped;

/// Sightings, and readers that could not read.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) sightings: Vec<Sighting>,
    pub(super) skipped: Vec<Skipped>,
}

impl Seen {
    /// Nothing but this.
    pub(super) fn skipped(skipped: Skipped) -> Self {
        Self {
            sightings: Vec::new(),
            skipped: vec![skipped],
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sightings.is_empty() && self.skipped.is_empty()
    }

    /// Takes in the answer of a reader.
    pub(super) fn take(&mut self, file: &File<'_>, answer: Result<Vec<Sighting>, Unreadable>) {
        match answer {
            Ok(sightings) => self.sightings.extend(sightings),
            Err(Unreadable(reason)) => self.skipped.push(Skipped {
                path: file.shown.clone(),
                reason,
            }),
        }
    }

    /// The same, seen under another path.
    pub(super) fn moved(mut self, from: &str, to: &str) -> Self {
        let paths = self.sightings.iter_mut().map(|seen| &mut seen.path);
        let skipped = self.skipped.iter_mut().map(|skipped| &mut skipped.path);
        for path in paths.chain(skipped) {
            let rest = path.strip_prefix(from).unwrap_or_default();
            *path = format!("{to}{rest}");
        }
        self
    }
}

/// A defect in one reader, or in a library under it, must not end the scan of everything else.
pub(super) fn guarded(reader: &dyn Reader, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
    catch_unwind(AssertUnwindSafe(|| reader.read(file))).unwrap_or_else(|_| {
        Err(Unreadable(format!(
            "defect in the reader `{}`: it gave up",
            reader.name()
        )))
    })
}
