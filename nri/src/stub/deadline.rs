//! Answers requests before the runtime gives up.
//!
//! A runtime that gets no answer in time disconnects the plugin, which loses all later events. An
//! answer in time, even an error, affects only one request.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

/// The default request timeout of runtimes:
/// [`DefaultPluginRequestTimeout`](https://github.com/containerd/nri/blob/v0.12.5/pkg/adaptation/adaptation.go).
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(2);

/// The upper bound for timeouts. No runtime waits longer, and sums of times stay in range.
const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// The points in time that matter for one request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    /// When the request was read.
    pub(super) start: Instant,
    /// The time that the runtime waits.
    pub(super) allowed: Duration,
    warn: Duration,
    answer: Duration,
}

impl Moments {
    /// Returns the points in time for a request read now, for which the runtime waits this long.
    pub(super) fn new(allowed: Duration) -> Self {
        let allowed = allowed.min(MAX_TIMEOUT);
        let answer = allowed - margin(allowed);
        Moments { start: Instant::now(), allowed, warn: (allowed * 4 / 5).min(answer), answer }
    }

    /// Returns the time at which the runtime gives up.
    pub(super) fn deadline(&self) -> std::time::Instant {
        (self.start + self.allowed).into_std()
    }

    /// Returns the output of the work, or `None` when it is time to answer without it. Calls `warn`
    /// when four fifths of the time are over.
    pub(super) async fn keep<W: Future + Unpin>(
        &self,
        mut work: W,
        warn: impl FnOnce(&W),
    ) -> Option<W::Output> {
        // Most handlers are finished when first polled, and need no timer.
        if let Some(output) = first_poll(&mut work).await {
            return Some(output);
        }
        if let Ok(output) = timeout_at(self.start + self.warn, &mut work).await {
            return Some(output);
        }
        warn(&work);
        timeout_at(self.start + self.answer, work).await.ok()
    }
}

/// Returns how long before the deadline the answer is sent, to allow for delays on a busy node.
fn margin(allowed: Duration) -> Duration {
    (allowed / 20).clamp(Duration::from_millis(5), Duration::from_millis(100)).min(allowed / 2)
}

/// Returns the output of work that is done when first polled.
pub(super) async fn first_poll<T>(work: &mut (impl Future<Output = T> + Unpin)) -> Option<T> {
    poll_fn(|cx| match Pin::new(&mut *work).poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_answer_leaves_before_the_deadline_and_after_the_warning(nanos in 2..u64::MAX) {
            let allowed = Duration::from_nanos(nanos);
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let moments = runtime.block_on(async { Moments::new(allowed) });
            prop_assert!(moments.warn <= moments.answer);
            prop_assert!(moments.answer < moments.allowed && moments.answer >= moments.allowed / 2);
        }
    }
}
