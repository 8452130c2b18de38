//! The progress of a run, written by the collector and read by a progress display.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of a run, shared by its threads. They only show progress; reports have separate counts.
#[derive(Debug, Default)]
pub struct Progress {
    files: AtomicU64,
    bytes: AtomicU64,
    expected: AtomicU64,
}

impl Progress {
    /// Counts a file that was opened.
    pub fn file(&self) {
        self.files.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts `bytes` that were read.
    pub fn read(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Adds `bytes` to the expected total, if that is known, as for a log.
    pub fn expect(&self, bytes: u64) {
        self.expected.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns the current counts.
    pub fn now(&self) -> Counts {
        Counts {
            files: self.files.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            expected: self.expected.load(Ordering::Relaxed),
        }
    }
}

/// The counts of [`Progress`] at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of opened files.
    pub files: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Bytes expected in total; 0 if unknown.
    pub expected: u64,
}
