//! A limit on the bytes that all threads together hold in memory.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A budget of bytes.
pub(super) struct Budget {
    whole: u64,
    free: Mutex<u64>,
    returned: Condvar,
}

/// Bytes that are reserved until this is dropped.
pub(super) struct Lent<'b> {
    from: &'b Budget,
    bytes: u64,
}

impl Budget {
    pub(super) fn new(whole: u64) -> Self {
        Self {
            whole,
            free: Mutex::new(whole),
            returned: Condvar::new(),
        }
    }

    /// Waits until `bytes` are available, or the whole budget if that is less, and reserves them.
    pub(super) fn lend(&self, bytes: u64) -> Lent<'_> {
        let bytes = bytes.min(self.whole);
        let mut free = self
            .returned
            .wait_while(self.lock(), |free| *free < bytes)
            .unwrap_or_else(PoisonError::into_inner);
        *free -= bytes;
        Lent { from: self, bytes }
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        *self.from.lock() += self.bytes;
        self.from.returned.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn never_lends_more_than_there_is() {
        let budget = Budget::new(10);
        let (held, most) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for bytes in [3, 4, 5, 10, 99, 0, 7, 2] {
                let (budget, held, most) = (&budget, &held, &most);
                scope.spawn(move || {
                    for _ in 0..200 {
                        let lent = budget.lend(bytes);
                        let now = held.fetch_add(lent.bytes, Ordering::SeqCst) + lent.bytes;
                        most.fetch_max(now, Ordering::SeqCst);
                        held.fetch_sub(lent.bytes, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(most.into_inner(), 10);
        assert_eq!(*budget.lock(), 10);
    }
}
