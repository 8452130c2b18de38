//! How messages are encoded and decoded.
//!
//! The derive of prost compiles all of the encoding into every message: 150 KiB in a plugin that handles every event.
//! Here, messages share one function for each type of field, and the generated part is a list of their fields. Errors
//! are those of prost, and so are the limits: it skips unknown fields, and messages are not recursive.

mod read;
mod write;

#[cfg(test)]
mod tests;

use std::fmt;

use prost::DecodeError;
use prost::bytes::{Buf, BufMut};
use prost::encoding::{
    DecodeContext, WireType, decode_varint, encode_key, encode_varint, skip_field,
};

pub(crate) use read::Field;
pub(crate) use write::Writer;

/// A message as a list of fields. Implemented by [`message!`].
pub(crate) trait Fields: Default {
    /// The name of the message, for errors.
    const NAME: &'static str;
    /// A line for each field with its number and its name, for errors. A list of names would take a relocation for each.
    const FIELDS: &'static str;

    /// Reads a field into this message, or skips it if it is unknown.
    fn read(&mut self, field: &mut Field<'_>) -> Result<(), DecodeError>;

    /// Writes all fields that differ from their default, from the last to the first.
    fn write(&self, writer: &mut Writer);
}

/// The type of a field, or of a key or value in a map.
pub(crate) trait Value {
    /// Reads a value of the field. A list or map gets one more element, a message is merged, and others are replaced.
    fn read(&mut self, field: &mut Field<'_>) -> Result<(), DecodeError>;

    /// Writes the field unless it has its default.
    fn write(&self, number: u32, writer: &mut Writer);
}

/// Implements `prost::Message` for a message with these fields, which have to be in descending order of their numbers.
/// Names in the proto and the types of enums are for JSON.
macro_rules! message {
    ($message:ty, $name:literal {
        $($number:literal => $field:ident $($proto:literal)? $(: $enumeration:path)?),* $(,)?
    }) => {
        impl $crate::codec::Fields for $message {
            const NAME: &'static str = $name;
            const FIELDS: &'static str =
                concat!($(stringify!($number), " ", stringify!($field), "\n"),*);

            fn read(
                &mut self,
                field: &mut $crate::codec::Field<'_>,
            ) -> Result<(), prost::DecodeError> {
                match field.number() {
                    $($number => $crate::codec::Value::read(&mut self.$field, field),)*
                    _ => field.skip(),
                }
            }

            fn write(&self, writer: &mut $crate::codec::Writer) {
                let _ = &writer;
                $($crate::codec::Value::write(&self.$field, $number, writer);)*
            }
        }

        impl prost::Message for $message {
            fn encode_raw(&self, buf: &mut impl prost::bytes::BufMut) {
                buf.put_slice(&$crate::codec::encode(self));
            }

            fn encode_to_vec(&self) -> Vec<u8> {
                $crate::codec::encode(self)
            }

            fn encoded_len(&self) -> usize {
                $crate::codec::encoded_len(self)
            }

            fn merge_field(
                &mut self,
                number: u32,
                wire_type: prost::encoding::WireType,
                buf: &mut impl prost::bytes::Buf,
                _: prost::encoding::DecodeContext,
            ) -> Result<(), prost::DecodeError> {
                $crate::codec::merge_field(self, number, wire_type, buf)
            }

            fn merge(&mut self, buf: impl prost::bytes::Buf) -> Result<(), prost::DecodeError> {
                $crate::codec::merge(self, buf)
            }

            fn clear(&mut self) {
                *self = Self::default();
            }
        }
    };
}

pub(crate) use message;

/// Returns the encoded message.
pub(crate) fn encode(message: &impl Fields) -> Vec<u8> {
    let mut writer = Writer::with_length(encoded_len(message));
    message.write(&mut writer);
    writer.into_bytes()
}

/// Returns the length of the encoded message.
pub(crate) fn encoded_len(message: &impl Fields) -> usize {
    let mut writer = Writer::counting();
    message.write(&mut writer);
    writer.len()
}

/// Decodes fields into a message until the end of the buffer.
pub(crate) fn merge(message: &mut impl Fields, mut buf: impl Buf) -> Result<(), DecodeError> {
    let length = buf.remaining();
    if buf.chunk().len() == length {
        read::all(message, buf.chunk())?;
        buf.advance(length);
        return Ok(());
    }
    read::all(message, &buf.copy_to_bytes(length))
}

/// Decodes the value of one field into a message.
pub(crate) fn merge_field(
    message: &mut impl Fields,
    number: u32,
    wire_type: WireType,
    buf: &mut impl Buf,
) -> Result<(), DecodeError> {
    if buf.chunk().len() == buf.remaining() {
        let mut field = Field::new(number, wire_type, buf.chunk());
        read::one(message, &mut field)?;
        let used = buf.remaining() - field.remaining();
        buf.advance(used);
        return Ok(());
    }
    let value = take_value(number, wire_type, buf)?;
    read::one(message, &mut Field::new(number, wire_type, &value))
}

/// Takes a value, which may be in several parts, from the start of a buffer. It is cut off if the buffer is.
fn take_value(
    number: u32,
    wire_type: WireType,
    buf: &mut impl Buf,
) -> Result<Vec<u8>, DecodeError> {
    let mut value = Vec::new();
    let length = match wire_type {
        WireType::Varint => {
            encode_varint(decode_varint(buf)?, &mut value);
            0
        }
        WireType::LengthDelimited => {
            let length = decode_varint(buf)?;
            encode_varint(length, &mut value);
            usize::try_from(length).unwrap_or(usize::MAX)
        }
        WireType::ThirtyTwoBit => 4,
        WireType::SixtyFourBit => 8,
        WireType::StartGroup | WireType::EndGroup => {
            skip_field(wire_type, number, buf, DecodeContext::default())?;
            encode_key(number, WireType::EndGroup, &mut value);
            0
        }
    };
    value.put(buf.take(length));
    Ok(value)
}

/// A value of an enum as the derive of prost prints it: its name, or its number if it has none.
pub(crate) struct Named<E>(Result<E, i32>);

/// Returns the value of an enum with this number, to print it.
pub(crate) fn named<E: TryFrom<i32>>(number: i32) -> Named<E> {
    Named(E::try_from(number).map_err(|_| number))
}

impl<E: fmt::Debug> fmt::Debug for Named<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Ok(value) => value.fmt(f),
            Err(number) => number.fmt(f),
        }
    }
}
