//! Calls to a plugin in the runtime's process, without a connection in between.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use super::deadline::Moments;
use super::shared::Shared;
use super::{Stub, panic, serve};
use crate::Result;
use crate::plugin::{Body, Plugin};
use crate::wire::Status;

/// The answer to come.
type Answer<'a> = Pin<Box<dyn Future<Output = Result<Body, Status>> + Send + 'a>>;

/// A plugin whose handlers can be called without a connection.
pub trait Direct: Send + Sync {
    /// Answers a request as the stub does over a connection: same deadline, same watchdog, same counters. The response
    /// is encoded if the request is.
    fn call<'a>(&'a self, method: &'a str, body: Body, within: Duration) -> Answer<'a>;
}

impl<P: Plugin> Direct for Shared<P> {
    fn call<'a>(&'a self, method: &'a str, body: Body, within: Duration) -> Answer<'a> {
        let moments = Moments::new(within);
        Box::pin(async move {
            let outcome = match body {
                Body::Encoded(payload) => contained(self.answer(method, payload, moments))
                    .await
                    .map(Body::Encoded),
                message @ Body::Message(_) => {
                    contained(self.respond(method, message, moments)).await
                }
            };
            outcome.map_err(|error| serve::status(&error))
        })
    }
}

impl<P: Plugin> Stub<P> {
    /// Returns a handle that calls the plugin without a connection.
    #[doc(hidden)]
    pub fn direct(&self) -> Arc<dyn Direct> {
        let shared: Arc<Shared<P>> = Arc::clone(&self.shared);
        shared
    }
}

/// Waits for work, and turns a panic outside of a handler's future into an error.
async fn contained<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let mut work = pin!(work);
    poll_fn(|cx| {
        let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx)));
        polled.unwrap_or_else(|payload| Poll::Ready(Err(panic::error(&*payload))))
    })
    .await
}
