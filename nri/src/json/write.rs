//! Serializes an encoded message by means of its description.

use prost::bytes::Buf;
use prost::encoding::{WireType, decode_key, decode_varint};
use serde_core::ser::{Error, SerializeMap, SerializeSeq};
use serde_core::{Serialize, Serializer};

use super::base64;
use super::schema::{Enum, Field, Kind, MAP_KEY, MAP_VALUE, Message, Shape};
use super::table::HAS_FLOATS;

/// Whether to include the code that writes floating-point numbers. It takes 25 KiB in `serde_json`.
const WRITES_FLOATS: bool = HAS_FLOATS || cfg!(test);

/// Serializes a message.
pub(super) fn message<S: Serializer>(
    message: &impl prost::Message,
    description: &'static Message,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let encoded = message.encode_to_vec();
    let value = Encoded {
        message: description,
        bytes: &encoded,
    };
    value.serialize(serializer)
}

/// Serializes a value of an enum.
pub(super) fn enumeration<S: Serializer>(
    number: i32,
    description: &Enum,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match description.value_name(number) {
        Some(name) => serializer.serialize_str(name),
        None => serializer.serialize_i32(number),
    }
}

/// An encoded message.
struct Encoded<'a> {
    message: &'static Message,
    bytes: &'a [u8],
}

/// A value on the wire.
#[derive(Clone, Copy)]
enum Raw<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The values of one field, with their type.
struct Values<'v, 'a> {
    field: &'static Field,
    raw: &'v [(usize, Raw<'a>)],
}

/// A value with its type.
struct Value<'a> {
    kind: Kind,
    raw: Raw<'a>,
}

impl Serialize for Encoded<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let found = self.values().ok_or_else(unreadable)?;
        let mut map = serializer.serialize_map(None)?;
        // Messages are encoded in the order of their field numbers, so the values of a list are adjacent.
        for raw in found.chunk_by(|(a, _), (b, _)| a == b) {
            let field = raw.first().and_then(|(at, _)| self.message.fields.get(*at));
            let field = field.ok_or_else(unreadable)?;
            map.serialize_entry(field.json_name, &Values { field, raw })?;
        }
        map.end()
    }
}

impl<'a> Encoded<'a> {
    /// Returns all values, each with the position of its field.
    fn values(&self) -> Option<Vec<(usize, Raw<'a>)>> {
        let mut values = Vec::new();
        let mut rest = self.bytes;
        while rest.has_remaining() {
            let (number, raw, kind) = next(&mut rest)?;
            let mut fields = self.message.fields.iter();
            let Some(at) = fields.position(|field| field.number == number) else {
                continue;
            };
            match (self.message.fields.get(at)?, raw) {
                (
                    Field {
                        shape: Shape::List,
                        kind: element,
                        ..
                    },
                    Raw::Bytes(packed),
                ) if kind == WireType::LengthDelimited && element.is_packable() => {
                    unpack(*element, packed, |raw| values.push((at, raw)))?;
                }
                _ => values.push((at, raw)),
            }
        }
        Some(values)
    }
}

/// Reads the next value and its field number.
fn next<'a>(rest: &mut &'a [u8]) -> Option<(u32, Raw<'a>, WireType)> {
    let (number, wire_type) = decode_key(rest).ok()?;
    let raw = match wire_type {
        WireType::LengthDelimited => {
            let length = usize::try_from(decode_varint(rest).ok()?).ok()?;
            let (bytes, behind) = rest.split_at_checked(length)?;
            *rest = behind;
            Raw::Bytes(bytes)
        }
        wire_type => number_of(wire_type, rest)?,
    };
    Some((number, raw, wire_type))
}

fn number_of<'a>(wire_type: WireType, rest: &mut &'a [u8]) -> Option<Raw<'a>> {
    let number = match wire_type {
        WireType::Varint => decode_varint(rest).ok()?,
        WireType::ThirtyTwoBit => u64::from(rest.try_get_u32_le().ok()?),
        WireType::SixtyFourBit => rest.try_get_u64_le().ok()?,
        WireType::LengthDelimited | WireType::StartGroup | WireType::EndGroup => return None,
    };
    Some(Raw::Number(number))
}

/// Reads the values of a packed list.
fn unpack<'a>(kind: Kind, mut packed: &'a [u8], mut each: impl FnMut(Raw<'a>)) -> Option<()> {
    while packed.has_remaining() {
        each(number_of(kind.wire_type(), &mut packed)?);
    }
    Some(())
}

impl Serialize for Values<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Values { field, raw } = self;
        match field.shape {
            Shape::Single => {
                let raw = raw.last().map(|(_, raw)| *raw).ok_or_else(unreadable)?;
                Value {
                    kind: field.kind,
                    raw,
                }
                .serialize(serializer)
            }
            Shape::List => {
                let mut list = serializer.serialize_seq(Some(raw.len()))?;
                for (_, raw) in *raw {
                    list.serialize_element(&Value {
                        kind: field.kind,
                        raw: *raw,
                    })?;
                }
                list.end()
            }
            Shape::Map(key) => {
                let mut map = serializer.serialize_map(Some(raw.len()))?;
                for (_, raw) in *raw {
                    let (key, value) = entry(key, field.kind, *raw).ok_or_else(unreadable)?;
                    map.serialize_entry(&key, &value)?;
                }
                map.end()
            }
        }
    }
}

