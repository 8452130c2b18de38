//! A stream whose bytes are recorded.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// An end of a connection.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Party {
    /// The container runtime.
    Runtime,
    /// The plugin.
    Plugin,
}

impl Party {
    /// Returns the other end.
    pub fn peer(self) -> Self {
        match self {
            Party::Runtime => Party::Plugin,
            Party::Plugin => Party::Runtime,
        }
    }
}

/// A stream whose bytes are passed to a function with their sender.
#[derive(Debug)]
pub(crate) struct Tapped<S, F> {
    stream: S,
    peer: Party,
    record: F,
}

impl<S, F: FnMut(Party, &[u8])> Tapped<S, F> {
    /// Wraps a stream from which the data of `peer` is read.
    pub(crate) fn new(stream: S, peer: Party, record: F) -> Self {
        Tapped { stream, peer, record }
    }
}

impl<S, F> AsyncRead for Tapped<S, F>
where
    S: AsyncRead + Unpin,
    F: FnMut(Party, &[u8]) + Unpin,
{
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        let peer = self.peer;
        (self.record)(peer, &buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl<S, F> AsyncWrite for Tapped<S, F>
where
    S: AsyncWrite + Unpin,
    F: FnMut(Party, &[u8]) + Unpin,
{
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes))?;
        let writer = self.peer.peer();
        (self.record)(writer, &bytes[..written]);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
