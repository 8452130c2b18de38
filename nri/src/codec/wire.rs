//! The wire format below the types of fields: keys, numbers, and fields as they are encoded.

use super::error::{DecodeError, Problem};
pub use super::wire_type::WireType;

/// The most bytes of an encoded number.
pub(super) const MAX_VARINT: usize = 10;

/// The deepest nesting of groups.
const MAX_DEPTH: u32 = 100;

/// A field of an encoded message.
#[derive(Clone, Copy, Debug)]
pub struct RawField<'a> {
    /// The number of the field.
    pub number: u32,
    /// The encoding of the value.
    pub wire_type: WireType,
    /// The whole field.
    pub encoded: &'a [u8],
    /// The field without its key.
    pub value: &'a [u8],
}

impl<'a> RawField<'a> {
    /// Returns the number; `None` if the value is of another type.
    pub fn varint(&self) -> Option<u64> {
        let is_number = self.wire_type == WireType::Varint;
        is_number.then(|| varint(&mut { self.value }).ok())?
    }

    /// Returns the bytes of a text, a message or a list; `None` if the value is of another type.
    pub fn bytes(&self) -> Option<&'a [u8]> {
        let is_delimited = self.wire_type == WireType::LengthDelimited;
        is_delimited.then(|| bytes(&mut { self.value }).ok())?
    }
}

/// The fields of an encoded message, in the order of the message. Ends after the first error.
#[derive(Clone, Debug)]
pub struct RawFields<'a> {
    rest: &'a [u8],
}

/// Returns the fields of an encoded message.
pub fn fields(encoded: &[u8]) -> RawFields<'_> {
    RawFields { rest: encoded }
}

impl<'a> Iterator for RawFields<'a> {
    type Item = Result<RawField<'a>, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.rest;
        if start.is_empty() {
            return None;
        }
        let field = field(&mut self.rest);
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

fn field<'a>(rest: &mut &'a [u8]) -> Result<RawField<'a>, DecodeError> {
    let start = *rest;
    let (number, wire_type) = key(rest)?;
    let value = *rest;
    skip(number, wire_type, rest)?;
    Ok(RawField {
        number,
        wire_type,
        encoded: &start[..start.len() - rest.len()],
        value: &value[..value.len() - rest.len()],
    })
}

/// Takes a key.
pub(super) fn key(rest: &mut &[u8]) -> Result<(u32, WireType), DecodeError> {
    let key = varint(rest)?;
    let narrow = u32::try_from(key).map_err(|_| Problem::Key(key))?;
    let wire_type =
        WireType::ALL.get(narrow as usize & 7).copied().ok_or(Problem::NoWireType(key & 7))?;
    match narrow >> 3 {
        0 => Err(Problem::FieldZero.into()),
        number => Ok((number, wire_type)),
    }
}

/// Takes a number.
pub(super) fn varint(rest: &mut &[u8]) -> Result<u64, DecodeError> {
    let mut value = 0;
    for (index, byte) in rest.iter().enumerate().take(MAX_VARINT) {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if *byte < 0x80 {
            if index + 1 == MAX_VARINT && *byte > 1 {
                break; // more than 64 bits
            }
            *rest = &rest[index + 1..];
            return Ok(value);
        }
    }
    Err(Problem::Varint.into())
}

/// Takes a length and the bytes that follow.
pub(super) fn bytes<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], DecodeError> {
    let length = usize::try_from(varint(rest)?).unwrap_or(usize::MAX);
    let (bytes, after) = rest.split_at_checked(length).ok_or(Problem::Cut)?;
    *rest = after;
    Ok(bytes)
}

/// Takes a value that nobody reads.
pub(super) fn skip(number: u32, wire_type: WireType, rest: &mut &[u8]) -> Result<(), DecodeError> {
    skip_within(number, wire_type, rest, MAX_DEPTH)
}

fn skip_within(
    number: u32,
    wire_type: WireType,
    rest: &mut &[u8],
    depth: u32,
) -> Result<(), DecodeError> {
    let inner_depth = depth.checked_sub(1).ok_or(Problem::TooDeep)?;
    let length = match wire_type {
        WireType::Varint => return varint(rest).map(drop),
        WireType::LengthDelimited => return bytes(rest).map(drop),
        WireType::ThirtyTwoBit => 4,
        WireType::SixtyFourBit => 8,
        WireType::EndGroup => return Err(Problem::EndGroup.into()),
        WireType::StartGroup => loop {
            match key(rest)? {
                (end, WireType::EndGroup) if end == number => break 0,
                (member, member_type) => skip_within(member, member_type, rest, inner_depth)?,
            }
        },
    };
    *rest = rest.get(length..).ok_or(Problem::Cut)?;
    Ok(())
}

/// Returns the key of a field.
pub(super) fn key_of(number: u32, wire_type: WireType) -> u64 {
    u64::from(number) << 3 | wire_type as u64
}

/// Returns the length of an encoded number.
pub(crate) const fn varint_len(value: u64) -> usize {
    let bits = u64::BITS - (value | 1).leading_zeros();
    bits.div_ceil(7) as usize
}

/// Encodes a number at the start of the array, and returns its length.
pub(super) fn encode_varint(mut value: u64, to: &mut [u8; MAX_VARINT]) -> usize {
    let length = varint_len(value);
    for byte in &mut to[..length] {
        *byte = value as u8 | 0x80;
        value >>= 7;
    }
    to[length - 1] &= 0x7f;
    length
}

/// Appends a number without a key.
pub fn put_varint(value: u64, to: &mut Vec<u8>) {
    let mut bytes = [0; MAX_VARINT];
    let length = encode_varint(value, &mut bytes);
    to.extend_from_slice(&bytes[..length]);
}

/// Appends the key of a field.
pub fn put_key(number: u32, wire_type: WireType, to: &mut Vec<u8>) {
    put_varint(key_of(number, wire_type), to);
}

/// Appends a field with a length and bytes.
pub fn put_bytes(number: u32, value: &[u8], to: &mut Vec<u8>) {
    put_key(number, WireType::LengthDelimited, to);
    put_varint(value.len() as u64, to);
    to.extend_from_slice(value);
}