/// Returns the key, as text, and the value of a map entry; either has its default if it is omitted.
fn entry(key: Kind, value: Kind, raw: Raw<'_>) -> Option<(String, Value<'_>)> {
    let Raw::Bytes(mut entry) = raw else {
        return None;
    };
    let (mut key_raw, mut value_raw) = (key.default(), value.default());
    while entry.has_remaining() {
        match next(&mut entry)? {
            (MAP_KEY, raw, _) => key_raw = raw,
            (MAP_VALUE, raw, _) => value_raw = raw,
            _ => {}
        }
    }
    let value = Value {
        kind: value,
        raw: value_raw,
    };
    Some((key_text(key, key_raw)?, value))
}

fn key_text(kind: Kind, raw: Raw<'_>) -> Option<String> {
    match (kind, raw) {
        (Kind::String, Raw::Bytes(text)) => std::str::from_utf8(text).ok().map(str::to_owned),
        (Kind::Bool, Raw::Number(number)) => Some((number != 0).to_string()),
        (kind, Raw::Number(number)) => Some(kind.integer(number)?.to_string()),
        _ => None,
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.raw {
            Raw::Number(number) => serialize_number(self.kind, number, serializer),
            Raw::Bytes(bytes) => serialize_bytes(self.kind, bytes, serializer),
        }
    }
}

fn serialize_number<S: Serializer>(
    kind: Kind,
    number: u64,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match kind {
        Kind::Bool => serializer.serialize_bool(number != 0),
        Kind::Float | Kind::Double if !WRITES_FLOATS => Err(unreadable()),
        Kind::Float => {
            let value = f32::from_bits(number as u32);
            match not_finite(f64::from(value)) {
                Some(name) => serializer.serialize_str(name),
                None => serializer.serialize_f32(value),
            }
        }
        Kind::Double => {
            let value = f64::from_bits(number);
            match not_finite(value) {
                Some(name) => serializer.serialize_str(name),
                None => serializer.serialize_f64(value),
            }
        }
        Kind::Enum(description) => enumeration(number as i32, description, serializer),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 | Kind::Uint32 | Kind::Fixed32 => {
            let integer = kind
                .integer(number)
                .and_then(|integer| i64::try_from(integer).ok());
            serializer.serialize_i64(integer.ok_or_else(unreadable)?)
        }
        // Many readers treat JSON numbers as doubles, which cannot represent these.
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 | Kind::Uint64 | Kind::Fixed64 => {
            let integer = kind.integer(number).ok_or_else(unreadable)?;
            serializer.collect_str(&integer)
        }
        Kind::String | Kind::Bytes | Kind::Message(_) => Err(unreadable()),
    }
}

fn serialize_bytes<S: Serializer>(
    kind: Kind,
    bytes: &[u8],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match kind {
        Kind::String => {
            serializer.serialize_str(std::str::from_utf8(bytes).map_err(S::Error::custom)?)
        }
        Kind::Bytes => serializer.serialize_str(&base64::encode(bytes)),
        Kind::Message(message) => Encoded { message, bytes }.serialize(serializer),
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
        | Kind::Double
        | Kind::Enum(_) => Err(unreadable()),
    }
}

fn not_finite(value: f64) -> Option<&'static str> {
    match value {
        value if value.is_nan() => Some("NaN"),
        f64::INFINITY => Some("Infinity"),
        f64::NEG_INFINITY => Some("-Infinity"),
        _ => None,
    }
}

impl Kind {
    /// Returns the value of an omitted field.
    fn default(self) -> Raw<'static> {
        if self.is_packable() {
            Raw::Number(0)
        } else {
            Raw::Bytes(&[])
        }
    }

    /// Returns true if a list of these may be packed: they are numbers on the wire.
    fn is_packable(self) -> bool {
        self.wire_type() != WireType::LengthDelimited
    }

    /// Returns the integer that this number on the wire represents, or `None` if this is not an
    /// integer type.
    fn integer(self, number: u64) -> Option<i128> {
        let zigzag = |number: u64| (number >> 1) as i64 ^ -((number & 1) as i64);
        Some(match self {
            Kind::Int32 | Kind::Sfixed32 => i128::from(number as i32),
            Kind::Int64 | Kind::Sfixed64 => i128::from(number as i64),
            Kind::Uint32 | Kind::Fixed32 => i128::from(number as u32),
            Kind::Uint64 | Kind::Fixed64 => i128::from(number),
            Kind::Sint32 => i128::from(zigzag(number) as i32),
            Kind::Sint64 => i128::from(zigzag(number)),
            Kind::Bool
            | Kind::Float
            | Kind::Double
            | Kind::String
            | Kind::Bytes
            | Kind::Enum(_)
            | Kind::Message(_) => return None,
        })
    }
}

/// Returns an error that cannot occur for data encoded by prost, unless the table and the messages
/// are from two revisions.
fn unreadable<E: Error>() -> E {
    E::custom("the message does not match its description")
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Encoded, Message};

    /// Returns an encoded message as JSON.
    pub(in super::super) fn encoded(message: &'static Message, bytes: &[u8]) -> serde_json::Value {
        serde_json::to_value(Encoded { message, bytes }).unwrap()
    }
}
