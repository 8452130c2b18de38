//! From bytes to messages: takes mux frames apart and assembles ttrpc messages, however they are
//! cut.

use std::io;
use std::pin::pin;
use std::task::{Context, Poll};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::error::ConnectionError;
use super::frame::{FRAME_HEADER_LEN, FrameHeader, MESSAGE_HEADER_LEN, MessageHeader};
use super::limits::{MAX_FRAME, MAX_MESSAGE};

/// Size in bytes of the read buffer, and of the first buffer of a message that arrives in pieces.
const READ_BUFFER: usize = 16 << 10;

/// Buffers with less free space than this are replaced.
const MIN_READ: usize = 4 << 10;

/// A ttrpc message that has arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Logical connection on which it arrived.
    pub connection: u32,
    /// The header of the message.
    pub header: MessageHeader,
    /// The data of the message; not copied if the message arrived in one piece.
    pub data: Bytes,
}

/// Takes mux frames apart and assembles ttrpc messages.
///
/// Holds one read buffer and, per logical connection, the beginning of an incomplete message.
/// Buffers grow with the bytes that arrive, never by what a header announces.
#[derive(Debug)]
pub struct Demux {
    buffer: BytesMut,
    frame: Option<OpenFrame>,
    channels: [Channel; 2],
}

/// A frame whose payload has not been read completely.
#[derive(Debug)]
struct OpenFrame {
    /// Index of the channel; `None` for an unknown connection id.
    channel: Option<usize>,
    left: usize,
}

impl Demux {
    /// Creates a demultiplexer for two connection ids. Frames for others are dropped.
    pub fn new(connections: [u32; 2]) -> Self {
        Self {
            buffer: BytesMut::new(),
            frame: None,
            channels: connections.map(|id| Channel { id, partial: BytesMut::new() }),
        }
    }

