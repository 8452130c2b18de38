//! Requests and responses on their way to a handler and back: encoded, or as they are within one process.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use prost::Message;

use super::call::malformed;
use crate::{Error, ErrorKind, Result};

/// A message of any type, passed within the process.
pub trait AnyMessage: Any + Send {
    /// Returns the encoded message.
    fn to_bytes(&self) -> Vec<u8>;

    /// Returns whether no field is set.
    fn is_empty(&self) -> bool;

    /// Returns the message for a downcast.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<M: Message + 'static> AnyMessage for M {
    fn to_bytes(&self) -> Vec<u8> {
        self.encode_to_vec()
    }

    fn is_empty(&self) -> bool {
        self.encoded_len() == 0
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// A request or a response.
pub enum Body {
    /// The encoded message, from or to the other end of a connection.
    Encoded(Bytes),
    /// The message itself, from or to a runtime in the same process.
    Message(Box<dyn AnyMessage>),
}

impl Body {
    /// Returns the encoded message. Encodes it if necessary.
    pub(crate) fn into_bytes(self) -> Bytes {
        match self {
            Self::Encoded(encoded) => encoded,
            Self::Message(message) => message.to_bytes().into(),
        }
    }

    /// Returns whether no field is set.
    #[cfg(feature = "adaptation")]
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Encoded(encoded) => encoded.is_empty(),
            Self::Message(message) => message.is_empty(),
        }
    }

    /// Returns the request to pass to a handler.
    pub(crate) fn with_payload<T>(self, work: impl FnOnce(Payload<'_>) -> T) -> T {
        match self {
            Self::Encoded(encoded) => work(Payload::Encoded(&encoded)),
            Self::Message(message) => work(Payload::Message(message)),
        }
    }
}

impl Default for Body {
    fn default() -> Self {
        Self::Encoded(Bytes::new())
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Encoded(_) => "Encoded(..)",
            Self::Message(_) => "Message(..)",
        })
    }
}

/// A request for a handler, which keeps nothing of the encoded message.
pub enum Payload<'a> {
    /// The encoded message.
    Encoded(&'a [u8]),
    /// The message itself.
    Message(Box<dyn AnyMessage>),
}

impl Payload<'_> {
    /// Returns the encoded message. Encodes it if necessary.
    pub(super) fn to_bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Encoded(encoded) => Cow::Borrowed(encoded),
            Self::Message(message) => message.to_bytes().into(),
        }
    }
}

impl<'a> From<&'a [u8]> for Payload<'a> {
    fn from(encoded: &'a [u8]) -> Self {
        Self::Encoded(encoded)
    }
}

impl<'a> From<&'a Vec<u8>> for Payload<'a> {
    fn from(encoded: &'a Vec<u8>) -> Self {
        Self::Encoded(encoded)
    }
}

impl fmt::Debug for Payload<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Encoded(_) => "Encoded(..)",
            Self::Message(_) => "Message(..)",
        })
    }
}

/// Reads a request of the RPC of this name.
pub(crate) fn decode<M: Message + Default + 'static>(
    rpc: &'static str,
    payload: Payload<'_>,
) -> Result<M> {
    match payload {
        Payload::Encoded(encoded) => M::decode(encoded).map_err(|error| malformed(rpc, error)),
        Payload::Message(message) => downcast(message).ok_or_else(|| {
            let message = format!("the request of {rpc} is of another type");
            Error::with_kind(ErrorKind::Malformed, message)
        }),
    }
}

/// Returns a message of a known type, or `None` if it is of another one.
pub(crate) fn downcast<M: 'static>(message: Box<dyn AnyMessage>) -> Option<M> {
    let message = message.into_any().downcast().ok()?;
    Some(*message)
}
