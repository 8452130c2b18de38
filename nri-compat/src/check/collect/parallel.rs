//! Processes a list in parallel.

use std::num::NonZero;
#[cfg(feature = "registry")]
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The maximum number of threads. More gain little, because the disk is the bottleneck, and each
/// takes memory; 8 stay below 100 MiB.
const MAX_THREADS: usize = 8;

/// Returns the number of threads to use if `asked` are wanted; 0 means the number of cores.
pub(super) fn threads(asked: usize) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
    if asked == 0 { cores() } else { asked }.clamp(1, MAX_THREADS)
}

/// Calls `work` once per item, on at most `threads` threads, and returns when all calls are done.
pub(super) fn each<T: Sync>(threads: usize, items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let run = || {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(item);
        }
    };
    if threads.min(items.len()) <= 1 {
        return run();
    }
    std::thread::scope(|scope| {
        for _ in 0..threads.min(items.len()) {
            scope.spawn(run);
        }
    });
}

/// Calls `work` once per item, on at most `threads` threads, and returns the results in the order of the
/// items.
#[cfg(feature = "registry")]
pub(super) fn map<T: Sync, R: Send + Sync>(
    threads: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let results: Vec<OnceLock<R>> = items.iter().map(|_| OnceLock::new()).collect();
    let pairs: Vec<_> = items.iter().zip(&results).collect();
    each(threads, &pairs, |(item, result)| {
        result.get_or_init(|| work(item));
    });
    results
        .into_iter()
        .filter_map(OnceLock::into_inner)
        .collect()
}
