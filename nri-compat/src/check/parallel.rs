//! Processes items in parallel.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The maximum number of threads. More gain little, because the disk is the bottleneck, and each
/// takes memory; 8 stay below 100 MiB.
const MAX_THREADS: usize = 8;

/// Returns the number of threads to use if `asked` are wanted; 0 means the number of cores.
pub(super) fn threads(asked: usize) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
    if asked == 0 { cores() } else { asked }.clamp(1, MAX_THREADS)
}

/// The maximum number of items that a thread takes at once.
const MAX_TAKEN: usize = 32;

/// Calls `work` with each item of an iterator, on several threads, without keeping the items in
/// memory.
pub(super) fn share<T>(
    threads: usize,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) + Sync,
) {
    let shared = Mutex::new((items, 0));
    let run = || std::iter::from_fn(|| take(&shared)).flatten().for_each(&work);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(run);
        }
    });
}

/// Takes the next items from an iterator, which is shared with the number of items taken so far.
fn take<T>(shared: &Mutex<(impl Iterator<Item = T>, usize)>) -> Option<Vec<T>> {
    let (items, before) = &mut *shared.lock().unwrap_or_else(PoisonError::into_inner);
    // One by one at first: among few items, each may take long. Among many, taking them is what
    // takes long.
    let number = (*before / 64).clamp(1, MAX_TAKEN);
    let taken: Vec<T> = items.take(number).collect();
    *before += taken.len();
    (!taken.is_empty()).then_some(taken)
}

/// Calls `work` once per item, on at most `threads` threads, and returns the results in the order
/// of the items.
pub(super) fn each<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    if threads.min(items.len()) <= 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let run = || {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let results = numbers.map_while(|number| Some((number, work(items.get(number)?))));
        results.collect::<Vec<_>>()
    };
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.min(items.len())).map(|_| scope.spawn(run)).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.flat_map(|joined| joined.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    results.sort_unstable_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}
