//! Splits messages into frames in other ways than the connection that sends them.

use nri::__private::wire::{Demux, FrameHeader, MESSAGE_HEADER_LEN};
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

/// Returns a stream whose messages arrive at another stream in other frames.
pub(crate) fn recut(stream: impl Stream + 'static, cut: Cut) -> DuplexStream {
    let (ours, theirs) = duplex(PIPE_BYTES);
    let (mut from, mut to) = split(stream);
    let (mut written, mut back) = split(theirs);
    tokio::spawn(async move {
        let mut demux = Demux::new([1, 2]);
        let mut bytes = Vec::with_capacity(PIPE_BYTES);
        while let Ok(1..) = written.read_buf(&mut bytes).await {
            demux.extend(&bytes);
            bytes.clear();
            for (connection, messages) in arrived(&mut demux) {
                let frames = cut.frames(connection, &messages);
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

/// Returns the bytes of the complete messages, consecutive ones of a logical connection together.
fn arrived(demux: &mut Demux) -> Vec<(u32, Vec<u8>)> {
    let mut arrived: Vec<(u32, Vec<u8>)> = Vec::new();
    while let Ok(Some(message)) = demux.next_message() {
        if arrived
            .last()
            .is_none_or(|(of, _)| *of != message.connection)
        {
            arrived.push((message.connection, Vec::new()));
        }
        if let Some((_, bytes)) = arrived.last_mut() {
            bytes.extend(message.header.encode());
            bytes.extend(&message.data);
        }
    }
    arrived
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
        let header = MessageHeader {
            length: 40,
            stream: 1,
            kind: Kind::Request,
            flags: 0,
        };
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
