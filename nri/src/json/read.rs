//! Encodes a message from the values that serde provides.

use std::fmt;

use serde_core::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::scalar::{Scalar, bytes};
use super::schema::{Enum, Field, Kind, MAP_KEY, MAP_VALUE, Message, Shape};

/// The treatment of unknown fields and enum value names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    Ignore,
    Refuse,
}

/// Reads an enum value from its name or its number.
pub(super) fn enumeration<'de, T, D>(
    description: &'static Enum,
    deserializer: D,
) -> Result<T, D::Error>
where
    T: TryFrom<i32>,
    D: Deserializer<'de>,
{
    let value = Scalar::deserialize(deserializer)?;
    let number = value.enum_number(description)?;
    let known = number.and_then(|number| T::try_from(number).ok());
    known.ok_or_else(|| value.unexpected(Kind::Enum(description)))
}

/// Reads a message and returns its encoding.
#[derive(Clone, Copy)]
pub(super) struct ReadMessage {
    pub(super) message: &'static Message,
    pub(super) unknown: Unknown,
}

impl<'de> DeserializeSeed<'de> for ReadMessage {
    type Value = Vec<u8>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<u8>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ReadMessage {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with the fields of {}", self.message.name)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<u8>, A::Error> {
        let mut out = Vec::new();
        let mut seen = vec![false; self.message.fields.len()];
        while let Some(name) = map.next_key::<String>()? {
            let Some((at, field)) = self.message.field(&name) else {
                self.unknown_field(&name)?;
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if seen
                .get_mut(at)
                .is_some_and(|seen| std::mem::replace(seen, true))
            {
                return Err(self.twice(field));
            }
            let unknown = self.unknown;
            map.next_value_seed(ReadField {
                field,
                unknown,
                out: &mut out,
            })?;
        }
        Ok(out)
    }
}

impl ReadMessage {
    fn unknown_field<E: Error>(&self, name: &str) -> Result<(), E> {
        match self.unknown {
            Unknown::Ignore => Ok(()),
            Unknown::Refuse => {
                let shown: String = name.chars().take(64).collect();
                Err(E::custom(format_args!(
                    "unknown field `{shown}` of {}",
                    self.message.name
                )))
            }
        }
    }

    fn twice<E: Error>(&self, field: &Field) -> E {
        E::custom(format_args!(
            "field `{}` of {} is given twice",
            field.json_name, self.message.name
        ))
    }
}

/// Reads a field and appends its encoding.
struct ReadField<'o> {
    field: &'static Field,
    unknown: Unknown,
    out: &'o mut Vec<u8>,
}

impl<'de> DeserializeSeed<'de> for ReadField<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for ReadField<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value of field `{}`", self.field.json_name)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let ReadField {
            field,
            unknown,
            out,
        } = self;
        match field.shape {
            Shape::Single => {
                let number = field.number;
                ReadValue {
                    kind: field.kind,
                    number,
                    unknown,
                    out,
                }
                .deserialize(deserializer)
                .map(drop)
            }
            Shape::List => deserializer.deserialize_seq(ReadList {
                field,
                unknown,
                out,
            }),
            Shape::Map(key) => deserializer.deserialize_map(ReadMap {
                field,
                key,
                unknown,
                out,
            }),
        }
    }
}

/// Reads one value and appends its encoding. Returns false if there is none, because an unknown
/// enum name may be ignored.
struct ReadValue<'o> {
    kind: Kind,
    number: u32,
    unknown: Unknown,
    out: &'o mut Vec<u8>,
}

impl<'de> DeserializeSeed<'de> for ReadValue<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        let ReadValue {
            kind,
            number,
            unknown,
            out,
        } = self;
        if let Kind::Message(message) = kind {
            let encoded = ReadMessage { message, unknown }.deserialize(deserializer)?;
            bytes(number, &encoded, out);
            return Ok(true);
        }
        let value = Scalar::deserialize(deserializer)?;
        let known = value.encode(kind, number, out)?;
        if !known && unknown == Unknown::Refuse {
            return Err(value.unexpected(kind));
        }
        Ok(known)
    }
}

struct ReadList<'o> {
    field: &'static Field,
    unknown: Unknown,
    out: &'o mut Vec<u8>,
}

impl<'de> Visitor<'de> for ReadList<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list for field `{}`", self.field.json_name)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let ReadList {
            field,
            unknown,
            out,
        } = self;
        let (kind, number) = (field.kind, field.number);
        while list
            .next_element_seed(ReadValue {
                kind,
                number,
                unknown,
                out: &mut *out,
            })?
            .is_some()
        {}
        Ok(())
    }
}

struct ReadMap<'o> {
    field: &'static Field,
    key: Kind,
    unknown: Unknown,
    out: &'o mut Vec<u8>,
}

impl<'de> Visitor<'de> for ReadMap<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object for field `{}`", self.field.json_name)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let ReadMap {
            field,
            key,
            unknown,
            out,
        } = self;
        let mut seen = std::collections::BTreeSet::new();
        while let Some(written) = map.next_key::<Scalar>()? {
            let mut entry = Vec::new();
            as_key(written, key).encode::<A::Error>(key, MAP_KEY, &mut entry)?;
            if !seen.insert(entry.clone()) {
                return Err(A::Error::custom(format_args!(
                    "field `{}` has a key twice",
                    field.json_name
                )));
            }
            let value = ReadValue {
                kind: field.kind,
                number: MAP_VALUE,
                unknown,
                out: &mut entry,
            };
            if map.next_value_seed(value)? {
                bytes(field.number, &entry, out);
            }
        }
        Ok(())
    }
}

/// Converts a map key, which JSON can only write as a string.
fn as_key(written: Scalar, kind: Kind) -> Scalar {
    match (kind, written) {
        (Kind::Bool, Scalar::Text(text)) if text == "true" => Scalar::Bool(true),
        (Kind::Bool, Scalar::Text(text)) if text == "false" => Scalar::Bool(false),
        (_, written) => written,
    }
}
