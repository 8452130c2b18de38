//! How far a run is: counted by those who collect, read by whoever shows it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of a run, shared by its threads. They only show that something happens; reports count for themselves.
#[derive(Debug, Default)]
pub struct Progress {
    files: AtomicU64,
    bytes: AtomicU64,
    expected: AtomicU64,
    found: AtomicU64,
}

impl Progress {
    /// A file was opened, whatever becomes of it.
    pub fn file(&self) {
        self.files.fetch_add(1, Ordering::Relaxed);
    }

    /// So many bytes were read.
    pub fn read(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many bytes are to be read besides those announced before; only where that is known, as for a log.
    pub fn expect(&self, bytes: u64) {
        self.expected.fetch_add(bytes, Ordering::Relaxed);
    }

    /// A plugin was found.
    pub fn found(&self) {
        self.found.fetch_add(1, Ordering::Relaxed);
    }

    /// The counts of this moment.
    pub fn now(&self) -> Counts {
        Counts {
            files: self.files.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            expected: self.expected.load(Ordering::Relaxed),
            found: self.found.load(Ordering::Relaxed),
        }
    }
}

/// What [`Progress`] had counted at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Files opened.
    pub files: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Bytes to be read in all, 0 where nobody knows.
    pub expected: u64,
    /// Plugins found.
    pub found: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_count_together() {
        let progress = Progress::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..100).for_each(|_| progress.read(10)));
            }
        });
        progress.file();
        progress.expect(5000);
        let counts = progress.now();
        assert_eq!((counts.files, counts.bytes), (1, 4000));
        assert_eq!((counts.expected, counts.found), (5000, 0));
    }
}
