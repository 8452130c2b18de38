//! Numbers, texts and booleans as read from a format, to be encoded as the type of a field.

use std::fmt;

use prost::bytes::BufMut;
use prost::encoding::{WireType, encode_key, encode_varint};
use serde_core::de::{Deserialize, Deserializer, Error, Expected, Unexpected, Visitor};

use super::base64;
use super::schema::{Enum, Kind, Message};

/// A scalar in any form that formats use.
pub(super) enum Scalar {
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

    fn visit_none<E: Error>(self) -> Result<Scalar, E> {
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

    fn visit_i128<E: Error>(self, value: i128) -> Result<Scalar, E> {
        Ok(Scalar::Integer(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Scalar, E> {
        Ok(Scalar::Float(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(value.to_owned()))
    }
}

impl Scalar {
    /// Appends the encoding of this value as the type of a field, including the field key. Returns
    /// `false` if it is an unknown enum value name.
    ///
    /// # Errors
    ///
    /// Returns an error if the value does not have that type.
    pub(super) fn encode<E: Error>(
        &self,
        kind: Kind,
        number: u32,
        out: &mut Vec<u8>,
    ) -> Result<bool, E> {
        match kind {
            Kind::String => bytes(number, self.text(kind)?.as_bytes(), out),
            Kind::Bytes => bytes(number, &self.bytes(kind)?, out),
            Kind::Enum(description) => {
                let Some(value) = self.enum_number(description)? else {
                    return Ok(false);
                };
                encode_key(number, WireType::Varint, out);
                encode_varint(i64::from(value) as u64, out);
            }
            Kind::Message(_) => return Err(self.unexpected(kind)),
            Kind::Bool
            | Kind::Int32
            | Kind::Int64
            | Kind::Uint32
            | Kind::Uint64
            | Kind::Sint32
            | Kind::Sint64
            | Kind::Fixed32
            | Kind::Fixed64
            | Kind::Sfixed32
            | Kind::Sfixed64
            | Kind::Float
            | Kind::Double => {
                encode_key(number, kind.wire_type(), out);
                self.encode_number(kind, out)?;
            }
        }
        Ok(true)
    }

    fn encode_number<E: Error>(&self, kind: Kind, out: &mut Vec<u8>) -> Result<(), E> {
        match kind {
            Kind::Bool => encode_varint(u64::from(self.boolean(kind)?), out),
            Kind::Int32 => encode_varint(i64::from(self.integer::<i32, E>(kind)?) as u64, out),
            Kind::Int64 => encode_varint(self.integer::<i64, E>(kind)? as u64, out),
            Kind::Uint32 => encode_varint(self.integer::<u32, E>(kind)?.into(), out),
            Kind::Uint64 => encode_varint(self.integer(kind)?, out),
            Kind::Sint32 => encode_varint(zigzag(self.integer::<i32, E>(kind)?.into()), out),
            Kind::Sint64 => encode_varint(zigzag(self.integer(kind)?), out),
            Kind::Fixed32 => out.put_u32_le(self.integer(kind)?),
            Kind::Fixed64 => out.put_u64_le(self.integer(kind)?),
            Kind::Sfixed32 => out.put_i32_le(self.integer(kind)?),
            Kind::Sfixed64 => out.put_i64_le(self.integer(kind)?),
            Kind::Float => out.put_f32_le(self.single(kind)?),
            Kind::Double => out.put_f64_le(self.float(kind)?),
            Kind::String | Kind::Bytes | Kind::Enum(_) | Kind::Message(_) => {
                return Err(self.unexpected(kind));
            }
        }
        Ok(())
    }

    fn text<E: Error>(&self, kind: Kind) -> Result<&str, E> {
        match self {
            Scalar::Text(text) => Ok(text),
            Scalar::Null | Scalar::Bool(_) | Scalar::Integer(_) | Scalar::Float(_) => {
                Err(self.unexpected(kind))
            }
        }
    }

    fn bytes<E: Error>(&self, kind: Kind) -> Result<Vec<u8>, E> {
        base64::decode(self.text(kind)?).ok_or_else(|| self.unexpected(kind))
    }

    fn boolean<E: Error>(&self, kind: Kind) -> Result<bool, E> {
        match self {
            Scalar::Bool(value) => Ok(*value),
            Scalar::Null | Scalar::Integer(_) | Scalar::Float(_) | Scalar::Text(_) => {
                Err(self.unexpected(kind))
            }
        }
    }

    /// Returns the number of an enum value, or `None` for an unknown name.
    pub(super) fn enum_number<E: Error>(
        &self,
        description: &'static Enum,
    ) -> Result<Option<i32>, E> {
        match self {
            Scalar::Text(name) => Ok(description.value_number(name)),
            Scalar::Null | Scalar::Bool(_) | Scalar::Integer(_) | Scalar::Float(_) => {
                self.integer(Kind::Enum(description)).map(Some)
            }
        }
    }

    fn integer<T: TryFrom<i128>, E: Error>(&self, kind: Kind) -> Result<T, E> {
        let integer = match self {
            Scalar::Integer(integer) => Some(*integer),
            Scalar::Float(value) => whole(*value),
            Scalar::Text(text) => text_integer(text),
            Scalar::Null | Scalar::Bool(_) => None,
        };
        let fitting = integer.and_then(|integer| T::try_from(integer).ok());
        fitting.ok_or_else(|| self.unexpected(kind))
    }

    fn float<E: Error>(&self, kind: Kind) -> Result<f64, E> {
        match self {
            Scalar::Integer(integer) => Ok(*integer as f64),
            Scalar::Float(value) => Ok(*value),
            Scalar::Text(text) => text_float(text).ok_or_else(|| self.unexpected(kind)),
            Scalar::Null | Scalar::Bool(_) => Err(self.unexpected(kind)),
        }
    }

    fn single<E: Error>(&self, kind: Kind) -> Result<f32, E> {
        let value = self.float(kind)?;
        let single = value as f32;
        if value.is_finite() && !single.is_finite() {
            return Err(self.unexpected(kind));
        }
        Ok(single)
    }

    /// Creates an error that names the actual and the expected type.
    pub(super) fn unexpected<E: Error>(&self, kind: Kind) -> E {
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
        E::invalid_value(found, &kind)
    }
}

impl Kind {
    pub(super) fn wire_type(self) -> WireType {
        match self {
            Kind::Fixed32 | Kind::Sfixed32 | Kind::Float => WireType::ThirtyTwoBit,
            Kind::Fixed64 | Kind::Sfixed64 | Kind::Double => WireType::SixtyFourBit,
            Kind::String | Kind::Bytes | Kind::Message(_) => WireType::LengthDelimited,
            Kind::Bool
            | Kind::Int32
            | Kind::Int64
            | Kind::Uint32
            | Kind::Uint64
            | Kind::Sint32
            | Kind::Sint64
            | Kind::Enum(_) => WireType::Varint,
        }
    }
}

/// Describes a value of this type, for errors.
impl Expected for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = match self {
            Kind::Bool => "true or false",
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => "a 32-bit integer",
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => "a 64-bit integer",
            Kind::Uint32 | Kind::Fixed32 => "a non-negative 32-bit integer",
            Kind::Uint64 | Kind::Fixed64 => "a non-negative 64-bit integer",
            Kind::Float => "a number within the range of a float",
            Kind::Double => "a number",
            Kind::String => "a string",
            Kind::Bytes => "bytes in base64",
            Kind::Enum(Enum { name, .. }) => return write!(f, "the name or number of a {name}"),
            Kind::Message(Message { name, .. }) => {
                return write!(f, "an object with the fields of {name}");
            }
        };
        f.write_str(expected)
    }
}

/// Appends a length-delimited field.
pub(super) fn bytes(number: u32, value: &[u8], out: &mut Vec<u8>) {
    encode_key(number, WireType::LengthDelimited, out);
    encode_varint(value.len() as u64, out);
    out.extend_from_slice(value);
}

fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

/// Returns a float such as `1e3` as an integer, if it is one.
fn whole(value: f64) -> Option<i128> {
    // All larger values exceed 64 bits anyway.
    (value.fract() == 0.0 && value.abs() < 1e20).then_some(value as i128)
}

/// Parses a JSON number that is an integer, such as `-17` or `1e3`.
fn text_integer(text: &str) -> Option<i128> {
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain(text.strip_prefix('-').unwrap_or(text)) {
        return is_number(text).then(|| text.parse().ok()).flatten();
    }
    text_float(text).and_then(whole)
}

fn text_float(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => text
            .parse()
            .ok()
            .filter(|value: &f64| is_number(text) && value.is_finite()),
    }
}

/// Returns true if the text is a number by the grammar of JSON, [RFC
/// 8259](https://www.rfc-editor.org/rfc/rfc8259#section-6): no plus sign, no leading zero, no
/// spaces.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (integer, fraction) = match mantissa.split_once('.') {
        Some((integer, fraction)) => (integer, Some(fraction)),
        None => (mantissa, None),
    };
    let integer = integer.strip_prefix('-').unwrap_or(integer);
    let exponent = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    digits(integer)
        && (integer == "0" || !integer.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_of_json_are_numbers() {
        for right in ["0", "-0", "7", "-17", "1.5", "1e3", "1E+3", "-0.25e-2"] {
            assert!(is_number(right), "{right}");
        }
        for wrong in [
            "", "-", "+1", "01", "1.", ".5", "1e", " 1", "1 ", "0x10", "1_000", "NaN",
        ] {
            assert!(!is_number(wrong), "{wrong}");
        }
    }

    #[test]
    fn integers_are_whole_however_they_are_written() {
        assert_eq!(text_integer("18446744073709551615"), Some(u64::MAX.into()));
        assert_eq!(text_integer("1e3"), Some(1000));
        assert_eq!(text_integer("2.0"), Some(2));
        assert_eq!(text_integer("2.5"), None);
        assert_eq!(text_integer("-"), None);
        assert_eq!(whole(f64::NAN), None);
    }
}
