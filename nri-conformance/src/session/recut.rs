//! Splits messages into frames in other ways than the connection that sends them.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use nri::__private::wire::{FRAME_HEADER_LEN, FrameHeader, MESSAGE_HEADER_LEN};
use nri::wire::MAX_FRAME;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A way to split messages into frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// As few frames as possible: header and data in one frame, and also several messages if they are sent together.
    Whole,
    /// Frames of at most this many bytes.
    Pieces(usize),
    /// Each byte of the first message header in its own frame, the rest in one frame.
    HeaderBytes,
    /// Frames of at most this many bytes, with an empty frame after each.
    WithEmptyFrames(usize),
}

impl Cut {
    /// Returns the bytes of messages of one logical connection as frames.
    fn frames(self, connection: u32, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 64);
        match self {
            Self::Whole => put_pieces(&mut out, connection, bytes, MAX_FRAME),
            Self::Pieces(size) => put_pieces(&mut out, connection, bytes, size),
            Self::HeaderBytes => {
                let (header, rest) = bytes.split_at(bytes.len().min(MESSAGE_HEADER_LEN));
                put_pieces(&mut out, connection, header, 1);
                put_pieces(&mut out, connection, rest, MAX_FRAME);
            }
            Self::WithEmptyFrames(size) => {
                for piece in bytes.chunks(size.max(1)) {
                    put(&mut out, connection, piece);
                    put(&mut out, connection, &[]);
                }
            }
        }
        out
    }
}

fn put_pieces(out: &mut Vec<u8>, connection: u32, bytes: &[u8], size: usize) {
    for piece in bytes.chunks(size.clamp(1, MAX_FRAME)) {
        put(out, connection, piece);
    }
}

fn put(out: &mut Vec<u8>, connection: u32, payload: &[u8]) {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    out.extend(FrameHeader { connection, length }.encode());
    out.extend(payload);
}

/// A stream that splits the data of the frames written to it into other frames.
#[derive(Debug)]
pub(crate) struct Recut<S> {
    stream: S,
    cut: Cut,
    /// The bytes of incomplete frames.
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
    written: usize,
}

impl<S> Recut<S> {
    /// Wraps a stream and splits the data of the frames written to it into other frames.
    pub(crate) fn new(stream: S, cut: Cut) -> Self {
        Recut {
            stream,
            cut,
            incoming: Vec::new(),
            outgoing: Vec::new(),
            written: 0,
        }
    }

    /// Splits the joined payloads of consecutive complete frames of a connection into other frames.
    fn recut(&mut self) {
        let mut taken = 0;
        let mut run: Option<(u32, Vec<u8>)> = None;
        while let Some((connection, payload)) = first_frame(&self.incoming[taken..]) {
            taken += FRAME_HEADER_LEN + payload.len();
            match &mut run {
                Some((of, bytes)) if *of == connection => bytes.extend(payload),
                other => {
                    if let Some((of, bytes)) = other.take() {
                        self.outgoing.extend(self.cut.frames(of, &bytes));
                    }
                    *other = Some((connection, payload.to_vec()));
                }
            }
        }
        if let Some((of, bytes)) = run {
            self.outgoing.extend(self.cut.frames(of, &bytes));
        }
        self.incoming.drain(..taken);
    }
}

/// Returns the connection and the payload of the first frame, if it is complete.
fn first_frame(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (header, rest) = bytes.split_first_chunk::<FRAME_HEADER_LEN>()?;
    let header = FrameHeader::decode(*header);
    let payload = rest.get(..usize::try_from(header.length).ok()?)?;
    Some((header.connection, payload))
}

impl<S: AsyncWrite + Unpin> Recut<S> {
    fn poll_drain(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.outgoing.len() {
            let rest = &self.outgoing[self.written..];
            let count = ready!(Pin::new(&mut self.stream).poll_write(cx, rest))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.written += count;
        }
        self.outgoing.clear();
        self.written = 0;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Recut<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Recut<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_drain(cx))?;
        self.incoming.extend(bytes);
        self.recut();
        // The next call or the flush writes the bytes that cannot be written now.
        if let Poll::Ready(Err(error)) = self.poll_drain(cx) {
            return Poll::Ready(Err(error));
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_drain(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_drain(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payloads(mut frames: &[u8]) -> Vec<Vec<u8>> {
        let mut payloads = Vec::new();
        while let Some((connection, payload)) = first_frame(frames) {
            assert_eq!(connection, 1);
            payloads.push(payload.to_vec());
            frames = &frames[FRAME_HEADER_LEN + payload.len()..];
        }
        assert!(frames.is_empty());
        payloads
    }

    #[test]
    fn each_cut_keeps_the_bytes() {
        let message: Vec<u8> = (0..50).collect();
        for (cut, frames) in [
            (Cut::Whole, 1),
            (Cut::Pieces(7), 8),
            (Cut::HeaderBytes, 11),
            (Cut::WithEmptyFrames(25), 4),
        ] {
            let payloads = payloads(&cut.frames(1, &message));
            assert_eq!(
                (payloads.len(), payloads.concat()),
                (frames, message.clone()),
                "{cut:?}"
            );
        }
    }

    #[tokio::test]
    async fn frames_are_recut_regardless_of_how_they_are_written() {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let mut written = Vec::new();
        put(&mut written, 1, &[1; 10]);
        put(&mut written, 1, &[2; 30]);
        let (ours, mut theirs) = tokio::io::duplex(8);
        let mut recut = Recut::new(ours, Cut::Pieces(16));
        let writing = tokio::spawn(async move {
            for piece in written.chunks(11) {
                recut.write_all(piece).await.unwrap();
            }
            recut.flush().await.unwrap();
        });
        let mut read = Vec::new();
        theirs.read_to_end(&mut read).await.unwrap();
        writing.await.unwrap();
        assert_eq!(
            payloads(&read).concat(),
            [[1; 10].as_slice(), &[2; 30]].concat()
        );
    }
}
