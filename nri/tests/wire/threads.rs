//! Futures on threads of their own, for tests that need work to happen at the same time.
//!
//! With tokio's multi-threaded runtime these tests would need less, but its feature would then be
//! on in the examples too, which would no longer be as small as they are in a crate of their own.

use std::thread;

use tokio::runtime::Builder;
use tokio::sync::oneshot;

/// Starts a future on its own thread. Returns its output, or an error if it panics.
pub(crate) fn on_thread<F>(future: F) -> oneshot::Receiver<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    let (sender, receiver) = oneshot::channel();
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build();
        let _ = sender.send(runtime.expect("starts").block_on(future));
    });
    receiver
}
