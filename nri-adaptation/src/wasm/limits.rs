//! The state of the runtime in a module: limits of time, memory and log lines.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use wasmi::{StoreLimits, StoreLimitsBuilder};

use super::error::ModuleError;

/// The memory that a module may use, unless set otherwise. The Go runtime needs some 10 MiB before
/// any request.
pub(in super::super) const DEFAULT_MEMORY: usize = 256 << 20;

/// Entries of all tables of a module. Modules of Go have an entry per function, some ten thousand.
const MAX_TABLE_ENTRIES: usize = 1 << 20;

/// Lines that a module may log in one call.
const MAX_LINES: usize = 1000;

/// The interval at which a sleeping module is checked.
const NAP: Duration = Duration::from_millis(10);

/// The state behind the functions that a module imports.
pub(super) struct Host {
    /// The name of the plugin, such as `10-logger`.
    pub(super) plugin: Arc<str>,
    /// The limits of the present call.
    pub(super) limit: Limit,
    /// The beginning of the module's monotonic clock.
    pub(super) epoch: Instant,
    /// The limits on memory and tables.
    pub(super) engine: StoreLimits,
}

/// Returns the limits of the engine for a module.
pub(super) fn store(memory: usize) -> StoreLimits {
    StoreLimitsBuilder::new()
        .memory_size(memory)
        .memories(1)
        .tables(1)
        .table_elements(MAX_TABLE_ENTRIES)
        .instances(1)
        .build()
}

/// The limits of one call.
#[derive(Debug)]
pub(super) struct Limit {
    start: Instant,
    within: Duration,
    abandoned: Arc<AtomicBool>,
    lines: usize,
}

/// Ends the call when it is dropped.
#[derive(Debug)]
pub(super) struct Hold(Arc<AtomicBool>);

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Limit {
    /// Returns the limits of a call that begins now and may take this long.
    pub(super) fn within(within: Duration) -> Self {
        Limit { start: Instant::now(), within, abandoned: Arc::default(), lines: 0 }
    }

    /// Returns what ends the call when it is dropped.
    pub(super) fn hold(&self) -> Hold {
        Hold(Arc::clone(&self.abandoned))
    }

    /// Checks that the call may go on.
    ///
    /// # Errors
    ///
    /// Returns [`ModuleError::Time`] or [`ModuleError::Abandoned`].
    pub(super) fn check(&self) -> Result<(), ModuleError> {
        if self.abandoned.load(Ordering::Relaxed) {
            return Err(ModuleError::Abandoned);
        }
        if self.start.elapsed() >= self.within {
            return Err(ModuleError::Time(self.within));
        }
        Ok(())
    }

    /// Sleeps.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub(super) fn sleep(&self, time: Duration) -> Result<(), ModuleError> {
        let start = Instant::now();
        loop {
            self.check()?;
            let left = time.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(NAP));
        }
    }

    /// Returns true if the module may log another line. Warns before the first that is dropped.
    pub(super) fn may_log(&mut self, plugin: &str) -> bool {
        self.lines = self.lines.saturating_add(1);
        if self.lines == MAX_LINES + 1 {
            tracing::warn!(
                plugin,
                "more than {MAX_LINES} lines in one call, the others are dropped"
            );
        }
        self.lines <= MAX_LINES
    }
}
