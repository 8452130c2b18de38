//! Limits on the cost of an archive, so that a hostile one ends with a reason instead of filling
//! memory or disk.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::skipped::{SkipKind, Unreadable};

/// The maximum number of entries of one archive, over all its layers. Each takes eight bytes of
/// memory.
const MAX_ENTRIES: u64 = 2_000_000;

/// The number of bytes that any archive may decompress to.
const MIN_UNPACKED_LIMIT: u64 = 1 << 30;

/// The maximum ratio between decompressed and compressed size of larger archives. Gzip reaches up
/// to 1032, layers of real images about 5.
const MAX_RATIO: u64 = 250;

/// The maximum size of an entry that is read, in bytes.
pub(super) const ENTRY: u64 = 4 << 30;

/// The limits of one archive, and how much of them is used.
pub(in crate::check::collect) struct Limits {
    entries: AtomicU64,
    bytes: AtomicU64,
    most_bytes: u64,
}

impl Limits {
    /// Returns the limits of an archive of `size` bytes.
    pub(in crate::check::collect) fn of(size: u64) -> Self {
        Self {
            entries: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            most_bytes: MIN_UNPACKED_LIMIT.max(size.saturating_mul(MAX_RATIO)),
        }
    }

    /// Counts an entry.
    pub(super) fn entry(&self) -> Result<(), Unreadable> {
        if self.entries.fetch_add(1, Ordering::Relaxed) < MAX_ENTRIES {
            return Ok(());
        }
        let reason = format!("more than {MAX_ENTRIES} entries");
        Err(Unreadable::new(SkipKind::Limit, reason))
    }

    /// Counts decompressed bytes.
    pub(super) fn unpacked(&self, bytes: u64) -> Result<(), Unreadable> {
        let before = self.bytes.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) <= self.most_bytes {
            return Ok(());
        }
        let reason = format!(
            "unpacks to more than {} MiB, {MAX_RATIO} times its size",
            self.most_bytes >> 20
        );
        Err(Unreadable::new(SkipKind::Limit, reason))
    }
}
