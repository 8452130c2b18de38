//! Decodes messages.

use std::collections::BTreeMap;

use prost::DecodeError;
use prost::encoding::{
    DecodeContext, WireType, check_wire_type, decode_key, decode_varint, skip_field, string,
};

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
}

/// Decodes all fields. Not inlined, so that the program has one copy for each type of message.
#[inline(never)]
pub(super) fn all<M: Fields>(message: &mut M, encoded: &[u8]) -> Result<(), DecodeError> {
    let mut field = Field::new(0, WireType::Varint, encoded);
    while field.next()? {
        one(message, &mut field)?;
    }
    Ok(())
}

/// Decodes one field. An error names it.
pub(super) fn one<M: Fields>(message: &mut M, field: &mut Field<'_>) -> Result<(), DecodeError> {
    let result = message.read(field);
    result.map_err(|error| located(error, M::NAME, M::FIELDS, field.number))
}

#[cold]
fn located(
    mut error: DecodeError,
    message: &'static str,
    fields: &'static str,
    number: u32,
) -> DecodeError {
    let mut fields = fields.lines().filter_map(|line| line.split_once(' '));
    if let Some((_, name)) = fields.find(|(known, _)| known.parse() == Ok(number)) {
        error.push(message, name);
    }
    error
}

impl<'a> Field<'a> {
    pub(super) fn new(number: u32, wire_type: WireType, rest: &'a [u8]) -> Self {
        Field {
            number,
            wire_type,
            rest,
        }
    }

    /// Returns the number of the field.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Returns the number of bytes that are left to read.
    pub(super) fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Moves on to the next field. Returns false if there is none.
    #[inline(never)]
    fn next(&mut self) -> Result<bool, DecodeError> {
        if self.rest.is_empty() {
            return Ok(false);
        }
        (self.number, self.wire_type) = decode_key(&mut self.rest)?;
        Ok(true)
    }

    /// Skips the value.
    #[inline(never)]
    pub(crate) fn skip(&mut self) -> Result<(), DecodeError> {
        let context = DecodeContext::default();
        skip_field(self.wire_type, self.number, &mut self.rest, context)
    }

    #[inline(never)]
    pub(super) fn varint(&mut self) -> Result<u64, DecodeError> {
        check_wire_type(WireType::Varint, self.wire_type)?;
        decode_varint(&mut self.rest)
    }

    #[inline(never)]
    fn bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        check_wire_type(WireType::LengthDelimited, self.wire_type)?;
        let mut rest = self.rest;
        let length = usize::try_from(decode_varint(&mut rest)?).unwrap_or(usize::MAX);
        match rest.split_at_checked(length) {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(bytes)
            }
            None => self.skip().map(|()| &[][..]), // fails, with the error of prost
        }
    }

    #[inline(never)]
    fn text(&mut self) -> Result<&'a str, DecodeError> {
        let mut start = self.rest;
        let bytes = self.bytes()?;
        str::from_utf8(bytes).or_else(|_| {
            let (mut text, context) = (String::new(), DecodeContext::default());
            string::merge(self.wire_type, &mut text, &mut start, context)?; // fails, with the error of prost
            Ok("")
        })
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
            push(decode_varint(&mut packed)?);
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
    let mut part = Field::new(0, WireType::Varint, field.bytes()?);
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
    all(message, field.bytes()?)
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
        .map_or(Ok(()), |last| all(last, encoded))
}
