//! The serving side: polls the peer's requests in place and answers them.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::frame::{Kind, MessageHeader};
use super::limits::Limits;
use super::mux::Message;
use super::outbox::Outbox;
use super::status::{Code, Status};
use super::ttrpc::{RequestEnvelope, ResponseEnvelope};
use crate::codec::decode_shared;

/// A request of the peer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// Fully qualified service name.
    pub service: String,
    /// Method name.
    pub method: String,
    /// Encoded request of the method.
    pub payload: Bytes,
    /// The time that the peer waits, starting when the request was read; `None` without limit.
    pub timeout: Option<Duration>,
    /// When the peer gives up; `None` without limit.
    pub deadline: Option<Instant>,
}

/// Answers the requests of a peer.
///
/// A service answers unknown services and methods itself. [`Status::unknown_service`] and
/// [`Status::unknown_method`] are the answers that a runtime understands.
pub trait Service: Sync {
    /// Answers a request with the encoded answer of the method.
    ///
    /// The future is polled by the connection's own task, together with those of other requests in
    /// progress, so it must not block. It is not ended at the deadline. It is dropped when the
    /// connection ends. A panic is answered with [`Code::INTERNAL`].
    fn call(&self, request: Request) -> impl Future<Output = Result<Bytes, Status>> + Send;
}

/// Starts requests and sends their answers. `F` is the future of a request.
pub(crate) struct Requests<F> {
    connection: u32,
    limits: Limits,
    last_stream: u32,
    bytes: usize,
    slots: Vec<Slot<F>>,
}

/// Room for a request in progress. The next request reuses its memory.
struct Slot<F> {
    stream: u32,
    bytes: usize,
    future: Pin<Box<Option<F>>>,
}

