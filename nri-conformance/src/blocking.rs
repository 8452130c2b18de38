//! Asynchronous runs for callers that may or may not be asynchronous themselves.

use std::io;
use std::panic::resume_unwind;
use std::thread;

/// Runs a future on a thread of its own, and waits for it. Without a tokio runtime, returns what
/// `failed` makes of the error.
///
/// # Panics
///
/// Panics if the future panics.
pub(crate) fn on_a_thread<T: Send + 'static>(
    run: impl Future<Output = T> + Send + 'static,
    failed: impl FnOnce(io::Error) -> T + Send + 'static,
) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let run = thread::spawn(move || match runtime {
        Ok(runtime) => runtime.block_on(run),
        Err(error) => failed(error),
    });
    run.join().unwrap_or_else(|panic| resume_unwind(panic))
}
