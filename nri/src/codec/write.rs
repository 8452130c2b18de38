//! Encodes messages, and reads and writes the types of fields.
//!
//! A message is written from its end to its start: when the length of a part is due, the part is
//! already written.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::read::{self, Field};
use super::wire::{MAX_VARINT, WireType, encode_varint, key_of};
use super::{DecodeError, Fields, Value};

/// The number of the key in a map entry.
const MAP_KEY: u32 = 1;
/// The number of the value in a map entry.
const MAP_VALUE: u32 = 2;

/// An encoded message that is complete from some place to its end.
pub(crate) struct Writer<'a> {
    /// As long as the message will be; empty if its length is being counted.
    buffer: &'a mut [u8],
    len: usize,
}

/// Returns the number of bytes that `write` writes.
pub(super) fn count(write: impl Fn(&mut Writer<'_>)) -> usize {
    let mut writer = Writer::new(&mut []);
    write(&mut writer);
    writer.len
}

/// Appends the bytes that `write` writes.
pub(super) fn append(to: &mut Vec<u8>, write: impl Fn(&mut Writer<'_>)) {
    let start = to.len();
    to.resize(start + count(&write), 0);
    write(&mut Writer::new(&mut to[start..]));
}

impl<'a> Writer<'a> {
    /// Creates a writer of bytes that fill the buffer, or one that only counts if the buffer is
    /// empty.
    fn new(buffer: &'a mut [u8]) -> Self {
        Writer { buffer, len: 0 }
    }

    #[inline(never)]
    fn put(&mut self, bytes: &[u8]) {
        if !self.buffer.is_empty() {
            let end = self.buffer.len() - self.len;
            let start = end - bytes.len(); // not below 0: the same fields were counted before
            self.buffer[start..end].copy_from_slice(bytes);
        }
        self.len += bytes.len();
    }

    #[inline(never)]
    fn varint(&mut self, value: u64) {
        let mut bytes = [0; MAX_VARINT];
        let length = encode_varint(value, &mut bytes);
        self.put(&bytes[..length]);
    }

    fn key(&mut self, number: u32, wire_type: WireType) {
        self.varint(key_of(number, wire_type));
    }

    #[inline(never)]
    fn number(&mut self, number: u32, value: u64) {
        if value != 0 {
            self.varint(value);
            self.key(number, WireType::Varint);
        }
    }

    #[inline(never)]
    fn text(&mut self, number: u32, text: &str) {
        let start = self.len;
        self.put(text.as_bytes());
        self.delimit(number, start);
    }

    /// Writes a message as a field, even an empty one.
    pub(super) fn nested(&mut self, number: u32, write: impl FnOnce(&mut Self)) {
        let start = self.len;
        write(self);
        self.delimit(number, start);
    }

    /// Writes the length of all that was written since `start`, and the key of its field.
    #[inline(never)]
    fn delimit(&mut self, number: u32, start: usize) {
        self.varint((self.len - start) as u64);
        self.key(number, WireType::LengthDelimited);
    }
}

/// Implements [`Value`] for numbers, and for lists of them.
macro_rules! number {
    ($($number:ty: |$value:ident| $to:expr, |$encoded:ident| $from:expr;)*) => {$(
        impl Value for $number {
            fn read(&mut self, field: &mut Field<'_>) -> Result<(), DecodeError> {
                let $encoded = field.varint()?;
                *self = $from;
                Ok(())
            }

            fn write(&self, number: u32, writer: &mut Writer<'_>) {
                let $value = *self;
                writer.number(number, $to);
            }
        }

        impl Value for Vec<$number> {
            fn read(&mut self, field: &mut Field<'_>) -> Result<(), DecodeError> {
                let budget = field.budget;
                field.numbers(|$encoded| {
                    budget.make_room(self)?;
                    self.push($from);
                    Ok(())
                })
            }

            fn write(&self, number: u32, writer: &mut Writer<'_>) {
                let start = writer.len;
                for $value in self.iter().rev().copied() {
                    writer.varint($to);
                }
                if !self.is_empty() {
                    writer.delimit(number, start);
                }
            }
        }
    )*};
}

// A number that is too large for its type is cut off, and a negative one has the encoding of a
// 64-bit number.
number! {
    bool: |value| u64::from(value), |encoded| encoded != 0;
    i32: |value| i64::from(value) as u64, |encoded| encoded as i32;
    i64: |value| value as u64, |encoded| encoded as i64;
    u32: |value| u64::from(value), |encoded| encoded as u32;
    u64: |value| value, |encoded| encoded;
}

impl Value for String {
    #[inline(never)]
    fn read(&mut self, field: &mut Field<'_>) -> Result<(), DecodeError> {
        let value = field.text()?;
        if value.len() > self.capacity() {
            field.budget.charge_text(value.len())?;
        }
        self.clear();
        self.push_str(value);
        Ok(())
    }

    fn write(&self, number: u32, writer: &mut Writer<'_>) {
        if !self.is_empty() {
            writer.text(number, self);
        }
    }
}

impl Value for Bytes {
    fn read(&mut self, field: &mut Field<'_>) -> Result<(), DecodeError> {
        let value = field.bytes()?;
        *self = match field.shared {
            Some(shared) => shared.slice_ref(value),
            None => {
                field.budget.charge_text(value.len())?;
                Bytes::copy_from_slice(value)
            }
        };
        Ok(())
    }

    fn write(&self, number: u32, writer: &mut Writer<'_>) {
        if !self.is_empty() {
            let start = writer.len;
            writer.put(self);
            writer.delimit(number, start);
        }
    }
}

impl Value for Vec<String> {
    #[inline(never)]
    fn read(&mut self, field: &mut Field<'_>) -> Result<(), DecodeError> {
        let text = field.text()?;
        field.budget.make_room(self)?;
        field.budget.charge_text(text.len())?;
        self.push(text.to_owned());
        Ok(())
    }

    #[inline(never)]
    fn write(&self, number: u32, writer: &mut Writer<'_>) {
        for text in self.iter().rev() {
            writer.text(number, text);
        }
    }
}

/// A message as the value in a map.
impl<M: Fields> Value for M {
    fn read(&mut self, field: &mut Field<'_>) -> Result<(), DecodeError> {
        read::message(self, field)
    }

    fn write(&self, number: u32, writer: &mut Writer<'_>) {
        let start = writer.len;
        Fields::write(self, writer);
        if writer.len > start {
            writer.delimit(number, start);
        }
    }
}

impl<M: Fields> Value for Option<M> {
    fn read(&mut self, field: &mut Field<'_>) -> Result<(), DecodeError> {
        if M::APART > 0 && self.is_none() {
            field.budget.charge_block(M::APART)?;
        }
        read::message(self.get_or_insert_default(), field)
    }

    fn write(&self, number: u32, writer: &mut Writer<'_>) {
        if let Some(message) = self {
            write_message(message, number, writer);
        }
    }
}

impl<M: Fields> Value for Vec<M> {
    #[inline(never)]
    fn read(&mut self, field: &mut Field<'_>) -> Result<(), DecodeError> {
        let encoded = field.nested()?;
        field.budget.make_room(self)?;
        // In place, because messages are large.
        self.push(M::default());
        self.last_mut().map_or(Ok(()), |last| read::all(last, encoded))
    }

    fn write(&self, number: u32, writer: &mut Writer<'_>) {
        for message in self.iter().rev() {
            write_message(message, number, writer);
        }
    }
}

/// Writes a message, even an empty one. Not inlined, so that the program has one copy for each type
/// of message.
#[inline(never)]
pub(super) fn write_message<M: Fields>(message: &M, number: u32, writer: &mut Writer<'_>) {
    writer.nested(number, |writer| message.write(writer));
}

impl<K: Value + Default + Ord, V: Value + Default> Value for BTreeMap<K, V> {
    #[inline(never)]
    fn read(&mut self, field: &mut Field<'_>) -> Result<(), DecodeError> {
        let (mut key, mut value) = (K::default(), V::default());
        let mut part = field.nested()?;
        while part.next()? {
            match part.number() {
                MAP_KEY => key.read(&mut part)?,
                MAP_VALUE => value.read(&mut part)?,
                _ => part.skip()?,
            }
        }
        field.budget.charge_entry::<K, V>(self.len())?;
        self.insert(key, value);
        Ok(())
    }

    #[inline(never)]
    fn write(&self, number: u32, writer: &mut Writer<'_>) {
        for (key, value) in self.iter().rev() {
            let start = writer.len;
            value.write(MAP_VALUE, writer);
            key.write(MAP_KEY, writer);
            writer.delimit(number, start);
        }
    }
}
