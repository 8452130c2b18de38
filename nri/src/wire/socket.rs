//! A Unix socket that is not woken each time the peer has read.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use socket2::SockRef;
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::UnixStream;

// Its replacement of tokio 1.54 is unsafe, for the sake of types whose descriptor changes while it
// is registered. A socket is none of these.
#[allow(deprecated)]
fn register(stream: StdUnixStream, interest: Interest) -> io::Result<AsyncFd<StdUnixStream>> {
    AsyncFd::with_interest(stream, interest)
}

/// The number of bytes read at once.
const SCRATCH_BYTES: usize = 64 << 10;

thread_local! {
    /// The buffer that this thread reads into. Sockets share it, because a thousand idle plugins
    /// would otherwise keep a thousand buffers.
    static SCRATCH: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Calls a function with the buffer of this thread. Uses a new buffer while the thread ends.
fn with_scratch<T>(read: impl FnOnce(&mut [u8]) -> T) -> T {
    let mut scratch = SCRATCH.try_with(Cell::take).unwrap_or_default();
    scratch.resize(SCRATCH_BYTES, 0);
    let result = read(&mut scratch);
    let _ = SCRATCH.try_with(|kept| kept.set(scratch));
    result
}

/// A connected Unix socket, for low latency.
///
/// [`UnixStream`] waits for reading and writing at once. Whenever the peer takes a message out of
/// the socket, the kernel wakes the sender because there is room again, although it waits for the
/// answer: one switch between processes per message for nothing. This socket waits for writing only
/// while the peer does not read.
pub struct Socket {
    read: AsyncFd<StdUnixStream>,
    /// A second descriptor to wait for writing with, while the peer does not read.
    write: Option<AsyncFd<StdUnixStream>>,
}

impl Socket {
    /// Takes over a connected socket.
    ///
    /// # Errors
    ///
    /// Returns the error of registering it.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with I/O enabled.
    pub fn new(stream: UnixStream) -> io::Result<Self> {
        let stream = stream.into_std()?;
        Ok(Socket { read: register(stream, Interest::READABLE)?, write: None })
    }

    /// Waits until the peer has read.
    fn poll_room(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let write = match &mut self.write {
            Some(write) => write,
            none => {
                let stream = self.read.get_ref().try_clone()?;
                none.insert(register(stream, Interest::WRITABLE)?)
            }
        };
        ready!(write.poll_write_ready(cx))?.clear_ready();
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = &self.get_mut().read;
        with_scratch(|scratch| poll_read(read, scratch, cx, buffer))
    }
}

fn poll_read(
    socket: &AsyncFd<StdUnixStream>,
    scratch: &mut [u8],
    cx: &mut Context<'_>,
    buffer: &mut ReadBuf<'_>,
) -> Poll<io::Result<()>> {
    let wanted = buffer.remaining().min(scratch.len());
    let scratch = scratch.get_mut(..wanted).unwrap_or_default();
    loop {
        let mut guard = ready!(socket.poll_read_ready(cx))?;
        match guard.try_io(|stream| stream.get_ref().read(scratch)) {
            Err(_would_block) => {}
            Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(read) => {
                let count = read?;
                // Less than there was room for: the socket is empty, no need to read again to learn
                // that.
                if 0 < count && count < wanted {
                    guard.clear_ready();
                }
                buffer.put_slice(&scratch[..count]);
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        loop {
            let socket = SockRef::from(this.read.get_ref());
            match socket.send_with_flags(bytes, libc::MSG_NOSIGNAL) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    ready!(this.poll_room(cx))?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                sent => {
                    this.write = None;
                    return Poll::Ready(sent);
                }
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.read.get_ref().shutdown(Shutdown::Write))
    }
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Socket").field("stream", self.read.get_ref()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    fn pair() -> (Socket, Socket) {
        let (one, other) = UnixStream::pair().unwrap();
        (Socket::new(one).unwrap(), Socket::new(other).unwrap())
    }

    #[tokio::test]
    async fn more_than_the_socket_holds_goes_both_ways() {
        let (mut one, mut other) = pair();
        let sent: Vec<u8> = (0..5_000_000u32).map(|n| n.to_le_bytes()[0]).collect();
        for _ in 0..2 {
            let mut got = vec![0; sent.len()];
            let (written, read) = tokio::join!(one.write_all(&sent), other.read_exact(&mut got));
            written.unwrap();
            read.unwrap();
            assert!(got == sent);
            assert!(one.write.is_none(), "it waits for reading only");
            std::mem::swap(&mut one, &mut other);
        }
    }

    #[tokio::test]
    async fn the_end_is_seen_and_writing_to_a_closed_socket_is_an_error() {
        let (mut one, mut other) = pair();
        one.write_all(b"last").await.unwrap();
        one.shutdown().await.unwrap();
        let mut got = Vec::new();
        other.read_to_end(&mut got).await.unwrap();
        assert_eq!(got, b"last");
        drop(one);
        let error = other.write_all(b"x").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
