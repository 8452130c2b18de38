//! Work that something else may end.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// Returns the output of the work, or `None` if `stop` completes first.
pub(crate) async fn first<T>(
    work: impl Future<Output = T>,
    stop: impl Future<Output = ()>,
) -> Option<T> {
    let (mut work, mut stop) = (pin!(work), pin!(stop));
    poll_fn(|cx| {
        if let Poll::Ready(output) = work.as_mut().poll(cx) {
            return Poll::Ready(Some(output));
        }
        stop.as_mut().poll(cx).map(|()| None)
    })
    .await
}
