//! From messages to bytes: cut into frames that a Go peer can read, and sent in one write.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::AsyncWrite;

use super::frame::{FRAME_HEADER_LEN, FrameHeader, GO_READ_BUFFER};
use super::frame::{Kind, MESSAGE_HEADER_LEN, MessageHeader};
use super::limits::MAX_MESSAGE;
use crate::codec::Message;

/// The number of bytes of an empty buffer that are kept. The rest is freed, because a runtime has a
/// buffer per plugin.
const MAX_KEPT_BUFFER: usize = 16 << 10;

/// A message larger than the protocol allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("message of {size} bytes, at most {max} can be sent")]
pub struct TooLarge {
    /// The size in bytes.
    pub size: usize,
    /// Largest size in bytes.
    pub max: usize,
}

/// Encoded messages that the peer has not read yet.
#[derive(Debug, Default)]
pub struct Outbox {
    bytes: Vec<u8>,
    taken: usize,
    unflushed: bool,
}

impl Outbox {
    /// Encodes a message: as one frame if header and data are at most `GO_READ_BUFFER` bytes, else
    /// the ttrpc header as one frame and the data as another.
    ///
    /// # Errors
    ///
    /// Returns [`TooLarge`] if the data exceed [`MAX_MESSAGE`]. Nothing is added then.
    pub fn push(
        &mut self,
        connection: u32,
        kind: Kind,
        stream: u32,
        data: &impl Message,
    ) -> Result<(), TooLarge> {
        let size = data.encoded_len();
        let length = match u32::try_from(size) {
            Ok(length) if size <= MAX_MESSAGE => length,
            _ => {
                return Err(TooLarge { size, max: MAX_MESSAGE });
            }
        };
        let header = MessageHeader { length, stream, kind, flags: 0 };
        self.bytes.reserve(2 * FRAME_HEADER_LEN + MESSAGE_HEADER_LEN + size);
        if MESSAGE_HEADER_LEN + size <= GO_READ_BUFFER {
            self.put_frame_header(connection, MESSAGE_HEADER_LEN as u32 + length);
            self.bytes.extend_from_slice(&header.encode());
        } else {
            self.put_frame_header(connection, MESSAGE_HEADER_LEN as u32);
            self.bytes.extend_from_slice(&header.encode());
            self.put_frame_header(connection, length);
        }
        data.encode(&mut self.bytes);
        Ok(())
    }

    fn put_frame_header(&mut self, connection: u32, length: u32) {
        self.bytes.extend_from_slice(&FrameHeader { connection, length }.encode());
    }

    /// Returns how many bytes have not been written yet.
    pub fn len(&self) -> usize {
        self.bytes().len()
    }

    /// Returns true if everything has been written and flushed.
    pub fn is_empty(&self) -> bool {
        self.bytes().is_empty() && !self.unflushed
    }

    /// Returns the bytes that have not been written yet.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    /// Writes until nothing is left.
    ///
    /// # Errors
    ///
    /// Returns the errors of the stream.
    pub fn poll_drain<S>(&mut self, stream: &mut S, cx: &mut Context<'_>) -> Poll<io::Result<()>>
    where
        S: AsyncWrite + Unpin,
    {
        while !self.bytes().is_empty() {
            let count = ready!(Pin::new(&mut *stream).poll_write(cx, self.bytes()))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.take(count);
        }
        if self.unflushed {
            ready!(Pin::new(stream).poll_flush(cx))?;
            self.unflushed = false;
        }
        Poll::Ready(Ok(()))
    }

    /// Drops `count` written bytes, and frees their memory when that is worthwhile.
    fn take(&mut self, count: usize) {
        self.taken += count;
        self.unflushed = true;
        if self.bytes().is_empty() {
            self.bytes.clear();
            self.bytes.shrink_to(MAX_KEPT_BUFFER);
            self.taken = 0;
        } else if self.taken > self.bytes.len() / 2 {
            self.bytes.drain(..self.taken);
            self.taken = 0;
        }
    }
}

#[cfg(test)]
mod tests;
