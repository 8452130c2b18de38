//! Decodes messages.

use bytes::Bytes;

use super::Fields;
use super::budget::Budget;
use super::error::{DecodeError, Problem};
use super::wire::{self, WireType};

/// A field whose value is to be read, and what comes after it.
pub(crate) struct Field<'a> {
    number: u32,
    wire_type: WireType,
    rest: &'a [u8],
    /// The memory that the message is in, if its fields may share it.
    pub(super) shared: Option<&'a Bytes>,
    /// The memory that is left for the message and all that it is a part of.
    pub(super) budget: &'a Budget,
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
    message.read(field).map_err(|error| located(error, M::NAME, M::FIELDS, field.number))
}

#[cold]
fn located(
    error: DecodeError,
    message: &'static str,
    fields: &'static str,
    number: u32,
) -> DecodeError {
    let mut rows = fields.lines().filter_map(|line| line.split_once(' '));
    match rows.find(|(known, _)| known.parse() == Ok(number)) {
        Some((_, name)) => error.within(message, name),
        None => error,
    }
}

impl<'a> Field<'a> {
    /// Creates a reader before the first field of a message.
    pub(super) fn of(encoded: &'a [u8], budget: &'a Budget) -> Self {
        Field { number: 0, wire_type: WireType::Varint, rest: encoded, shared: None, budget }
    }

    /// Creates the same for a message with fields that share its memory.
    pub(super) fn of_shared(encoded: &'a Bytes, budget: &'a Budget) -> Self {
        Field { shared: Some(encoded), ..Self::of(encoded, budget) }
    }

    /// Takes the value as a message, and returns a reader before its first field.
    pub(super) fn nested(&mut self) -> Result<Self, DecodeError> {
        Ok(Self::of(self.bytes()?, self.budget))
    }

    /// Returns the number of the field.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Moves on to the next field. Returns false if there is none.
    #[inline(never)]
    pub(super) fn next(&mut self) -> Result<bool, DecodeError> {
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
    pub(super) fn bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        self.expect(WireType::LengthDelimited)?;
        wire::bytes(&mut self.rest)
    }

    #[inline(never)]
    pub(super) fn text(&mut self) -> Result<&'a str, DecodeError> {
        str::from_utf8(self.bytes()?).map_err(|_| Problem::Text.into())
    }

    /// Reads one number, or several if they are packed.
    #[inline(never)]
    pub(super) fn numbers(
        &mut self,
        mut push: impl FnMut(u64) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        if self.wire_type != WireType::LengthDelimited {
            return push(self.varint()?);
        }
        let mut packed = self.bytes()?;
        while !packed.is_empty() {
            push(wire::varint(&mut packed)?)?;
        }
        Ok(())
    }
}

/// Merges a message.
#[inline(never)]
pub(super) fn message<M: Fields>(
    message: &mut M,
    field: &mut Field<'_>,
) -> Result<(), DecodeError> {
    all(message, field.nested()?)
}