impl<F> Requests<F>
where
    F: Future<Output = Result<Bytes, Status>>,
{
    pub(crate) fn new(connection: u32, limits: Limits) -> Self {
        Self { connection, limits, last_stream: 0, bytes: 0, slots: Vec::new() }
    }

    /// Returns how many requests are in progress.
    pub(crate) fn under_way(&self) -> usize {
        self.slots.iter().filter(|slot| slot.future.is_some()).count()
    }

    /// Handles a message of the peer: starts a request, or refuses anything else.
    pub(crate) fn receive(
        &mut self,
        message: Message,
        call: &impl Fn(Request) -> F,
        outbox: &mut Outbox,
    ) {
        let MessageHeader { stream, kind, .. } = message.header;
        let is_unknown = match kind {
            Kind::Request | Kind::Data => false,
            Kind::Response | Kind::Other(_) => !stream.is_multiple_of(2),
        };
        if is_unknown {
            // Later protocols may give it a meaning.
            tracing::debug!(stream, "ignored a message of unknown type");
        } else if let Err(status) = self.admit(message, call) {
            tracing::debug!(stream, %status, "request refused");
            self.answer(stream, Err(status), outbox);
        }
    }

    fn admit(&mut self, message: Message, call: &impl Fn(Request) -> F) -> Result<(), Status> {
        let header = message.header;
        if header.stream.is_multiple_of(2) {
            return Err(Status::invalid_argument("stream id of a client must be odd"));
        }
        if header.kind == Kind::Data {
            self.abandon(header.stream);
            return Err(Status::invalid_argument("stream takes no data"));
        }
        if header.stream <= self.last_stream {
            return Err(Status::invalid_argument("stream id must be larger than the last"));
        }
        self.last_stream = header.stream;
        self.check_room(message.data.len())?;
        self.start(header.stream, message.data, call)
    }

    fn check_room(&self, bytes: usize) -> Result<(), Status> {
        let Limits { requests, request_bytes, .. } = self.limits;
        let under_way = self.under_way();
        if under_way >= requests {
            let text = format!("{under_way} requests in progress, at most {requests} are allowed");
            return Err(Status::resource_exhausted(text));
        }
        let total = self.bytes + bytes;
        if under_way > 0 && total > request_bytes {
            let text = format!("{total} bytes in progress, at most {request_bytes} are allowed");
            return Err(Status::resource_exhausted(text));
        }
        Ok(())
    }

    fn start(
        &mut self,
        stream: u32,
        data: Bytes,
        call: &impl Fn(Request) -> F,
    ) -> Result<(), Status> {
        let bytes = data.len();
        let request = decode(data)?;
        let future = guard(|| call(request))?;
        self.bytes += bytes;
        match self.slots.iter_mut().find(|slot| slot.future.is_none()) {
            Some(slot) => {
                slot.stream = stream;
                slot.bytes = bytes;
                slot.future.set(Some(future));
            }
            None => self.slots.push(Slot { stream, bytes, future: Box::pin(Some(future)) }),
        }
        Ok(())
    }

    /// Polls the requests in progress as long as the peer keeps reading.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>, outbox: &mut Outbox) {
        for index in 0..self.slots.len() {
            if outbox.len() > self.limits.unsent_bytes {
                return;
            }
            let Some((stream, answer)) = self.slots.get_mut(index).and_then(|slot| slot.poll(cx))
            else {
                continue;
            };
            self.release(index);
            self.answer(stream, answer, outbox);
        }
    }

    fn release(&mut self, index: usize) {
        if let Some(slot) = self.slots.get_mut(index) {
            slot.future.set(None);
            self.bytes -= slot.bytes;
        }
    }

    /// Drops a request in progress without an answer.
    fn abandon(&mut self, stream: u32) {
        let busy = |slot: &Slot<F>| slot.stream == stream && slot.future.is_some();
        if let Some(index) = self.slots.iter().position(busy) {
            self.release(index);
        }
    }

    fn answer(&self, stream: u32, answer: Result<Bytes, Status>, outbox: &mut Outbox) {
        let response = ResponseEnvelope::from(answer);
        if let Err(error) = outbox.push(self.connection, Kind::Response, stream, &response) {
            tracing::warn!(stream, %error, "answer not sent");
            let status = Status::resource_exhausted(format!("answer not sent: {error}"));
            let refusal = ResponseEnvelope::from(Err(status));
            // An answer of this size always fits.
            let _ = outbox.push(self.connection, Kind::Response, stream, &refusal);
        }
    }
}

impl<F> Slot<F>
where
    F: Future<Output = Result<Bytes, Status>>,
{
    /// Returns the answer if it is complete. The slot must be released then.
    fn poll(&mut self, cx: &mut Context<'_>) -> Option<(u32, Result<Bytes, Status>)> {
        let future = self.future.as_mut().as_pin_mut()?;
        match guard(|| future.poll(cx)) {
            Ok(Poll::Pending) => None,
            Ok(Poll::Ready(answer)) => Some((self.stream, answer)),
            Err(status) => Some((self.stream, Err(status))),
        }
    }
}

fn decode(data: Bytes) -> Result<Request, Status> {
    let envelope = decode_shared::<RequestEnvelope>(&data).map_err(|error| {
        let code =
            if error.is_over_budget() { Code::RESOURCE_EXHAUSTED } else { Code::INVALID_ARGUMENT };
        Status::new(code, format!("unreadable request: {error}"))
    })?;
    let timeout = envelope.timeout();
    Ok(Request {
        deadline: timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
        timeout,
        service: envelope.service,
        method: envelope.method,
        payload: envelope.payload,
    })
}

/// Turns a panic into a status, so that one broken handler does not end the connection.
fn guard<T>(work: impl FnOnce() -> T) -> Result<T, Status> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let status =
            Status::new(Code::INTERNAL, format!("handler panicked: {}", panic_text(&*panic)));
        tracing::error!(%status);
        status
    })
}

/// Returns the message of a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let string = panic.downcast_ref::<String>().map(String::as_str);
    string.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}