    /// Adds bytes that the caller has read.
    pub fn extend(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Reads once from the stream and returns the number of bytes; 0 means that the peer has closed
    /// its side.
    ///
    /// The rest of a long message is read directly into its buffer, anything else into the read
    /// buffer. All complete messages must have been taken with [`Demux::next_message`] before.
    ///
    /// # Errors
    ///
    /// Returns the errors of the stream.
    pub fn poll_fill<S>(&mut self, stream: &mut S, cx: &mut Context<'_>) -> Poll<io::Result<usize>>
    where
        S: AsyncRead + Unpin,
    {
        let Some((partial, missing)) = self.unfinished() else {
            reserve(&mut self.buffer, READ_BUFFER);
            return poll_read(stream, &mut self.buffer, cx);
        };
        let read = poll_read(stream, &mut partial.limit(missing), cx);
        if let (Poll::Ready(Ok(count)), Some(frame)) = (&read, &mut self.frame) {
            frame.left -= count;
        }
        read
    }

    /// Returns the buffer of an incomplete message that the next bytes belong to, with free space,
    /// and how many of the next bytes belong to it.
    fn unfinished(&mut self) -> Option<(&mut BytesMut, usize)> {
        if !self.buffer.is_empty() {
            return None;
        }
        let frame = self.frame.as_ref()?;
        let channel = self.channels.get_mut(frame.channel?)?;
        let missing = channel.missing()?.min(frame.left);
        if missing == 0 {
            return None;
        }
        reserve(&mut channel.partial, missing);
        Some((&mut channel.partial, missing))
    }

    /// Returns the next complete message, or `None` if more bytes are needed.
    ///
    /// # Errors
    ///
    /// Returns [`ConnectionError::FrameTooLarge`] or [`ConnectionError::MessageTooLarge`] as soon
    /// as the header has arrived. The stream cannot be read any further then.
    pub fn next_message(&mut self) -> Result<Option<Message>, ConnectionError> {
        loop {
            let Some(frame) = &mut self.frame else {
                match self.next_frame()? {
                    Some(frame) => self.frame = Some(frame),
                    None => return Ok(None),
                }
                continue;
            };
            let channel = frame.channel.and_then(|index| self.channels.get_mut(index));
            let message = match channel {
                Some(channel) => channel.take(&mut self.buffer, &mut frame.left)?,
                None => {
                    skip(&mut self.buffer, &mut frame.left);
                    None
                }
            };
            let frame_ended = frame.left == 0;
            if frame_ended {
                self.frame = None;
            }
            if message.is_some() || !frame_ended {
                return Ok(message);
            }
        }
    }

    fn next_frame(&mut self) -> Result<Option<OpenFrame>, ConnectionError> {
        let Some(bytes) = self.buffer.first_chunk::<FRAME_HEADER_LEN>() else {
            return Ok(None);
        };
        let header = FrameHeader::decode(*bytes);
        let (connection, length) = (header.connection, header.length as usize);
        if length > MAX_FRAME {
            return Err(ConnectionError::FrameTooLarge { connection, length, max: MAX_FRAME });
        }
        self.buffer.advance(FRAME_HEADER_LEN);
        let channel = self.channels.iter().position(|channel| channel.id == connection);
        if channel.is_none() {
            tracing::debug!(connection, length, "dropped a frame for an unknown connection id");
        }
        Ok(Some(OpenFrame { channel, left: length }))
    }

    /// Checks that the stream may end here.
    ///
    /// # Errors
    ///
    /// Returns [`ConnectionError::Truncated`] if a frame or message is incomplete.
    pub fn check_end(&self) -> Result<(), ConnectionError> {
        let part = if self.frame.is_some() {
            "frame"
        } else if !self.buffer.is_empty() {
            "frame header"
        } else if self.channels.iter().any(|channel| !channel.partial.is_empty()) {
            "message"
        } else {
            return Ok(());
        };
        Err(ConnectionError::Truncated(part))
    }

    /// Returns the size of all buffers in bytes.
    pub fn held(&self) -> usize {
        let partial: usize = self.channels.iter().map(|channel| channel.partial.capacity()).sum();
        self.buffer.capacity() + partial
    }
}

/// One logical connection, with the beginning of an incomplete message.
#[derive(Debug)]
struct Channel {
    id: u32,
    partial: BytesMut,
}

impl Channel {
    /// Takes at most `left` bytes from `buffer` for the next message. Returns the message if it is
    /// complete.
    fn take(
        &mut self,
        buffer: &mut BytesMut,
        left: &mut usize,
    ) -> Result<Option<Message>, ConnectionError> {
        if self.partial.is_empty()
            && let Some(header) = self.header(&buffer[..buffer.len().min(*left)])?
        {
            let total = message_len(header);
            if total <= buffer.len().min(*left) {
                *left -= total;
                return Ok(Some(self.message(header, buffer.split_to(total))));
            }
        }
        self.append(MESSAGE_HEADER_LEN, buffer, left);
        let Some(header) = self.header(&self.partial)? else {
            return Ok(None);
        };
        self.append(message_len(header), buffer, left);
        if self.partial.len() < message_len(header) {
            return Ok(None);
        }
        let bytes = std::mem::take(&mut self.partial);
        Ok(Some(self.message(header, bytes)))
    }

    /// Moves bytes into the incomplete message until it has `target` bytes or there are no more.
    fn append(&mut self, target: usize, buffer: &mut BytesMut, left: &mut usize) {
        let count = target.saturating_sub(self.partial.len()).min(*left).min(buffer.len());
        self.partial.extend_from_slice(&buffer.split_to(count));
        *left -= count;
    }

    /// Returns the header at the start of `bytes`, if it is complete.
    fn header(&self, bytes: &[u8]) -> Result<Option<MessageHeader>, ConnectionError> {
        let Some(bytes) = bytes.first_chunk() else {
            return Ok(None);
        };
        let header = MessageHeader::decode(*bytes);
        if header.length as usize > MAX_MESSAGE {
            return Err(ConnectionError::MessageTooLarge {
                connection: self.id,
                stream: header.stream,
                length: header.length as usize,
                max: MAX_MESSAGE,
            });
        }
        Ok(Some(header))
    }

    /// Returns how many bytes the incomplete message lacks, if its header is complete.
    fn missing(&self) -> Option<usize> {
        let header = MessageHeader::decode(*self.partial.first_chunk()?);
        message_len(header).checked_sub(self.partial.len())
    }

    fn message(&self, header: MessageHeader, mut bytes: BytesMut) -> Message {
        bytes.advance(MESSAGE_HEADER_LEN);
        Message { connection: self.id, header, data: bytes.freeze() }
    }
}

fn message_len(header: MessageHeader) -> usize {
    MESSAGE_HEADER_LEN + header.length as usize
}

fn skip(buffer: &mut BytesMut, left: &mut usize) {
    let count = buffer.len().min(*left);
    buffer.advance(count);
    *left -= count;
}

/// Makes free space to read into if there is little. Reuses memory that no message refers to any
/// more.
///
/// Doubles the buffer, so a long message costs at most another copy of itself, and a peer that
/// announces much but sends little makes us hold little.
fn reserve(buffer: &mut BytesMut, wanted: usize) {
    if buffer.capacity() - buffer.len() < MIN_READ {
        buffer.reserve(wanted.min(buffer.len().max(READ_BUFFER)));
    }
}

fn poll_read<S, B>(stream: &mut S, buffer: &mut B, cx: &mut Context<'_>) -> Poll<io::Result<usize>>
where
    S: AsyncRead + Unpin,
    B: BufMut,
{
    // The future has no state of its own, so nothing is lost when it is dropped while pending.
    pin!(stream.read_buf(buffer)).poll(cx)
}

#[cfg(test)]
mod tests;
