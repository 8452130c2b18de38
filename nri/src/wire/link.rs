//! A connection that its callers drive: no task stands between a caller and the socket.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use super::calls::Answer;
use super::connection::{Channels, Connection, Drive, Ended};
use super::error::{CallError, ConnectionError};
use super::limits::Limits;
use super::requests::Service;
use super::ttrpc::Call;
use super::wakers::Wakers;

/// A connection to call the peer over, with low latency.
///
/// A [`Caller`](super::Caller) hands its calls to the task that serves the connection. Here the calling task
/// writes the request and reads the answer itself, so a round trip costs no switch between tasks. While
/// nobody calls, [`Serving`] reads; it must be polled until the connection ends.
///
/// Clones share the connection.
#[derive(Clone)]
pub struct Link(Arc<Shared>);

/// Serves the peer's requests while nobody calls, until the connection ends.
///
/// Dropping it closes the connection.
#[must_use = "the connection is read only while this is polled"]
pub struct Serving(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    wakers: Arc<Wakers>,
    waker: Waker,
}

struct State {
    /// `None` once the connection has ended.
    driver: Option<Box<dyn Drive>>,
    /// Answers that arrived just before the end and were not collected yet.
    last_answers: Vec<(u32, Option<Answer>)>,
    ended: Option<Result<Ended, ConnectionError>>,
}

impl Link {
    /// Creates a connection over a stream. `service` answers the peer's requests.
    ///
    /// Futures of the service are polled by whoever drives the connection, with a lock held: they must not use
    /// this link, and must not block.
    pub fn new<S>(
        stream: S,
        channels: Channels,
        limits: Limits,
        service: Arc<impl Service + Send + 'static>,
    ) -> (Self, Serving)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let (connection, _) = Connection::new(stream, channels, limits);
        let state = State {
            driver: Some(connection.driver(service)),
            last_answers: Vec::new(),
            ended: None,
        };
        let wakers = Arc::new(Wakers::default());
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            waker: Waker::from(Arc::clone(&wakers)),
            wakers,
        });
        (Self(Arc::clone(&shared)), Serving(shared))
    }

    /// Calls a method and waits for its encoded answer.
    ///
    /// The timeout is sent along with the request. Dropping the future abandons the call; the peer is not
    /// notified.
    ///
    /// # Errors
    ///
    /// Returns a [`CallError`] if the peer answers with an error, does not answer, or cannot be called.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with time enabled.
    pub async fn call(
        &self,
        service: &str,
        method: &str,
        payload: &[u8],
        within: Duration,
    ) -> Result<Bytes, CallError> {
        let call = Call {
            service,
            method,
            payload,
            timeout: Some(within),
        };
        let exchange = Exchange {
            shared: &self.0,
            call,
            stream: None,
            key: self.0.wakers.key(),
            done: false,
        };
        timeout(within, exchange)
            .await
            .unwrap_or(Err(CallError::Timeout(within)))
    }

    /// Closes the connection. Pending calls fail with [`CallError::Closed`].
    pub fn close(&self) {
        self.0.close();
    }

    /// Returns whether the connection has ended. Every call fails from then on.
    pub fn is_closed(&self) -> bool {
        self.0.state().driver.is_none()
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let closed = self.is_closed();
        f.debug_struct("Link").field("closed", &closed).finish()
    }
}

impl fmt::Debug for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serving").finish_non_exhaustive()
    }
}

impl Future for Serving {
    /// How the connection ended; [`Ended::ByShutdown`] after [`Link::close`].
    type Output = Result<Ended, ConnectionError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let shared = &self.0;
        shared.wakers.set_server(cx.waker());
        let mut state = shared.state();
        shared.drive(&mut state);
        match state.ended.take() {
            Some(ended) => Poll::Ready(ended),
            None if state.driver.is_none() => Poll::Ready(Ok(Ended::ByShutdown)),
            None => Poll::Pending,
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads and writes as much as is possible now.
    fn drive(&self, state: &mut State) {
        let Some(driver) = &mut state.driver else {
            return;
        };
        self.wakers.rest();
        let mut cx = Context::from_waker(&self.waker);
        if let Poll::Ready(ended) = driver.drive(&mut cx) {
            state.last_answers = driver.drain_answers();
            state.driver = None;
            state.ended = Some(ended);
            self.wakers.wake_all();
        }
    }

    fn close(&self) {
        let mut state = self.state();
        let closed = state.driver.take();
        drop(state);
        if closed.is_some() {
            self.wakers.wake_all();
        }
    }
}

impl State {
    fn take_answer(&mut self, stream: u32) -> Option<Answer> {
        if let Some(driver) = &mut self.driver {
            return driver.take_answer(stream);
        }
        let last = self.last_answers.iter().position(|(id, _)| *id == stream);
        let answer = last.and_then(|index| self.last_answers.swap_remove(index).1);
        Some(answer.unwrap_or(Err(CallError::Closed)))
    }
}

/// One call: waits until the peer reads, sends the request, reads until the answer is there.
struct Exchange<'a> {
    shared: &'a Shared,
    call: Call<'a>,
    stream: Option<u32>,
    key: u64,
    done: bool,
}

impl Exchange<'_> {
    fn advance(&mut self) -> Poll<Answer> {
        let shared = self.shared;
        let mut state = shared.state();
        if self.stream.is_none() && !self.has_room(&mut state) {
            return Poll::Pending;
        }
        if self.stream.is_none() {
            let Some(driver) = &mut state.driver else {
                return Poll::Ready(Err(CallError::Closed));
            };
            match driver.start_call(&self.call) {
                Ok(stream) => self.stream = Some(stream),
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        shared.drive(&mut state);
        let answer = self.stream.and_then(|stream| state.take_answer(stream));
        answer.map_or(Poll::Pending, Poll::Ready)
    }

    /// Returns whether the peer has read enough of what was sent before, or the connection has ended.
    fn has_room(&self, state: &mut State) -> bool {
        let room = |state: &State| state.driver.as_ref().is_none_or(|driver| driver.has_room());
        if !room(state) {
            self.shared.drive(state);
        }
        room(state)
    }
}

impl Future for Exchange<'_> {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.shared.wakers.enroll(self.key, cx.waker());
        let answer = self.advance();
        self.done = answer.is_ready();
        answer
    }
}

impl Drop for Exchange<'_> {
    fn drop(&mut self) {
        if let Some(stream) = self.stream.filter(|_| !self.done) {
            let mut state = self.shared.state();
            if let Some(driver) = &mut state.driver {
                driver.abandon_call(stream);
            }
        }
        self.shared.wakers.leave(self.key);
    }
}
