//! Judgements that depend on time limits.

use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Judges subjects, `at_once` at a time, and returns the texts about their mistakes; `wrong`
/// returns the text for one.
///
/// Plugins wait most of the time, so that several share the machine. Then an answer may come too
/// late. Therefore a fault counts only if it is found again while no other subject is judged.
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
    let judge = || std::iter::from_fn(take).filter_map(|it| Some((it, wrong(it)?)));
    let suspects: Vec<(&S, String)> = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..at_once).map(|_| scope.spawn(|| judge().collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    let confirmed = |(subject, first): (&S, String)| {
        let again = wrong(subject);
        if again.is_none() {
            // Not through a macro, whose output a test that passes does not show.
            let _ = writeln!(std::io::stderr(), "not confirmed: {first}");
        }
        again
    };
    suspects.into_iter().filter_map(confirmed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_fault_that_is_found_twice_counts() {
        let calls = [const { AtomicUsize::new(0) }; 3];
        let wrong = |subject: &usize| {
            let call = calls[*subject].fetch_add(1, Ordering::Relaxed);
            let is_wrong = [false, call == 0, true][*subject];
            is_wrong.then(|| format!("subject {subject}"))
        };
        assert_eq!(judged(2, &[0, 1, 2], wrong), ["subject 2"]);
        assert_eq!(calls.map(AtomicUsize::into_inner), [1, 2, 2]);
    }
}
