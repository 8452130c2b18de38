//! Splits messages into frames in other ways than the connection that sends them.

use nri::__private::wire::{FRAME_HEADER_LEN, FrameHeader, MESSAGE_HEADER_LEN};
use nri::wire::MAX_FRAME;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, copy, duplex, split};

use crate::subject::Stream;

/// The maximum number of bytes in flight: more than the largest message.
const PIPE_BYTES: usize = 8 << 20;

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

    /// Takes the complete frames from the start of `bytes`, and returns the joined data of consecutive ones of a connection
    /// as other frames.
    fn complete(self, bytes: &mut Vec<u8>) -> Vec<u8> {
        let mut taken = 0;
        let mut out = Vec::new();
        let mut run: Option<(u32, Vec<u8>)> = None;
        while let Some((connection, payload)) = first_frame(&bytes[taken..]) {
            taken += FRAME_HEADER_LEN + payload.len();
            match &mut run {
                Some((of, joined)) if *of == connection => joined.extend(payload),
                other => {
                    if let Some((of, joined)) = other.replace((connection, payload.to_vec())) {
                        out.extend(self.frames(of, &joined));
                    }
                }
            }
        }
        if let Some((of, joined)) = run {
            out.extend(self.frames(of, &joined));
        }
        bytes.drain(..taken);
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

/// Returns a stream whose frames arrive at another stream with their data split in another way.
pub(crate) fn recut(stream: impl Stream + 'static, cut: Cut) -> DuplexStream {
    let (ours, theirs) = duplex(PIPE_BYTES);
    let (mut from, mut to) = split(stream);
    let (mut written, mut back) = split(theirs);
    tokio::spawn(async move {
        let mut bytes = Vec::with_capacity(PIPE_BYTES);
        while let Ok(1..) = written.read_buf(&mut bytes).await {
            let frames = cut.complete(&mut bytes);
            if to.write_all(&frames).await.is_err() || to.flush().await.is_err() {
                return;
            }
        }
        // The peer may be gone.
        let _ = to.shutdown().await;
    });
    tokio::spawn(async move {
        let _ = copy(&mut from, &mut back).await;
        let _ = back.shutdown().await;
    });
    ours
}

/// Returns the connection and the payload of the first frame, if it is complete.
fn first_frame(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (header, rest) = bytes.split_first_chunk::<FRAME_HEADER_LEN>()?;
    let header = FrameHeader::decode(*header);
    let payload = rest.get(..usize::try_from(header.length).ok()?)?;
    Some((header.connection, payload))
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
        let mut written = Vec::new();
        put(&mut written, 1, &[1; 10]);
        put(&mut written, 1, &[2; 30]);
        let (ours, mut theirs) = tokio::io::duplex(8);
        let mut recut = recut(ours, Cut::Pieces(16));
        for piece in written.chunks(11) {
            recut.write_all(piece).await.unwrap();
        }
        drop(recut);
        let mut read = Vec::new();
        theirs.read_to_end(&mut read).await.unwrap();
        assert_eq!(
            payloads(&read).concat(),
            [[1; 10].as_slice(), &[2; 30]].concat()
        );
    }
}
