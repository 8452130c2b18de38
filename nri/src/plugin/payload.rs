//! Requests and responses on their way to a handler and back: encoded, or as they are within one
//! process.

#[cfg(feature = "in-process")]
use std::any::Any;
use std::fmt;

use crate::codec::{DecodeError, Message};
use bytes::Bytes;

use crate::{Error, ErrorKind, Result};

/// A message of any type, passed within the process.
#[cfg(feature = "in-process")]
pub trait AnyMessage: Any + Send {
    /// Returns the encoded message.
    fn to_bytes(&self) -> Vec<u8>;

    /// Returns true if no field is set.
    fn is_empty(&self) -> bool;

    /// Returns the message for a downcast.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

#[cfg(feature = "in-process")]
impl<M: Message + Send + 'static> AnyMessage for M {
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
    #[cfg(feature = "in-process")]
    Message(Box<dyn AnyMessage>),
}

impl Body {
    /// Returns the response of a handler: the message itself for a runtime in the same process,
    /// else encoded.
    pub(super) fn of_response(response: impl Message + Send + 'static, in_process: bool) -> Self {
        #[cfg(feature = "in-process")]
        if in_process {
            return Self::Message(Box::new(response));
        }
        debug_assert!(!in_process, "only an adaptation runs in the process of the plugin");
        Self::Encoded(response.encode_to_vec().into())
    }

    /// Returns the encoded message. Encodes it if necessary.
    pub fn into_bytes(self) -> Bytes {
        match self {
            Self::Encoded(encoded) => encoded,
            #[cfg(feature = "in-process")]
            Self::Message(message) => message.to_bytes().into(),
        }
    }

    /// Returns the size in bytes; `None` if the message is not encoded.
    pub(crate) fn encoded_size(&self) -> Option<usize> {
        match self {
            Self::Encoded(encoded) => Some(encoded.len()),
            #[cfg(feature = "in-process")]
            Self::Message(_) => None,
        }
    }

    /// Returns true if no field is set.
    #[cfg(feature = "in-process")]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Encoded(encoded) => encoded.is_empty(),
            Self::Message(message) => message.is_empty(),
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
            #[cfg(feature = "in-process")]
            Self::Message(_) => "Message(..)",
        })
    }
}

/// Reads the request `M` of the RPC of this name, as the type `S` that all requests with the same
/// fields share.
///
/// Such requests have the same encoding, so one function decodes them all: the code to decode a pod
/// and a container takes 4 KiB, and eleven events have both or one of them.
pub(crate) fn decode<M: 'static, S: Message + Default>(
    rpc: &'static str,
    request: Body,
    #[cfg_attr(
        not(feature = "in-process"),
        allow(unused_variables, reason = "only an adaptation passes messages")
    )]
    shared: fn(M) -> S,
) -> Result<S> {
    match request {
        Body::Encoded(encoded) => decode_encoded(rpc, &encoded),
        #[cfg(feature = "in-process")]
        Body::Message(message) => downcast(message).map(shared).ok_or_else(|| {
            let fact = format!("the request of {rpc} is of another type");
            Error::with_kind(ErrorKind::Malformed, fact)
        }),
    }
}

/// Decodes a request. Not inlined, so that the program has one copy for each type.
#[inline(never)]
pub(crate) fn decode_encoded<S: Message + Default>(rpc: &'static str, encoded: &[u8]) -> Result<S> {
    S::decode(encoded).map_err(|error| malformed(rpc, error))
}

/// Returns the error of a request that cannot be decoded.
pub(crate) fn malformed(rpc: &str, error: DecodeError) -> Error {
    let kind = if error.is_over_budget() { ErrorKind::TooLarge } else { ErrorKind::Malformed };
    Error::with_kind(kind, format!("cannot decode the request of {rpc}: {error}"))
}

/// Returns a part of a request, or the default if the peer left it out. Not inlined, for the same
/// reason.
#[inline(never)]
pub(crate) fn part_or_default<T: Default>(part: Option<T>) -> T {
    part.unwrap_or_default()
}

/// Returns a message of a known type, or `None` if it is of another one.
#[cfg(feature = "in-process")]
pub fn downcast<M: 'static>(message: Box<dyn AnyMessage>) -> Option<M> {
    let message = message.into_any().downcast().ok()?;
    Some(*message)
}
