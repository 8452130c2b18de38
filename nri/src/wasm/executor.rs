//! Runs a future to completion on the only thread there is.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use crate::{Error, Result};

/// Notes that the future asked to be polled again.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Polls a future until it completes.
///
/// # Errors
///
/// Returns an error if the future waits without having woken its task: nothing else could wake it.
pub(super) fn complete<T>(future: impl Future<Output = T>) -> Result<T> {
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut task = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut task) {
            return Ok(output);
        }
        if !woken.0.swap(false, Ordering::Relaxed) {
            let message =
                "the handler waits for something that cannot happen in a WebAssembly module";
            return Err(Error::new(message)
                .with_help("wait for nothing but other handlers' data, without timers"));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    #[test]
    fn a_future_may_yield() {
        let mut polls = 0;
        let yielding = poll_fn(|task| {
            polls += 1;
            task.waker().wake_by_ref();
            if polls < 3 {
                Poll::Pending
            } else {
                Poll::Ready(polls)
            }
        });
        assert_eq!(complete(yielding).unwrap(), 3);
    }

    #[test]
    fn waiting_for_nothing_is_an_error() {
        let error = complete(std::future::pending::<()>()).unwrap_err();
        assert!(error.to_string().contains("cannot happen"), "{error}");
    }
}
