//! An allocator that counts memory, for tests of limits on memory.
#![allow(unsafe_code, reason = "an allocator cannot be written without it")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, Ordering};

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// The bytes of all threads.
static ALL_LIVE: AtomicIsize = AtomicIsize::new(0);
static ALL_PEAK: AtomicIsize = AtomicIsize::new(0);

/// The allocator of the system, which counts the bytes that each thread allocates and frees.
#[derive(Debug)]
pub(crate) struct Counting;

/// Returns the result of a function and the most bytes that it had allocated at once, on this
/// thread.
pub(crate) fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.get();
    PEAK.set(before);
    let result = work();
    (result, usize::try_from(PEAK.get() - before).unwrap_or_default())
}

/// Returns the result of a function and the most bytes that it had allocated at once, on any
/// thread. Nothing else may run in this process.
pub(crate) fn peak_of_threads<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = ALL_LIVE.load(Ordering::Relaxed);
    ALL_PEAK.store(before, Ordering::Relaxed);
    let result = work();
    let peak = ALL_PEAK.load(Ordering::Relaxed) - before;
    (result, usize::try_from(peak).unwrap_or_default())
}

fn count(change: isize) {
    let all = ALL_LIVE.fetch_add(change, Ordering::Relaxed) + change;
    ALL_PEAK.fetch_max(all, Ordering::Relaxed);
    // A thread that ends frees memory after its counters are gone.
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + change);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

// SAFETY: every call is passed to the allocator of the system unchanged, and the counters allocate
// nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the block is of `alloc`, which is the system's.
        unsafe { System.dealloc(block, layout) }
    }
}
