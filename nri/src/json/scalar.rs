//! Numbers, texts, booleans and names of enums.

use std::fmt;

use serde_core::Serializer;
use serde_core::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

use super::read::Read;
use super::write::Write;
use super::{Enum, Named, Place, Plain, Unknown};

/// A scalar in any form that formats use.
enum Scalar {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl Visitor<'_> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, a number, a boolean or null")
    }

    fn visit_unit<E: Error>(self) -> Result<Scalar, E> {
        Ok(Scalar::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Scalar, E> {
        Ok(Scalar::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Scalar, E> {
        Ok(Scalar::Integer(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Scalar, E> {
        Ok(Scalar::Integer(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Scalar, E> {
        Ok(Scalar::Float(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(value.to_owned()))
    }
}

impl Scalar {
    fn boolean(&self) -> Option<bool> {
        match self {
            Scalar::Bool(value) => Some(*value),
            Scalar::Null | Scalar::Integer(_) | Scalar::Float(_) | Scalar::Text(_) => None,
        }
    }

    fn text(&self) -> Option<String> {
        match self {
            Scalar::Text(text) => Some(text.clone()),
            Scalar::Null | Scalar::Bool(_) | Scalar::Integer(_) | Scalar::Float(_) => None,
        }
    }

    fn integer<T: TryFrom<i128>>(&self) -> Option<T> {
        let integer = match self {
            Scalar::Integer(integer) => Some(*integer),
            Scalar::Float(value) => whole(*value),
            Scalar::Text(text) => text_integer(text),
            Scalar::Null | Scalar::Bool(_) => None,
        };
        integer.and_then(|integer| T::try_from(integer).ok())
    }

    /// Creates an error that names the actual and the expected type.
    fn unexpected<E: Error>(&self, expected: &str) -> E {
        let found = match self {
            Scalar::Null => Unexpected::Unit,
            Scalar::Bool(value) => Unexpected::Bool(*value),
            Scalar::Integer(value) => match i64::try_from(*value) {
                Ok(value) => Unexpected::Signed(value),
                Err(_) => Unexpected::Other("a large integer"),
            },
            Scalar::Float(value) => Unexpected::Float(*value),
            Scalar::Text(text) => Unexpected::Str(text),
        };
        E::invalid_value(found, &expected)
    }
}

/// Implements the mapping of scalars. Many readers treat JSON numbers as doubles, which cannot represent all integers
/// of 64 bits, so these are written as strings.
macro_rules! scalar {
    ($($type:ty, $read:ident, $expected:literal, |$value:ident, $serializer:ident| $write:expr;)*) => {$(
        impl Write<$type> for Plain {
            fn is_default(value: &$type) -> bool {
                *value == <$type>::default()
            }

            fn write<S: Serializer>($value: &$type, $serializer: S) -> Result<S::Ok, S::Error> {
                $write
            }
        }

        impl Read<$type> for Plain {
            fn read<'de, D: Deserializer<'de>>(d: D, _: Place) -> Result<Option<$type>, D::Error> {
                let value = Scalar::deserialize(d)?;
                let read = value.$read();
                read.map(Some).ok_or_else(|| value.unexpected($expected))
            }
        }
    )*};
}

scalar! {
    bool, boolean, "true or false", |value, serializer| serializer.serialize_bool(*value);
    i32, integer, "a 32-bit integer", |value, serializer| serializer.serialize_i32(*value);
    i64, integer, "a 64-bit integer", |value, serializer| serializer.collect_str(value);
    u32, integer, "a non-negative 32-bit integer", |value, serializer| serializer.serialize_u32(*value);
    u64, integer, "a non-negative 64-bit integer", |value, serializer| serializer.collect_str(value);
    String, text, "a string", |value, serializer| serializer.serialize_str(value);
}

impl<E: Enum> Write<i32> for Named<E> {
    fn is_default(value: &i32) -> bool {
        *value == 0
    }

    fn write<S: Serializer>(value: &i32, serializer: S) -> Result<S::Ok, S::Error> {
        match E::try_from(*value) {
            Ok(known) => serializer.serialize_str(known.name()),
            Err(_) => serializer.serialize_i32(*value),
        }
    }
}

impl<E: Enum> Read<i32> for Named<E> {
    fn read<'de, D: Deserializer<'de>>(d: D, place: Place) -> Result<Option<i32>, D::Error> {
        let value = Scalar::deserialize(d)?;
        let number = match &value {
            Scalar::Text(name) => E::from_name(name).map(E::into),
            Scalar::Null | Scalar::Bool(_) | Scalar::Integer(_) | Scalar::Float(_) => {
                value.integer()
            }
        };
        match (number, &value, place.unknown) {
            (None, Scalar::Text(_), Unknown::Ignore) => Ok(None),
            (None, _, _) => Err(value.unexpected(&format!("the name or number of a {}", E::NAME))),
            (Some(number), _, _) => Ok(Some(number)),
        }
    }
}

/// Returns a float such as `1e3` as an integer, if it is one.
fn whole(value: f64) -> Option<i128> {
    // All larger values exceed 64 bits anyway.
    (value.fract() == 0.0 && value.abs() < 1e20).then_some(value as i128)
}

/// Parses an integer in quotes: digits after an optional minus sign, without leading zeros.
fn text_integer(text: &str) -> Option<i128> {
    let integer: i128 = text.parse().ok()?;
    (integer.to_string() == text).then_some(integer)
}
