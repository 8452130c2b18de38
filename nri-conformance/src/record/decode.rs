//! Decodes messages by their descriptors, within a limit on memory: a message without fields has
//! two bytes on the wire, and the values of one with fields are in a map of their own.

use std::fmt;

use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor};

/// The bytes of memory that a message may take. The largest that runtimes send takes a quarter.
const MAX_MEMORY: usize = 512 << 20;

/// The bytes of memory of a message without its values: one node of the map of its fields.
const MESSAGE: usize = 1000;

/// The bytes of memory of any other value, without its text: in a list that grows, three places.
const VALUE: usize = 200;

/// The deepest nesting that is decoded at all.
const MAX_DEPTH: u8 = 100;

/// The reason why a message is not decoded.
#[derive(Debug)]
pub(super) enum Undecodable {
    /// It is not encoded correctly.
    Invalid(prost::DecodeError),
    /// It would take more than [`MAX_MEMORY`].
    TooLarge,
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(error) => error.fmt(f),
            Self::TooLarge => {
                write!(f, "decoding it would take more than {} MiB of memory", MAX_MEMORY >> 20)
            }
        }
    }
}

/// Decodes a message.
///
/// # Errors
///
/// Returns why it is not decoded.
pub(super) fn decode(
    message: MessageDescriptor,
    encoded: &[u8],
) -> Result<DynamicMessage, Undecodable> {
    // The worst part has two bytes, so that most messages need not be searched.
    if encoded.len().saturating_mul(MESSAGE / 2) > MAX_MEMORY {
        let mut left = MAX_MEMORY;
        charge(&message, encoded, &mut left, 0).ok_or(Undecodable::TooLarge)?;
    }
    DynamicMessage::decode(message, encoded).map_err(Undecodable::Invalid)
}

/// Takes the memory of all fields from what is left. Returns `None` if that is not enough. What
/// cannot be read is left to the decoder, which says why.
fn charge(message: &MessageDescriptor, mut rest: &[u8], left: &mut usize, depth: u8) -> Option<()> {
    while !rest.is_empty() && depth < MAX_DEPTH {
        let Ok((number, wire_type)) = decode_key(&mut rest) else { return Some(()) };
        let Some(value) = value(number, wire_type, &mut rest) else { return Some(()) };
        let field = message.get_field(number);
        let nested = field.as_ref().map(FieldDescriptor::kind);
        *left = match nested {
            Some(Kind::Message(nested)) => {
                *left = left.checked_sub(MESSAGE)?;
                charge(&nested, value, left, depth + 1)?;
                *left
            }
            // Each of its numbers has a byte or more.
            Some(_) if field.as_ref().is_some_and(|field| field.is_packed()) => {
                left.checked_sub(VALUE * value.len().max(1))?
            }
            Some(_) | None => left.checked_sub(VALUE + value.len())?,
        };
    }
    Some(())
}

/// Takes the value of a field; it is empty for a number.
fn value<'a>(number: u32, wire_type: WireType, rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    if wire_type != WireType::LengthDelimited {
        skip_field(wire_type, number, rest, DecodeContext::default()).ok()?;
        return Some(&[]);
    }
    let len = usize::try_from(decode_varint(rest).ok()?).ok()?;
    let (value, after) = rest.split_at_checked(len)?;
    *rest = after;
    Some(value)
}

#[cfg(test)]
mod tests {
    use nri::api::{Container, SynchronizeRequest};
    use nri::codec::Message as _;

    use super::*;
    use crate::record::schema;
    use crate::session::PLUGIN_SERVICE;

    /// The largest message on the wire.
    const MESSAGE_BYTES: usize = 4 << 20;

    fn decoded(method: &str, encoded: &[u8]) -> Result<DynamicMessage, Undecodable> {
        decode(schema::method(PLUGIN_SERVICE, method).unwrap().input(), encoded)
    }

    #[test]
    fn messages_of_millions_of_empty_parts_are_refused() {
        for element in [&[0x12, 0][..], &[0x12, 2, 0x22, 0]] {
            let encoded = element.repeat(MESSAGE_BYTES / element.len());
            let error = decoded("Synchronize", &encoded).unwrap_err();
            assert_eq!(
                error.to_string(),
                "decoding it would take more than 512 MiB of memory",
                "{element:?}"
            );
        }
    }

    #[test]
    fn a_full_message_of_containers_is_decoded() {
        let container = Container {
            id: "c".repeat(64),
            pod_sandbox_id: "p".repeat(64),
            name: "app".to_owned(),
            labels: (0..8).map(|nth| (format!("label{nth}"), "value".to_owned())).collect(),
            env: (0..20).map(|nth| format!("VARIABLE{nth}=1")).collect(),
            ..Container::default()
        };
        let count = MESSAGE_BYTES / (container.encoded_len() + 4);
        let request =
            SynchronizeRequest { containers: vec![container; count], ..Default::default() };
        assert!(decoded("Synchronize", &request.encode_to_vec()).is_ok());
    }

    #[test]
    fn what_cannot_be_read_is_left_to_the_decoder() {
        for encoded in [&b"\x0a"[..], b"\x0a\x05\x22", b"\x0b\x0b"] {
            let error = decoded("Synchronize", encoded).unwrap_err();
            assert!(matches!(error, Undecodable::Invalid(_)), "{encoded:?}");
        }
    }
}
