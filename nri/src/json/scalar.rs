//! Numbers, texts, booleans and names of enums.

use std::fmt;

use serde_core::Serializer;
use serde_core::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

use super::value::Json;
use super::{Enum, Named, Plain};

impl Json<bool> for Plain {
    fn write<S: Serializer>(value: &bool, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(*value)
    }

    fn read<'de, const STRICT: bool, D: Deserializer<'de>>(d: D) -> Result<Option<bool>, D::Error> {
        bool::deserialize(d).map(Some)
    }
}

impl Json<String> for Plain {
    fn write<S: Serializer>(value: &String, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(value)
    }

    fn read<'de, const STRICT: bool, D: Deserializer<'de>>(
        d: D,
    ) -> Result<Option<String>, D::Error> {
        String::deserialize(d).map(Some)
    }
}

/// Implements the mapping of integers. Many readers treat JSON numbers as doubles, which cannot
/// represent all integers of 64 bits, so these are written as strings.
macro_rules! integer {
    ($($type:ty, $expected:literal, |$value:ident, $serializer:ident| $write:expr;)*) => {$(
        impl Json<$type> for Plain {
            fn write<S: Serializer>($value: &$type, $serializer: S) -> Result<S::Ok, S::Error> {
                $write
            }

            fn read<'de, const STRICT: bool, D: Deserializer<'de>>(
                d: D,
            ) -> Result<Option<$type>, D::Error> {
                let value = Scalar::deserialize(d)?;
                let integer = value.integer().and_then(|integer| integer.try_into().ok());
                integer.map(Some).ok_or_else(|| value.unexpected($expected))
            }
        }
    )*};
}

integer! {
    i32, "a 32-bit integer", |value, serializer| serializer.serialize_i32(*value);
    i64, "a 64-bit integer", |value, serializer| serializer.collect_str(value);
    u32, "a non-negative 32-bit integer", |value, serializer| serializer.serialize_u32(*value);
    u64, "a non-negative 64-bit integer", |value, serializer| serializer.collect_str(value);
}

impl<E: Enum> Json<i32> for Named<E> {
    fn write<S: Serializer>(value: &i32, serializer: S) -> Result<S::Ok, S::Error> {
        match E::try_from(*value) {
            Ok(known) => serializer.serialize_str(known.name()),
            Err(_) => serializer.serialize_i32(*value),
        }
    }

    fn read<'de, const STRICT: bool, D: Deserializer<'de>>(d: D) -> Result<Option<i32>, D::Error> {
        let value = Scalar::deserialize(d)?;
        let number = match &value {
            Scalar::Text(name) => match E::from_name(name) {
                None if !STRICT => return Ok(None),
                known => known.map(E::into),
            },
            Scalar::Integer(integer) => i32::try_from(*integer).ok(),
        };
        let expected = || format!("the name or number of a {}", E::NAME);
        number.map(Some).ok_or_else(|| value.unexpected(&expected()))
    }
}

/// An integer or the name of an enum value, in any form that formats use.
enum Scalar {
    Integer(i128),
    Text(String),
}

impl Scalar {
    fn integer(&self) -> Option<i128> {
        match self {
            Scalar::Integer(integer) => Some(*integer),
            Scalar::Text(text) => text_integer(text),
        }
    }

    /// Creates an error that names the actual and the expected value.
    fn unexpected<E: Error>(&self, expected: &str) -> E {
        match self {
            Scalar::Integer(value) => {
                E::invalid_value(Unexpected::Other(&value.to_string()), &expected)
            }
            Scalar::Text(text) => E::invalid_value(Unexpected::Str(text), &expected),
        }
    }
}

/// Parses an integer in quotes: digits after an optional minus sign, without leading zeros.
fn text_integer(text: &str) -> Option<i128> {
    let integer: i128 = text.parse().ok()?;
    (integer.to_string() == text).then_some(integer)
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
        f.write_str("an integer or a string")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Scalar, E> {
        Ok(Scalar::Integer(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Scalar, E> {
        Ok(Scalar::Integer(value.into()))
    }

    /// Takes a float such as `1e3`, if it is an integer. All that are larger exceed 64 bits.
    fn visit_f64<E: Error>(self, value: f64) -> Result<Scalar, E> {
        if value.fract() == 0.0 && value.abs() < 1e20 {
            return Ok(Scalar::Integer(value as i128));
        }
        Err(E::invalid_value(Unexpected::Float(value), &self))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(value.to_owned()))
    }
}
