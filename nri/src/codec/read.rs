//! Decodes messages.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::error::{DecodeError, Problem};
use super::wire::{self, WireType};
use super::{Fields, Value};

/// The number of the key in a map entry.
pub(super) const MAP_KEY: u32 = 1;
/// The number of the value in a map entry.
pub(super) const MAP_VALUE: u32 = 2;

/// A field whose value is to be read, and what comes after it.
pub(crate) struct Field<'a> {
    number: u32,
    wire_type: WireType,
    rest: &'a [u8],
    /// The memory that the message is in, if its fields may share it.
    shared: Option<&'a Bytes>,
}

/// Decodes all fields. Not inlined, so that the program has one copy for each type of message.
#[inline(never)]
pub(super) fn all<M: Fields>(message: &mut M, mut field: Field<'_>) -> Result<(), DecodeError> {
    while field.next()? {
        one(message, &mut field)?;
    }
    Ok(())
}

/// Decodes one field. An error names it.
fn one<M: Fields>(message: &mut M, field: &mut Field<'_>) -> Result<(), DecodeError> {
    let result = message.read(field);
    result.map_err(|error| located(error, M::NAME, M::FIELDS, field.number))
}

#[cold]
fn located(
    error: DecodeError,
    message: &'static str,
    fields: &'static str,
    number: u32,
) -> DecodeError {
    let mut fields = fields.lines().filter_map(|line| line.split_once(' '));
    match fields.find(|(known, _)| known.parse() == Ok(number)) {
        Some((_, name)) => error.within(message, name),
        None => error,
    }
}

impl<'a> Field<'a> {
    /// Creates a reader before the first field of a message.
    pub(super) fn of(encoded: &'a [u8]) -> Self {
        Field {
            number: 0,
            wire_type: WireType::Varint,
            rest: encoded,
            shared: None,
        }
    }

    /// Creates the same for a message with fields that share its memory.
    pub(super) fn of_shared(encoded: &'a Bytes) -> Self {
        Field {
            shared: Some(encoded),
            ..Self::of(encoded)
        }
    }

    /// Returns the number of the field.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Moves on to the next field. Returns false if there is none.
    #[inline(never)]
    fn next(&mut self) -> Result<bool, DecodeError> {
        if self.rest.is_empty() {
            return Ok(false);
        }
        (self.number, self.wire_type) = wire::key(&mut self.rest)?;
        Ok(true)
    }

    /// Skips the value.
    #[inline(never)]
    pub(crate) fn skip(&mut self) -> Result<(), DecodeError> {
        wire::skip(self.number, self.wire_type, &mut self.rest)
    }

    fn expect(&self, expected: WireType) -> Result<(), DecodeError> {
        let actual = self.wire_type;
        if actual == expected {
            return Ok(());
        }
        Err(Problem::WireType { actual, expected }.into())
    }

    #[inline(never)]
    pub(super) fn varint(&mut self) -> Result<u64, DecodeError> {
        self.expect(WireType::Varint)?;
        wire::varint(&mut self.rest)
    }

    #[inline(never)]
    fn bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        self.expect(WireType::LengthDelimited)?;
        wire::bytes(&mut self.rest)
    }

    #[inline(never)]
    fn text(&mut self) -> Result<&'a str, DecodeError> {
        str::from_utf8(self.bytes()?).map_err(|_| Problem::Text.into())
    }

    /// Reads one number, or several if they are packed.
    #[inline(never)]
    pub(super) fn numbers(&mut self, mut push: impl FnMut(u64)) -> Result<(), DecodeError> {
        if self.wire_type != WireType::LengthDelimited {
            push(self.varint()?);
            return Ok(());
        }
        let mut packed = self.bytes()?;
        while !packed.is_empty() {
            push(wire::varint(&mut packed)?);
        }
        Ok(())
    }
}

/// Reads an element of a map.
#[inline(never)]
pub(super) fn entry<K, V>(
    map: &mut BTreeMap<K, V>,
    field: &mut Field<'_>,
) -> Result<(), DecodeError>
where
    K: Value + Default + Ord,
    V: Value + Default,
{
    let (mut key, mut value) = (K::default(), V::default());
    let mut part = Field::of(field.bytes()?);
    while part.next()? {
        match part.number {
            MAP_KEY => key.read(&mut part)?,
            MAP_VALUE => value.read(&mut part)?,
            _ => part.skip()?,
        }
    }
    map.insert(key, value);
    Ok(())
}

#[inline(never)]
pub(super) fn string(text: &mut String, field: &mut Field<'_>) -> Result<(), DecodeError> {
    let value = field.text()?;
    text.clear();
    text.push_str(value);
    Ok(())
}

pub(super) fn bytes(bytes: &mut Bytes, field: &mut Field<'_>) -> Result<(), DecodeError> {
    let value = field.bytes()?;
    *bytes = match field.shared {
        Some(shared) => shared.slice_ref(value),
        None => Bytes::copy_from_slice(value),
    };
    Ok(())
}

#[inline(never)]
pub(super) fn strings(texts: &mut Vec<String>, field: &mut Field<'_>) -> Result<(), DecodeError> {
    texts.push(field.text()?.to_owned());
    Ok(())
}

/// Merges a message.
#[inline(never)]
pub(super) fn message<M: Fields>(
    message: &mut M,
    field: &mut Field<'_>,
) -> Result<(), DecodeError> {
    all(message, Field::of(field.bytes()?))
}

#[inline(never)]
pub(super) fn messages<M: Fields>(
    messages: &mut Vec<M>,
    field: &mut Field<'_>,
) -> Result<(), DecodeError> {
    let encoded = field.bytes()?;
    messages.push(M::default());
    // In place, because messages are large.
    messages
        .last_mut()
        .map_or(Ok(()), |last| all(last, Field::of(encoded)))
}
