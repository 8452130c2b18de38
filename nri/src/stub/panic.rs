//! Panics in handlers, converted to errors of the request.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use crate::{Error, ErrorKind};

/// Returns a panic as an error.
pub(super) fn error(payload: &(dyn Any + Send)) -> Error {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    Error::with_kind(ErrorKind::Handler, format!("panicked: {text}"))
}

/// Waits for work outside of requests. Logs its end, and contains panics in it.
pub(super) async fn contained(name: &str, work: impl Future<Output = ()>) {
    let mut work = pin!(work);
    poll_fn(|cx| {
        let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx)));
        polled.unwrap_or_else(|payload| {
            tracing::error!("{name} failed: {:#}", error(&*payload));
            Poll::Ready(())
        })
    })
    .await;
}
