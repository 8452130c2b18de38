//! The limit on the entries of an archive, so that a hostile one ends with a reason instead of filling
//! memory.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::skipped::{SkipKind, Unreadable};

/// The maximum number of entries of one archive, over all its layers. Images of whole distributions have
/// 300,000.
const MAX_ENTRIES: u64 = 1_000_000;

/// The maximum size of the names of these entries in bytes.
const MAX_NAMES: u64 = 128 << 20;

/// The number of entries of one archive, over all its layers.
#[derive(Default)]
pub(in crate::check::collect) struct EntryCount {
    entries: AtomicU64,
    names: AtomicU64,
}

impl EntryCount {
    /// Counts an entry whose names have this size in bytes.
    pub(super) fn add(&self, names: usize) -> Result<(), Unreadable> {
        let limit = |reason| Err(Unreadable::new(SkipKind::Limit, reason));
        if self.entries.fetch_add(1, Ordering::Relaxed) >= MAX_ENTRIES {
            return limit(format!("more than {MAX_ENTRIES} entries"));
        }
        if self.names.fetch_add(names as u64, Ordering::Relaxed) >= MAX_NAMES {
            return limit(format!("names of more than {} MiB", MAX_NAMES >> 20));
        }
        Ok(())
    }
}
