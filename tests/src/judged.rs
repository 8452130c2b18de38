//! Judgements that depend on time limits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Judges subjects, `at_once` at a time, and returns what is wrong with them; `wrong` returns the text for one.
///
/// Plugins wait most of the time, so that several share the machine. Then an answer may come too late. Therefore a fault
/// counts only if it is found again while no other subject is judged.
///
/// # Panics
///
/// Panics if `wrong` panics.
pub fn judged<S: Sync>(
    at_once: usize,
    subjects: &[S],
    wrong: impl Fn(&S) -> Option<String> + Sync,
) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let take = || subjects.get(next.fetch_add(1, Ordering::Relaxed));
    let suspects = || std::iter::from_fn(take).filter(|subject| wrong(subject).is_some());
    let suspects: Vec<&S> = thread::scope(|scope| {
        let threads = (0..at_once).map(|_| scope.spawn(|| suspects().collect::<Vec<_>>()));
        let threads: Vec<_> = threads.collect();
        let found = threads.into_iter();
        found
            .flat_map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    suspects.into_iter().filter_map(wrong).collect()
}
