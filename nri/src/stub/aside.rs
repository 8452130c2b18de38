//! Blocking work on separate threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tokio::sync::oneshot;
use tracing::Span;

use super::panic;
use crate::{Error, ErrorKind, Result};

/// The maximum number of blocked threads: handlers that never return must not exhaust the node.
const MAX_BLOCKED: usize = 64;

/// The number of blocked threads.
static BLOCKED: AtomicUsize = AtomicUsize::new(0);

/// Runs blocking work on another thread, and waits for its result without blocking.
///
/// A handler is polled by the task that reads from the runtime: while it blocks, no other event
/// arrives and no deadline is kept. Reading a file of `/proc` or `/sys` is fast enough to do in
/// place. A command, a file on disk or network, a lock that another thread holds for long, or a
/// library that waits should run in here. If the whole handler blocks, `#[nri(blocking(EVENT))]`
/// runs it on a separate thread.
///
/// The work runs on its own thread, not in tokio's pool: when the deadline of the request is over,
/// the result is dropped, and work that never ends does not keep the plugin from stopping.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> nri::Result<()> {
/// let model = nri::blocking(|| std::fs::read_to_string("/proc/version")).await??;
/// assert!(model.starts_with("Linux"));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Returns an error if the work panics, or no thread is available: at most 64 may be blocked at
/// once.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    if cfg!(target_family = "wasm") {
        // There are no threads, and no other event that could be delayed.
        return Ok(work());
    }
    let running = run(work)?;
    running.await.unwrap_or_else(|_| Err(Error::new("blocking work was abandoned")))
}

/// Starts work on its own thread. The receiver gets its result.
pub(super) fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<oneshot::Receiver<Result<T>>> {
    let permit = ThreadPermit::take()?;
    let (done, receiver) = oneshot::channel();
    let span = Span::current();
    let guarded = move || {
        let result = span.in_scope(|| catch_unwind(AssertUnwindSafe(work)));
        drop(permit);
        // Nobody waits any more after the deadline.
        let _ = done.send(result.map_err(|payload| panic::error(&*payload)));
    };
    thread::Builder::new().name("nri-blocking".to_owned()).spawn(guarded).map_err(|error| {
        Error::with_kind(ErrorKind::Handler, format!("no thread for blocking work: {error}"))
    })?;
    Ok(receiver)
}

/// A permit for one of the threads.
struct ThreadPermit;

impl ThreadPermit {
    fn take() -> Result<Self> {
        let one_more = |blocked| (blocked < MAX_BLOCKED).then_some(blocked + 1);
        match BLOCKED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more) {
            Ok(_) => Ok(ThreadPermit),
            Err(_) => Err(Error::new(format!("the maximum of {MAX_BLOCKED} threads are blocked"))),
        }
    }
}

impl Drop for ThreadPermit {
    fn drop(&mut self) {
        BLOCKED.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn threads_are_bounded_and_given_back_even_by_a_panic() {
        let (hold, released) = std::sync::mpsc::channel::<()>();
        let held = std::sync::Arc::new(std::sync::Mutex::new(released));
        let mut running = Vec::new();
        let refused = loop {
            let held = std::sync::Arc::clone(&held);
            match run(move || held.lock().map(|held| held.recv().is_err()).unwrap_or(true)) {
                Ok(receiver) => running.push(receiver),
                Err(error) => break error,
            }
            assert!(running.len() <= MAX_BLOCKED);
        };
        assert!(refused.to_string().starts_with("the maximum of 64 threads are blocked"));
        drop(hold);
        for receiver in running {
            assert!(receiver.await.unwrap().unwrap());
        }
        let panicked = blocking(|| -> () { panic!("no {}", "way") }).await.unwrap_err();
        assert_eq!(panicked.to_string(), "panicked: no way");
        assert_eq!(BLOCKED.load(Ordering::Relaxed), 0);
    }
}
