//! From bytes to messages: mux frames taken apart, ttrpc messages put together, however cut.

use std::io;
use std::pin::pin;
use std::task::{Context, Poll};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::error::{ConnectionError, Part};
use super::frame::{FRAME_HEADER_LEN, FrameHeader, MESSAGE_HEADER_LEN, MessageHeader};
use super::limits::{MAX_FRAME, MAX_MESSAGE};

/// Bytes of the read buffer, and of the first piece of a message that is cut.
const READ_BUFFER: usize = 16 << 10;

/// Buffers with less room than this are renewed.
const MIN_READ: usize = 4 << 10;

/// A ttrpc message as it came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Logical connection it came on.
    pub connection: u32,
    /// Its header.
    pub header: MessageHeader,
    /// Its data, uncopied where the message came in one piece.
    pub data: Bytes,
}

/// Takes mux frames apart and puts ttrpc messages together.
///
/// Holds one read buffer and, for each of the two logical connections, the beginning of a message
/// that is not complete. Buffers grow with the bytes that have come, never by what a header announces.
#[derive(Debug)]
pub struct Demux {
    buffer: BytesMut,
    frame: Option<OpenFrame>,
    channels: [Channel; 2],
}

/// A frame whose payload has not been read to its end.
#[derive(Debug)]
struct OpenFrame {
    /// Index of the channel; `None` for a connection id that nobody listens on.
    channel: Option<usize>,
    left: usize,
}

impl Demux {
    /// A demultiplexer that listens on two connection ids and drops what comes on others.
    pub fn new(connections: [u32; 2]) -> Self {
        Self {
            buffer: BytesMut::new(),
            frame: None,
            channels: connections.map(Channel::new),
        }
    }

    /// Adds bytes that were read elsewhere.
    pub fn extend(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Reads once from the stream; 0 bytes mean that the peer has closed its side.
    ///
    /// The rest of a long message is read to where it belongs, anything else to the read buffer. All
    /// complete messages must have been taken by [`Demux::next_message`] before.
    ///
    /// # Errors
    ///
    /// Those of the stream.
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

    /// The buffer of the message that the next bytes surely belong to, with room made, and how many
    /// of the next bytes those are.
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

    /// The next complete message, or `None` if more bytes are needed.
    ///
    /// # Errors
    ///
    /// [`ConnectionError::FrameTooLarge`] and [`ConnectionError::MessageTooLarge`], as soon as the
    /// header is there. The stream cannot be read any further then.
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
        let FrameHeader { connection, length } = FrameHeader::decode(*bytes);
        let length = length as usize;
        if length > MAX_FRAME {
            return Err(ConnectionError::FrameTooLarge {
                connection,
                length,
                max: MAX_FRAME,
            });
        }
        self.buffer.advance(FRAME_HEADER_LEN);
        let channel = self
            .channels
            .iter()
            .position(|channel| channel.id == connection);
        if channel.is_none() {
            tracing::debug!(
                connection,
                length,
                "frame for an unknown connection id dropped"
            );
        }
        Ok(Some(OpenFrame {
            channel,
            left: length,
        }))
    }

    /// Checks that the stream may end here.
    ///
    /// # Errors
    ///
    /// [`ConnectionError::Truncated`] if a frame or message is incomplete.
    pub fn check_end(&self) -> Result<(), ConnectionError> {
        let part = if self.frame.is_some() {
            Part::Frame
        } else if !self.buffer.is_empty() {
            Part::FrameHeader
        } else if self
            .channels
            .iter()
            .any(|channel| !channel.partial.is_empty())
        {
            Part::Message
        } else {
            return Ok(());
        };
        Err(ConnectionError::Truncated(part))
    }

    /// Bytes held now.
    pub fn held(&self) -> usize {
        let partial: usize = self
            .channels
            .iter()
            .map(|channel| channel.partial.capacity())
            .sum();
        self.buffer.capacity() + partial
    }
}

/// One logical connection: the beginning of a message, as far as it has come.
#[derive(Debug)]
struct Channel {
    id: u32,
    partial: BytesMut,
}

impl Channel {
    fn new(id: u32) -> Self {
        Self {
            id,
            partial: BytesMut::new(),
        }
    }

    /// Takes from `buffer` what belongs to the next message, at most `left` bytes.
    fn take(
        &mut self,
        buffer: &mut BytesMut,
        left: &mut usize,
    ) -> Result<Option<Message>, ConnectionError> {
        if self.partial.is_empty()
            && let Some(header) = self.header(buffer.get(..*left).unwrap_or(buffer))?
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

    /// Moves bytes to the message begun, until it has `target` bytes or there are no more.
    fn append(&mut self, target: usize, buffer: &mut BytesMut, left: &mut usize) {
        let count = target
            .saturating_sub(self.partial.len())
            .min(*left)
            .min(buffer.len());
        self.partial.extend_from_slice(&buffer.split_to(count));
        *left -= count;
    }

    /// The header at the start of `bytes`, if it is there and within the limit.
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

    /// How many bytes the message begun still lacks, if its header is there.
    fn missing(&self) -> Option<usize> {
        let header = MessageHeader::decode(*self.partial.first_chunk()?);
        message_len(header).checked_sub(self.partial.len())
    }

    fn message(&self, header: MessageHeader, mut bytes: BytesMut) -> Message {
        bytes.advance(MESSAGE_HEADER_LEN);
        Message {
            connection: self.id,
            header,
            data: bytes.freeze(),
        }
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

/// Makes room to read into, when there is little. Memory that no message holds on to is used again.
///
/// Doubles, so that a long message costs no more than another copy of itself, and a peer that announces
/// much and sends little makes us hold little.
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
