//! The limits of archives, so that a hostile one ends with a reason instead of filling memory.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::skipped::{SkipKind, Unreadable};

/// The maximum number of entries of one archive, over all its layers. Images of whole distributions have
/// 300,000.
const MAX_ENTRIES: u64 = 1_000_000;

/// The maximum size of the names of these entries in bytes.
const MAX_NAMES: u64 = 128 << 20;

/// The maximum number of files with findings in all layers, and in all images; each image counts separately.
const MAX_FINDINGS: u64 = 40_000;

/// What was read of archives, over all their layers.
pub(super) struct Limits {
    archives: u64,
    entries: AtomicU64,
    names: AtomicU64,
    findings: AtomicU64,
}

impl Limits {
    /// Returns the limits of so many archives.
    pub(super) fn new(archives: u64) -> Self {
        Self {
            archives,
            entries: AtomicU64::new(0),
            names: AtomicU64::new(0),
            findings: AtomicU64::new(0),
        }
    }

    /// Counts an entry whose names have this size in bytes.
    pub(super) fn add_entry(&self, names: usize) -> Result<(), Unreadable> {
        self.add(&self.entries, 1, MAX_ENTRIES, "entries")?;
        self.add(&self.names, names, MAX_NAMES, "bytes of names")
    }

    /// Counts files with findings.
    pub(super) fn add_findings(&self, findings: usize) -> Result<(), Unreadable> {
        self.add(
            &self.findings,
            findings,
            MAX_FINDINGS,
            "files with evidence",
        )
    }

    fn add(&self, to: &AtomicU64, number: usize, most: u64, what: &str) -> Result<(), Unreadable> {
        let (number, most) = (number as u64, most * self.archives);
        if to.fetch_add(number, Ordering::Relaxed) + number <= most {
            return Ok(());
        }
        let reason = format!("more than {most} {what}");
        Err(Unreadable::new(SkipKind::Limit, reason))
    }
}
