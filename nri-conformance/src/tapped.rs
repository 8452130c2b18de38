//! A stream whose bytes are recorded.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A record of the bytes of a stream.
pub(crate) trait Record {
    /// Records bytes that were read from the stream.
    fn received(&self, bytes: &[u8]);

    /// Records bytes that were written to the stream.
    fn sent(&self, bytes: &[u8]);
}

/// A stream whose bytes are recorded.
#[derive(Debug)]
pub(crate) struct Tapped<S, R> {
    stream: S,
    record: R,
}

impl<S, R> Tapped<S, R> {
    /// Wraps a stream and records its bytes.
    pub(crate) fn new(stream: S, record: R) -> Self {
        Tapped { stream, record }
    }
}

impl<S: AsyncRead + Unpin, R: Record + Unpin> AsyncRead for Tapped<S, R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        self.record.received(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin, R: Record + Unpin> AsyncWrite for Tapped<S, R> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes))?;
        self.record.sent(&bytes[..written]);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
