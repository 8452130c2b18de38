//! The calling side: calls that are queued, and calls that wait for their answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use super::error::{CallError, ConnectionError};
use super::frame::Kind;
use super::limits::Limits;
use super::mux::Message;
use super::outbox::Outbox;
use super::ttrpc::{RequestEnvelope, ResponseEnvelope, timeout_nano};
use crate::codec::decode_shared;

/// The encoded answer to a call, or why there is none.
pub(crate) type Answer = Result<Bytes, CallError>;

/// Calls methods of the peer, from any task, as long as the connection is served.
///
/// Clones share the connection.
#[derive(Debug, Clone)]
pub struct Caller {
    calls: mpsc::Sender<NewCall>,
    turns: Arc<Semaphore>,
}

/// A call that the connection has not picked up yet.
#[derive(Debug)]
struct NewCall {
    envelope: RequestEnvelope,
    deadline: Option<Instant>,
    answer: oneshot::Sender<Answer>,
}

impl Caller {
    /// Calls a method and waits for its encoded answer.
    ///
    /// The timeout is sent along with the request. It starts now, so it includes the time spent
    /// waiting for earlier calls ([`Limits::calls`]). Dropping the future abandons the call; the
    /// peer is not notified.
    ///
    /// # Errors
    ///
    /// Returns a [`CallError`] if the peer answers with an error, does not answer, or cannot be
    /// called.
    ///
    /// # Panics
    ///
    /// Panics if a timeout is given outside of a tokio runtime with time enabled.
    pub async fn call(
        &self,
        service: &str,
        method: &str,
        payload: impl Into<Bytes>,
        timeout: Option<Duration>,
    ) -> Result<Bytes, CallError> {
        let envelope = RequestEnvelope {
            service: service.to_owned(),
            method: method.to_owned(),
            payload: payload.into(),
            timeout_nano: timeout_nano(timeout),
        };
        let limited = timeout.and_then(|limit| Some((limit, Instant::now().checked_add(limit)?)));
        match limited {
            None => self.exchange(envelope, None).await,
            Some((limit, deadline)) => {
                timeout_at(deadline, self.exchange(envelope, Some(deadline)))
                    .await
                    .unwrap_or(Err(CallError::Timeout(limit)))
            }
        }
    }

    async fn exchange(&self, envelope: RequestEnvelope, deadline: Option<Instant>) -> Answer {
        let _turn = self.turns.acquire().await.map_err(|_| CallError::Closed)?;
        let (answer, answered) = oneshot::channel();
        let call = NewCall { envelope, deadline, answer };
        self.calls.send(call).await.map_err(|_| CallError::Closed)?;
        answered.await.unwrap_or(Err(CallError::Closed))
    }

    /// Returns true if the connection has ended. Every call fails from then on.
    pub fn is_closed(&self) -> bool {
        self.calls.is_closed()
    }
}

/// The connection's end of the calls.
#[derive(Debug)]
pub(crate) struct Calls {
    connection: u32,
    limits: Limits,
    new: mpsc::Receiver<NewCall>,
    /// The next stream id, or `None` when all have been used.
    next_stream: Option<u32>,
    waiting: HashMap<u32, oneshot::Sender<Answer>>,
}

impl Calls {
    pub(crate) fn new(connection: u32, limits: Limits) -> (Self, Caller) {
        let at_once = limits.calls.clamp(1, Semaphore::MAX_PERMITS);
        let (sender, new) = mpsc::channel(at_once);
        let calls = Self { connection, limits, new, next_stream: Some(1), waiting: HashMap::new() };
        (calls, Caller { calls: sender, turns: Arc::new(Semaphore::new(at_once)) })
    }

    /// Sends queued calls as long as the peer keeps reading.
    pub(crate) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        outbox: &mut Outbox,
    ) -> Result<(), ConnectionError> {
        while outbox.len() <= self.limits.unsent_bytes {
            let Poll::Ready(Some(call)) = self.new.poll_recv(cx) else {
                break;
            };
            self.send(call, outbox)?;
        }
        Ok(())
    }

    fn send(&mut self, call: NewCall, outbox: &mut Outbox) -> Result<(), ConnectionError> {
        let NewCall { mut envelope, deadline, answer } = call;
        if answer.is_closed() {
            return Ok(());
        }
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        envelope.timeout_nano = timeout_nano(left);
        let stream = self.next_stream.ok_or(ConnectionError::StreamsExhausted)?;
        match outbox.push(self.connection, Kind::Request, stream, &envelope) {
            Ok(()) => {
                self.next_stream = stream.checked_add(2);
                self.forget_abandoned();
                self.waiting.insert(stream, answer);
            }
            Err(error) => {
                let _ = answer.send(Err(error.into()));
            }
        }
        Ok(())
    }

    /// Callers that gave up leave their streams behind, which a peer may never answer.
    fn forget_abandoned(&mut self) {
        if self.waiting.len() >= self.limits.calls.saturating_mul(2) {
            self.waiting.retain(|_, answer| !answer.is_closed());
        }
    }

    /// Handles a message of the peer: the answer to a call, or something to ignore.
    pub(crate) fn receive(&mut self, message: Message) {
        let stream = message.header.stream;
        let Some(waiting) = self.waiting.remove(&stream) else {
            tracing::debug!(stream, "ignored a message on a stream without a pending call");
            return;
        };
        // The caller may have given up.
        let _ = waiting.send(read(message));
    }

    /// Fails all pending calls and all later ones.
    pub(crate) fn close(&mut self) {
        self.new.close();
        while self.new.try_recv().is_ok() {}
        self.waiting.clear();
    }
}

fn read(message: Message) -> Answer {
    match message.header.kind {
        Kind::Response => {}
        other @ (Kind::Request | Kind::Data | Kind::Other(_)) => {
            return Err(CallError::Protocol(format!("expected a response, got {other:?}")));
        }
    }
    let response = decode_shared::<ResponseEnvelope>(&message.data)
        .map_err(|error| CallError::Unreadable(error.to_string()))?;
    Result::from(response).map_err(CallError::Status)
}
