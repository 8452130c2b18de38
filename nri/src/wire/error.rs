//! Errors that end a connection, and errors that fail a single call.

use std::io;
use std::time::Duration;

use super::outbox::TooLarge;
use super::status::{Code, Status};

/// Why a connection ended with an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectionError {
    /// A frame header announces more than the protocol allows.
    #[error("frame of {length} bytes on connection id {connection}, at most {max} are allowed")]
    FrameTooLarge {
        /// Logical connection of the frame.
        connection: u32,
        /// Announced payload in bytes.
        length: usize,
        /// Largest payload in bytes.
        max: usize,
    },
    /// A message header announces more than the protocol allows.
    #[error(
        "message of {length} bytes on connection id {connection}, stream {stream}, at most {max} are allowed"
    )]
    MessageTooLarge {
        /// Logical connection of the message.
        connection: u32,
        /// Stream of the message.
        stream: u32,
        /// Announced data in bytes.
        length: usize,
        /// Largest data in bytes.
        max: usize,
    },
    /// The peer closed its side in the middle of a frame or message.
    #[error("connection closed in the middle of a {0}")]
    Truncated(&'static str),
    /// All stream ids have been used, after 2^31 calls.
    #[error("no stream id left for another call")]
    StreamsExhausted,
    /// Reading or writing failed.
    #[error("connection lost: {0}")]
    Io(#[from] io::Error),
}

/// Why a call failed. Exhaustive, because a runtime has to decide for each reason what becomes of
/// the plugin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The peer answered with an error.
    #[error(transparent)]
    Status(#[from] Status),
    /// The connection is closed, or was closed before the answer arrived.
    #[error("connection closed")]
    Closed,
    /// No answer arrived in time.
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    /// The request is too large. Nothing was sent, and the connection stays open.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The peer broke the ttrpc protocol: something other than a response came on the call's
    /// stream. The connection stays open.
    #[error("protocol violation: {0}")]
    Protocol(String),
    /// The answer cannot be decoded. The connection stays open.
    #[error("unreadable answer: {0}")]
    Unreadable(String),
}

impl CallError {
    /// Returns the status code that corresponds to this error.
    pub fn code(&self) -> Code {
        match self {
            Self::Status(status) => status.code,
            Self::Closed => Code::UNAVAILABLE,
            Self::Timeout(_) => Code::DEADLINE_EXCEEDED,
            Self::TooLarge(_) => Code::RESOURCE_EXHAUSTED,
            Self::Protocol(_) | Self::Unreadable(_) => Code::INTERNAL,
        }
    }
}
