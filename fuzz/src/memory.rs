//! The memory that a target takes for an input, on all threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::counting::{Counting, peak_of_threads};
use crate::targets::Target;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The largest share of its limit that an input took so far, in percent.
static LARGEST_SHARE: AtomicUsize = AtomicUsize::new(0);

/// Runs a target on an input.
///
/// # Panics
///
/// Panics if it takes more memory than the table says. It is then run again, because tables and
/// the like that are made once are no part of it.
pub(crate) fn run(target: &Target, input: &[u8]) {
    let most = target.most_memory(input.len());
    let peak = || peak_of_threads(|| (target.run)(input)).1;
    let mut taken = peak();
    if taken > most {
        taken = peak();
    }
    assert!(
        taken <= most,
        "{}: an input of {} bytes took {taken} bytes of memory, more than {most}",
        target.name,
        input.len()
    );
    let share = taken * 100 / most;
    if LARGEST_SHARE.fetch_max(share, Ordering::Relaxed) < share {
        println!("memory: {taken} of {most} bytes for {}", input.len());
    }
}
