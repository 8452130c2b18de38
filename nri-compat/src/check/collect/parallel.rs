//! Work on a list in parallel.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

/// More than these gain little, as the disk bounds the rest, and each takes memory: 8 stay below 100 MiB.
const MOST: usize = 8;

/// How many threads to use where `asked` are wanted; 0 for as many as there are cores.
pub(super) fn threads(asked: usize) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
    if asked == 0 { cores() } else { asked }.clamp(1, MOST)
}

/// Calls `work` once an item, from at most so many threads, and returns when all is done.
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
