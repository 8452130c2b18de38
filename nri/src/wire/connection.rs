//! The connection itself: reads, polls handlers in place, writes.

use std::fmt;
use std::future::{pending, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Sleep, sleep};

use super::calls::{Caller, Calls};
use super::error::ConnectionError;
use super::limits::Limits;
use super::mux::Demux;
use super::outbox::Outbox;
use super::requests::{Request, Requests, Service};
use super::status::Status;

/// The logical connections of the two directions, seen from this side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Channels {
    /// Connection id on which we answer the peer's requests.
    pub serve: u32,
    /// Connection id on which we call the peer.
    pub call: u32,
}

impl Channels {
    /// The channels of NRI, seen from a plugin: it serves the service `Plugin` on connection 1, and
    /// calls the service `Runtime` on connection 2. A runtime has them [flipped](Self::flipped).
    pub const PLUGIN: Self = Self { serve: 1, call: 2 };

    /// Returns the same channels, seen from the other side.
    pub const fn flipped(self) -> Self {
        Self { serve: self.call, call: self.serve }
    }

    /// Returns the ids of both connections.
    #[doc(hidden)]
    pub const fn ids(self) -> [u32; 2] {
        [self.serve, self.call]
    }
}

/// The end of a connection without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The peer closed its side between two messages.
    ByPeer,
    /// Our side asked for the end.
    ByShutdown,
}

/// A stream socket that carries calls in both directions.
///
/// Nothing happens until [`Connection::serve`] is polled. It does all the work in the task that
/// polls it.
pub struct Connection<S> {
    stream: S,
    channels: Channels,
    limits: Limits,
    calls: Calls,
}

impl<S> fmt::Debug for Connection<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("channels", &self.channels).finish_non_exhaustive()
    }
}

impl<S> Connection<S>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    /// Creates a connection over a stream, and a handle to call the peer with.
    pub fn new(stream: S, channels: Channels, limits: Limits) -> (Self, Caller) {
        let (calls, caller) = Calls::new(channels.call, limits);
        (Self { stream, channels, limits, calls }, caller)
    }

    /// Serves until the peer closes its side.
    ///
    /// Dropping the future closes the connection at once, with requests in progress unanswered.
    ///
    /// # Errors
    ///
    /// Returns a [`ConnectionError`] if the stream fails or the peer breaks the protocol.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with time enabled.
    pub async fn serve(self, service: &impl Service) -> Result<Ended, ConnectionError> {
        self.serve_until(service, pending()).await
    }

    /// Serves until the peer closes its side or `shutdown` completes.
    ///
    /// Either way, requests in progress have [`Limits::linger`] to finish, and their answers are
    /// sent. Requests that arrive after `shutdown` are dropped without an answer: the peer then
    /// sees a closed connection rather than a failed request. Handlers may still call the peer.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Connection::serve`].
    ///
    /// # Panics
    ///
    /// Panics like [`Connection::serve`].
    pub async fn serve_until(
        self,
        service: &impl Service,
        shutdown: impl Future<Output = ()>,
    ) -> Result<Ended, ConnectionError> {
        let mut driver = Driver::new(self, |request| service.call(request));
        let mut shutdown = pin!(shutdown);
        poll_fn(|cx| {
            if driver.end.is_none() && shutdown.as_mut().poll(cx).is_ready() {
                driver.begin_end(Ended::ByShutdown);
            }
            driver.poll(cx)
        })
        .await
    }
}

struct Driver<S, C, F> {
    connection: Connection<S>,
    demux: Demux,
    outbox: Outbox,
    call: C,
    requests: Requests<F>,
    /// Why the connection is about to end, and when requests in progress are given up.
    end: Option<(Ended, Pin<Box<Sleep>>)>,
    /// The peer sends no more.
    peer_closed: bool,
    /// The peer takes no more.
    peer_gone: bool,
}

impl<S, C, F> Driver<S, C, F>
where
    S: AsyncRead + AsyncWrite + Unpin,
    C: Fn(Request) -> F,
    F: Future<Output = Result<Bytes, Status>>,
{
    fn new(connection: Connection<S>, call: C) -> Self {
        Driver {
            call,
            requests: Requests::new(connection.channels.serve, connection.limits),
            demux: Demux::new(connection.channels.ids()),
            outbox: Outbox::default(),
            connection,
            end: None,
            peer_closed: false,
            peer_gone: false,
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Ended, ConnectionError>> {
        loop {
            let drained = self.take_messages()?;
            self.requests.poll(cx, &mut self.outbox);
            self.connection.calls.poll(cx, &mut self.outbox)?;
            let held_back = self.outbox.len() > self.connection.limits.unsent_bytes;
            let sent = self.poll_send(cx)?;
            if let Some(ended) = self.poll_end(cx) {
                return Poll::Ready(Ok(ended));
            }
            let read = drained && self.poll_receive(cx)?;
            let room_made = held_back && sent;
            if !read && !room_made {
                return Poll::Pending;
            }
        }
    }

    /// Handles the messages that have arrived. Returns true if none is left.
    fn take_messages(&mut self) -> Result<bool, ConnectionError> {
        while self.outbox.len() <= self.connection.limits.unsent_ceiling() {
            let Some(message) = self.demux.next_message()? else {
                return Ok(true);
            };
            if message.connection != self.connection.channels.serve {
                self.connection.calls.receive(message);
            } else if self.end.is_none() {
                self.requests.receive(message, &self.call, &mut self.outbox);
            }
        }
        Ok(false)
    }

    /// Writes the encoded messages. Returns true if everything is written.
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Result<bool, ConnectionError> {
        match self.outbox.poll_drain(&mut self.connection.stream, cx) {
            Poll::Pending => Ok(false),
            Poll::Ready(Ok(())) => Ok(true),
            Poll::Ready(Err(error)) => self.send_failed(error),
        }
    }

    /// Handles a failure to send. A peer that has gone needs no answers, so that is no error.
    fn send_failed(&mut self, error: io::Error) -> Result<bool, ConnectionError> {
        if !self.peer_closed && error.kind() != io::ErrorKind::BrokenPipe {
            return Err(error.into());
        }
        self.begin_end(Ended::ByPeer);
        self.peer_gone = true;
        Ok(true)
    }

    /// Reads once. Returns true if anything arrived.
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Result<bool, ConnectionError> {
        if self.peer_closed {
            return Ok(false);
        }
        match self.demux.poll_fill(&mut self.connection.stream, cx) {
            Poll::Pending => Ok(false),
            Poll::Ready(Err(error)) => Err(error.into()),
            Poll::Ready(Ok(0)) => {
                self.demux.check_end()?;
                self.peer_closed = true;
                self.connection.calls.close();
                self.begin_end(Ended::ByPeer);
                Ok(true)
            }
            Poll::Ready(Ok(_)) => Ok(true),
        }
    }

    fn begin_end(&mut self, ended: Ended) {
        if self.end.is_none() {
            self.end = Some((ended, Box::pin(sleep(self.connection.limits.linger))));
        }
    }

    /// Returns how the connection ends, once there is nothing left to wait for.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Option<Ended> {
        let (ended, linger) = self.end.as_mut()?;
        let under_way = self.requests.under_way();
        if self.peer_gone || (under_way == 0 && self.outbox.is_empty()) {
            return Some(*ended);
        }
        if linger.as_mut().poll(cx).is_pending() {
            return None;
        }
        tracing::warn!(
            under_way,
            unsent = self.outbox.len(),
            "connection ended with requests in progress"
        );
        Some(*ended)
    }
}
