//! Panics in handlers, converted to errors of the request.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use crate::wire::requests::panic_text;
use crate::{Error, ErrorKind, Result};

/// Returns a panic as an error.
pub(super) fn error(payload: &(dyn Any + Send)) -> Error {
    let text = panic_text(payload);
    Error::with_kind(ErrorKind::Handler, format!("panicked: {text}"))
}

/// Waits for work, and turns a panic in it into an error.
pub(super) async fn caught<T>(work: impl Future<Output = T>) -> Result<T> {
    let mut work = pin!(work);
    poll_fn(|cx| {
        let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx).map(Ok)));
        polled.unwrap_or_else(|payload| Poll::Ready(Err(error(&*payload))))
    })
    .await
}
