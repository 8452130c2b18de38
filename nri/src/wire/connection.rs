//! The connection's task: reads, polls handlers in place, writes.

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

/// Which logical connection is for what, seen from our side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Channels {
    /// Connection id on which we answer the peer's requests.
    pub serve: u32,
    /// Connection id on which we call the peer.
    pub call: u32,
}

impl Channels {
    /// The same, seen from the other side.
    pub fn flipped(self) -> Self {
        Self {
            serve: self.call,
            call: self.serve,
        }
    }
}

/// How a connection came to its end without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The peer closed its side, between two messages.
    ByPeer,
    /// We were asked to shut down.
    ByShutdown,
}

/// A stream socket that carries calls in both directions.
///
/// Nothing happens until [`Connection::serve`] is polled; it does all the work, in the task that
/// polls it.
pub struct Connection<S> {
    stream: S,
    channels: Channels,
    limits: Limits,
    calls: Calls,
}

impl<S> fmt::Debug for Connection<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("channels", &self.channels)
            .finish_non_exhaustive()
    }
}

impl<S> Connection<S>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    /// A connection over a stream, and the handle to call the peer with.
    pub fn new(stream: S, channels: Channels, limits: Limits) -> (Self, Caller) {
        let (calls, caller) = Calls::new(channels.call, limits);
        (
            Self {
                stream,
                channels,
                limits,
                calls,
            },
            caller,
        )
    }

    /// Serves until the peer closes its side.
    ///
    /// # Errors
    ///
    /// [`ConnectionError`] when the stream fails or the peer breaks the protocol.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime that has its clock enabled.
    pub async fn serve(self, service: &impl Service) -> Result<Ended, ConnectionError> {
        self.serve_until(service, pending()).await
    }

    /// Serves until the peer closes its side or `shutdown` completes.
    ///
    /// Either way, requests under way may finish, for [`Limits::linger`] at most, and their answers are
    /// sent. After a shutdown requests that come in are dropped without an answer: the peer sees the
    /// connection close, which concerns this connection, instead of an error, which would concern
    /// its request. Handlers may still call the peer then.
    ///
    /// # Errors
    ///
    /// As [`Connection::serve`].
    ///
    /// # Panics
    ///
    /// As [`Connection::serve`].
    pub async fn serve_until(
        self,
        service: &impl Service,
        shutdown: impl Future<Output = ()>,
    ) -> Result<Ended, ConnectionError> {
        let mut driver = Driver {
            call: |request| service.call(request),
            requests: Requests::new(self.channels.serve, self.limits),
            demux: Demux::new([self.channels.serve, self.channels.call]),
            outbox: Outbox::default(),
            calls: self.calls,
            serve_id: self.channels.serve,
            stream: self.stream,
            limits: self.limits,
            end: None,
            peer_closed: false,
            peer_gone: false,
        };
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
    stream: S,
    limits: Limits,
    serve_id: u32,
    demux: Demux,
    outbox: Outbox,
    call: C,
    requests: Requests<F>,
    calls: Calls,
    /// Set once the end is near: why, and when what is under way is given up.
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
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Ended, ConnectionError>> {
        loop {
            let drained = self.take_messages()?;
            self.requests.poll(cx, &mut self.outbox);
            self.calls.poll(cx, &mut self.outbox)?;
            let held_back = self.outbox.len() > self.limits.unsent_bytes;
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

    /// Takes the messages that have come in; true when none is left.
    fn take_messages(&mut self) -> Result<bool, ConnectionError> {
        while self.outbox.len() <= self.limits.unsent_ceiling() {
            let Some(message) = self.demux.next_message()? else {
                return Ok(true);
            };
            if message.connection != self.serve_id {
                self.calls.receive(message);
            } else if self.end.is_none() {
                self.requests.receive(message, &self.call, &mut self.outbox);
            }
        }
        Ok(false)
    }

    /// Sends what is there to send; true when the peer has taken everything.
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Result<bool, ConnectionError> {
        match self.outbox.poll_drain(&mut self.stream, cx) {
            Poll::Pending => Ok(false),
            Poll::Ready(Ok(())) => Ok(true),
            Poll::Ready(Err(error)) => self.send_failed(error),
        }
    }

    /// A peer that has gone needs no answers: no error then.
    fn send_failed(&mut self, error: io::Error) -> Result<bool, ConnectionError> {
        if !self.peer_closed && error.kind() != io::ErrorKind::BrokenPipe {
            return Err(error.into());
        }
        self.begin_end(Ended::ByPeer);
        self.peer_gone = true;
        Ok(true)
    }

    /// Reads once; true when something came in.
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Result<bool, ConnectionError> {
        if self.peer_closed {
            return Ok(false);
        }
        match self.demux.poll_fill(&mut self.stream, cx) {
            Poll::Pending => Ok(false),
            Poll::Ready(Err(error)) => Err(error.into()),
            Poll::Ready(Ok(0)) => {
                self.demux.check_end()?;
                self.peer_closed = true;
                self.calls.close();
                self.begin_end(Ended::ByPeer);
                Ok(true)
            }
            Poll::Ready(Ok(_)) => Ok(true),
        }
    }

    fn begin_end(&mut self, ended: Ended) {
        if self.end.is_none() {
            self.end = Some((ended, Box::pin(sleep(self.limits.linger))));
        }
    }

    /// The end, when it is near and there is nothing left to wait for.
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
            "connection ended with requests under way"
        );
        Some(*ended)
    }
}
