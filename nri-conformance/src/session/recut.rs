//! Splits messages into frames in other ways than the connection that sends them.

use nri::__private::wire::{Demux, FrameHeader, MESSAGE_HEADER_LEN};
use nri::wire::{Channels, MAX_FRAME};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, copy, duplex, split};

use crate::subject::Stream;

/// The maximum number of bytes in flight: more than the largest message.
const PIPE_BYTES: usize = 8 << 20;

/// A way to split messages into frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// As few frames as possible: header and data of a message in one frame.
    Whole,
    /// Frames of at most this many bytes.
    Pieces(usize),
    /// Each byte of the first message header in its own frame, the rest in one frame.
    HeaderBytes,
    /// Frames of at most this many bytes, with an empty frame after each.
    WithEmptyFrames(usize),
}

impl Cut {
    /// Returns the bytes of a message of a logical connection as frames.
    fn frames(self, connection: u32, bytes: &[u8]) -> Vec<u8> {
        let (count, size) = match self {
            Self::Whole => (0, MAX_FRAME),
            Self::Pieces(size) | Self::WithEmptyFrames(size) => (0, size.clamp(1, MAX_FRAME)),
            Self::HeaderBytes => (MESSAGE_HEADER_LEN.min(bytes.len()), MAX_FRAME),
        };
        let (singles, rest) = bytes.split_at(count);
        let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 64);
        for piece in singles.chunks(1).chain(rest.chunks(size)) {
            put(&mut out, connection, piece);
            if matches!(self, Self::WithEmptyFrames(_)) {
                put(&mut out, connection, &[]);
            }
        }
        out
    }
}

fn put(out: &mut Vec<u8>, connection: u32, payload: &[u8]) {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    out.extend(FrameHeader { connection, length }.encode());
    out.extend(payload);
}

/// Returns a stream whose messages arrive at another stream in other frames.
pub(crate) fn recut(stream: impl Stream + 'static, cut: Cut) -> DuplexStream {
    let (ours, theirs) = duplex(PIPE_BYTES);
    let (mut from, mut to) = split(stream);
    let (mut written, mut back) = split(theirs);
    tokio::spawn(async move {
        let mut demux = Demux::new(Channels::PLUGIN.ids());
        let mut bytes = Vec::with_capacity(PIPE_BYTES);
        while let Ok(1..) = written.read_buf(&mut bytes).await {
            demux.extend(&bytes);
            bytes.clear();
            while let Ok(Some(message)) = demux.next_message() {
                let whole = [&message.header.encode()[..], &message.data].concat();
                let frames = cut.frames(message.connection, &whole);
                if to.write_all(&frames).await.is_err() || to.flush().await.is_err() {
                    return;
                }
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

#[cfg(test)]
mod tests {
    use super::*;
    use nri::__private::wire::{FRAME_HEADER_LEN, Kind, MessageHeader};

    fn payloads(mut frames: &[u8]) -> Vec<&[u8]> {
        let mut payloads = Vec::new();
        while let Some((header, rest)) = frames.split_first_chunk::<FRAME_HEADER_LEN>() {
            let header = FrameHeader::decode(*header);
            assert_eq!(header.connection, 1);
            let (payload, rest) = rest.split_at(header.length as usize);
            payloads.push(payload);
            frames = rest;
        }
        payloads
    }

    #[tokio::test]
    async fn each_cut_keeps_the_bytes_regardless_of_how_they_are_written() {
        let header = MessageHeader { length: 40, stream: 1, kind: Kind::Request, flags: 0 };
        let message = [&header.encode()[..], &[7; 40]].concat();
        let written = Cut::Pieces(9).frames(1, &message);
        for (cut, frames) in [
            (Cut::Whole, 1),
            (Cut::Pieces(7), 8),
            (Cut::HeaderBytes, 11),
            (Cut::WithEmptyFrames(25), 4),
        ] {
            let (ours, mut theirs) = duplex(8);
            let mut recut = recut(ours, cut);
            for piece in written.chunks(11) {
                recut.write_all(piece).await.unwrap();
            }
            drop(recut);
            let mut read = Vec::new();
            theirs.read_to_end(&mut read).await.unwrap();
            let payloads = payloads(&read);
            assert_eq!(payloads.len(), frames, "{cut:?}");
            assert_eq!(payloads.concat(), message, "{cut:?}");
        }
    }
}
