//! The messages as those of prost: for fields of generated messages, generic code, gRPC and
//! reflection that want [`prost::Message`].

use bytes::{Buf, BufMut};
use prost::DecodeError;
use prost::encoding::{DecodeContext, WireType, skip_field, varint};

use super::budget::Budget;
use super::read::{self, Field};
use super::{Fields, Message};

/// Appends the encoded message.
pub(crate) fn encode<M: Fields>(message: &M, to: &mut impl BufMut) {
    to.put_slice(&message.encode_to_vec());
}

/// Merges an encoded message into this one. What it may take of memory is limited as everywhere in
/// this crate.
pub(crate) fn merge<M: Fields>(message: &mut M, mut encoded: impl Buf) -> Result<(), DecodeError> {
    let len = encoded.remaining();
    if encoded.chunk().len() == len {
        read(message, encoded.chunk())?;
        encoded.advance(len);
        return Ok(());
    }
    read(message, &encoded.copy_to_bytes(len))
}

/// Merges one field. prost calls this for each field if the message is in another one: the limit on
/// memory is then one for each field.
pub(crate) fn merge_field<M: Fields>(
    message: &mut M,
    number: u32,
    wire_type: WireType,
    rest: &mut impl Buf,
    cx: DecodeContext,
) -> Result<(), DecodeError> {
    let mut field = Vec::new();
    prost::encoding::encode_key(number, wire_type, &mut field);
    match wire_type {
        WireType::Varint => varint::encode_varint(varint::decode_varint(rest)?, &mut field),
        WireType::SixtyFourBit => take(rest, 8, &mut field)?,
        WireType::ThirtyTwoBit => take(rest, 4, &mut field)?,
        WireType::LengthDelimited => {
            let len = varint::decode_varint(rest)?;
            varint::encode_varint(len, &mut field);
            take(rest, len, &mut field)?;
        }
        // No message of NRI has groups.
        WireType::StartGroup | WireType::EndGroup => {
            return skip_field(wire_type, number, rest, cx);
        }
    }
    read(message, &field)
}

fn take(rest: &mut impl Buf, len: u64, field: &mut Vec<u8>) -> Result<(), DecodeError> {
    match usize::try_from(len) {
        Ok(len) if len <= rest.remaining() => field.put(rest.take(len)),
        Ok(_) | Err(_) => return Err(error("buffer underflow".to_owned())),
    }
    Ok(())
}

fn read<M: Fields>(message: &mut M, encoded: &[u8]) -> Result<(), DecodeError> {
    let budget = Budget::of(encoded.len());
    read::all(message, Field::of(encoded, &budget)).map_err(|failed| error(failed.description()))
}

#[allow(deprecated, reason = "prost has no other way for those who implement its trait")]
fn error(description: String) -> DecodeError {
    DecodeError::new(description)
}

/// Implements [`prost::Message`] for a message.
macro_rules! prost_message {
    ($message:ty) => {
        impl prost::Message for $message {
            fn encode_raw(&self, to: &mut impl bytes::BufMut) {
                $crate::codec::interop::encode(self, to);
            }

            fn merge_field(
                &mut self,
                number: u32,
                wire_type: prost::encoding::WireType,
                rest: &mut impl bytes::Buf,
                cx: prost::encoding::DecodeContext,
            ) -> Result<(), prost::DecodeError> {
                $crate::codec::interop::merge_field(self, number, wire_type, rest, cx)
            }

            fn merge(&mut self, encoded: impl bytes::Buf) -> Result<(), prost::DecodeError> {
                $crate::codec::interop::merge(self, encoded)
            }

            fn encoded_len(&self) -> usize {
                $crate::codec::Message::encoded_len(self)
            }

            fn clear(&mut self) {
                *self = Self::default();
            }
        }
    };
}

pub(crate) use prost_message;
