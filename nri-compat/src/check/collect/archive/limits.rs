//! The limit on the entries of an archive, so that a hostile one ends with a reason instead of filling
//! memory.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::skipped::{SkipKind, Unreadable};

/// The maximum number of entries of one archive, over all its layers. Each takes eight bytes of
/// memory.
const MAX_ENTRIES: u64 = 2_000_000;

/// The number of entries of one archive, over all its layers.
#[derive(Default)]
pub(in crate::check::collect) struct EntryCount(AtomicU64);

impl EntryCount {
    /// Counts an entry.
    pub(super) fn add(&self) -> Result<(), Unreadable> {
        if self.0.fetch_add(1, Ordering::Relaxed) < MAX_ENTRIES {
            return Ok(());
        }
        let reason = format!("more than {MAX_ENTRIES} entries");
        Err(Unreadable::new(SkipKind::Limit, reason))
    }
}
