//! Forwards bytes between a plugin and the runtime, and records them after forwarding.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::frame::{Closer, Party};
use super::recorder::Tap;

/// The maximum number of bytes that are read at once.
const BUFFER_BYTES: usize = 64 << 10;

/// Both directions of a forwarded connection. One task serves both, so that an answer is never recorded before its
/// request.
pub(super) struct Tunnel<P, R> {
    plugin: P,
    runtime: R,
    from_plugin: Pipe,
    from_runtime: Pipe,
    tap: Option<Tap>,
}

/// One direction.
struct Pipe {
    by: Party,
    buffer: Box<[u8]>,
    filled: usize,
    written: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Bytes may arrive.
    Open,
    /// The sender has closed its side, and the receiver has not been informed yet.
    Ending,
    /// The receiver has been informed.
    Ended,
}

impl<P, R> Tunnel<P, R>
where
    P: AsyncRead + AsyncWrite + Unpin,
    R: AsyncRead + AsyncWrite + Unpin,
{
    /// Creates a tunnel, which only forwards if there is no tap.
    pub(super) fn new(plugin: P, runtime: R, tap: Option<Tap>) -> Self {
        Tunnel {
            plugin,
            runtime,
            from_plugin: Pipe::new(Party::Plugin),
            from_runtime: Pipe::new(Party::Runtime),
            tap,
        }
    }

    /// Forwards until both ends have closed their sides, one end is lost, or `stop` completes. Records which end closed
    /// the connection.
    pub(super) async fn run(mut self, stop: impl Future<Output = ()>) {
        let mut first = None;
        let outcome = tokio::select! {
            outcome = std::future::poll_fn(|cx| self.poll(cx, &mut first)) => Some(outcome),
            () = stop => None,
        };
        let Some(tap) = self.tap.take() else { return };
        match outcome {
            None => tap.closed(Closer::Recorder, None),
            Some(Ok(())) => tap.closed(first.map_or(Closer::Recorder, closer), None),
            Some(Err((by, error))) => tap.closed(closer(by), Some(error.to_string())),
        }
    }

    /// Moves bytes in both directions. `first` becomes the end that closed its side first.
    fn poll(
        &mut self,
        cx: &mut Context<'_>,
        first: &mut Option<Party>,
    ) -> Poll<Result<(), (Party, io::Error)>> {
        let Tunnel {
            plugin,
            runtime,
            from_plugin,
            from_runtime,
            tap,
        } = self;
        let to_plugin = from_runtime.poll(cx, runtime, plugin, tap.as_mut())?;
        let to_runtime = from_plugin.poll(cx, plugin, runtime, tap.as_mut())?;
        for pipe in [from_runtime, from_plugin] {
            if pipe.state != State::Open {
                first.get_or_insert(pipe.by);
            }
        }
        ready!(to_plugin);
        ready!(to_runtime);
        Poll::Ready(Ok(()))
    }
}

impl Pipe {
    fn new(by: Party) -> Self {
        Pipe {
            by,
            buffer: vec![0; BUFFER_BYTES].into(),
            filled: 0,
            written: 0,
            state: State::Open,
        }
    }

    /// Moves bytes until there are no more, or the receiver does not read.
    fn poll(
        &mut self,
        cx: &mut Context<'_>,
        from: &mut (impl AsyncRead + Unpin),
        to: &mut (impl AsyncWrite + Unpin),
        mut tap: Option<&mut Tap>,
    ) -> Poll<Result<(), (Party, io::Error)>> {
        loop {
            ready!(self.poll_write(cx, to))?;
            if let Some(tap) = &mut tap
                && self.filled > 0
            {
                tap.data(self.by, &self.buffer[..self.filled]);
            }
            (self.filled, self.written) = (0, 0);
            match self.state {
                State::Open => ready!(self.poll_read(cx, from))?,
                State::Ending => {
                    ready!(Pin::new(&mut *to).poll_shutdown(cx))
                        .or_else(ignore_gone)
                        .map_err(|error| (self.by.peer(), error))?;
                    self.state = State::Ended;
                }
                State::Ended => return Poll::Ready(Ok(())),
            }
        }
    }

    fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        from: &mut (impl AsyncRead + Unpin),
    ) -> Poll<Result<(), (Party, io::Error)>> {
        let mut buffer = ReadBuf::new(&mut self.buffer);
        let by = self.by;
        ready!(Pin::new(from).poll_read(cx, &mut buffer)).map_err(|error| (by, error))?;
        self.filled = buffer.filled().len();
        if self.filled == 0 {
            self.state = State::Ending;
        }
        Poll::Ready(Ok(()))
    }

    fn poll_write(
        &mut self,
        cx: &mut Context<'_>,
        to: &mut (impl AsyncWrite + Unpin),
    ) -> Poll<Result<(), (Party, io::Error)>> {
        let receiver = self.by.peer();
        while self.written < self.filled {
            let unwritten = &self.buffer[self.written..self.filled];
            let count = ready!(Pin::new(&mut *to).poll_write(cx, unwritten))
                .map_err(|error| (receiver, error))?;
            if count == 0 {
                return Poll::Ready(Err((receiver, io::ErrorKind::WriteZero.into())));
            }
            self.written += count;
        }
        Pin::new(to)
            .poll_flush(cx)
            .map_err(|error| (receiver, error))
    }
}

/// Ignores the error of a socket whose peer is already gone.
fn ignore_gone(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotConnected {
        return Ok(());
    }
    Err(error)
}

fn closer(party: Party) -> Closer {
    match party {
        Party::Runtime => Closer::Runtime,
        Party::Plugin => Closer::Plugin,
    }
}
