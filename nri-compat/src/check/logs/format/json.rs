//! JSON of log collectors, journald, container engines and query APIs, reduced to relevant parts:
//! keys that describe a line, and any other value that mentions a plugin.

use std::fmt;

use crate::check::logs::record::Beside;
use memchr::memmem;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The meaning of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    /// The message of a record, which is a line itself if the object has no other field of a
    /// record.
    Message,
    Plugin,
    Deprecated,
    Details,
    /// A line.
    Line,
    Time,
    /// The host, as text or as an object with its name.
    Node,
    /// The name within such an object.
    Name,
    /// An object that describes the source of the lines next to it.
    Labels,
    /// The name of an attribute in a list of attributes.
    AttributeName,
    /// Its value, as text or as an object with the text.
    AttributeValue,
    /// The id of an entry of `ctr deprecations list`.
    Id,
    LastOccurrence,
}

/// The relevant keys. If an object has several keys with one meaning, the first one in this table
/// counts.
const FIELDS: [(&str, Field); 42] = [
    ("msg", Field::Message),
    ("plugin", Field::Plugin),
    ("deprecated", Field::Deprecated),
    ("details", Field::Details),
    ("MESSAGE", Field::Line),
    ("log", Field::Line),
    ("message", Field::Line),
    ("line", Field::Line),
    ("textPayload", Field::Line),
    ("body", Field::Line),
    ("LogEntry", Field::Line),
    ("LogMessage", Field::Line),
    ("short_message", Field::Line),
    ("stringValue", Field::Line),
    ("time", Field::Time),
    ("@timestamp", Field::Time),
    ("timestamp", Field::Time),
    ("ts", Field::Time),
    ("date", Field::Time),
    ("__REALTIME_TIMESTAMP", Field::Time),
    ("timeUnixNano", Field::Time),
    ("TimeGenerated", Field::Time),
    ("_HOSTNAME", Field::Node),
    ("node_name", Field::Node),
    ("nodeName", Field::Node),
    ("node", Field::Node),
    ("host", Field::Node),
    ("hostname", Field::Node),
    ("instance", Field::Node),
    ("Computer", Field::Node),
    ("host.name", Field::Node),
    ("name", Field::Name),
    ("kubernetes", Field::Labels),
    ("labels", Field::Labels),
    ("stream", Field::Labels),
    ("resource", Field::Labels),
    ("metric", Field::Labels),
    ("structuredMetadata", Field::Labels),
    ("key", Field::AttributeName),
    ("value", Field::AttributeValue),
    ("id", Field::Id),
    ("lastOccurrence", Field::LastOccurrence),
];

/// Text under any other key is kept only if it contains these bytes.
const INTERESTING: &[u8] = b"plugin";

/// A value, as far as it is kept.
#[derive(Debug)]
pub(super) enum Value {
    /// Text, or a number as it is written.
    Text(String),
    /// An array of bytes, which journald uses for messages that are not printable.
    Bytes(Vec<u8>),
    Object(Object),
    List(Vec<Value>),
    /// Irrelevant.
    Other,
}

/// An object, as far as it is kept.
#[derive(Debug, Default)]
pub(super) struct Object {
    /// Values of known keys, with the indexes of the keys in [`FIELDS`]; the first value of a
    /// repeated key.
    fields: Vec<(usize, Value)>,
    /// Values of other keys.
    rest: Vec<Value>,
}

/// Parses the value at the start of `text`; returns it with the number of its bytes.
pub(super) fn parse(text: &str) -> Option<(Value, usize)> {
    let mut deserializer = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = deserializer.next()?.ok()?;
    Some((value, deserializer.byte_offset()))
}

impl Value {
    fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Bytes(bytes) if !bytes.is_empty() => {
                Some(String::from_utf8_lossy(bytes).into_owned())
            }
            Self::Bytes(_) | Self::Object(_) | Self::List(_) | Self::Other => None,
        }
    }

    /// Adds the fields of a record in objects and lists of attributes. Lists of lines have records of their own.
    pub(super) fn beside(&self, beside: &mut Beside) {
        match self {
            Self::Object(object) if object.line().is_none() && object.message().is_none() => {
                object.beside(beside);
            }
            Self::List(values) => {
                let objects = values.iter().filter_map(|value| match value {
                    Self::Object(object) => object.attribute(),
                    Self::Text(_) | Self::Bytes(_) | Self::List(_) | Self::Other => None,
                });
                objects.for_each(|attribute| beside.set(attribute));
            }
            Self::Object(_) | Self::Text(_) | Self::Bytes(_) | Self::Other => {}
        }
    }

    /// Returns true if a value under an unknown key, or in a list, may be relevant.
    fn is_interesting(&self) -> bool {
        match self {
            Self::Text(text) => is_interesting(text),
            Self::Bytes(bytes) => memmem::find(bytes, INTERESTING).is_some(),
            Self::Object(object) => !object.fields.is_empty() || !object.rest.is_empty(),
            Self::List(values) => !values.is_empty(),
            Self::Other => false,
        }
    }
}

/// Returns true if text may be about a plugin.
pub(super) fn is_interesting(text: &str) -> bool {
    memmem::find(text.as_bytes(), INTERESTING).is_some()
}

impl Object {
    /// Adds the fields of a record that are in this object, in objects in it, or in its lists of attributes.
    pub(super) fn beside(&self, beside: &mut Beside) {
        let own = Beside {
            plugin: self.text(Field::Plugin),
            deprecated: self.text(Field::Deprecated),
            details: self.text(Field::Details),
        };
        self.inner().for_each(|value| value.beside(beside));
        beside.set(own);
    }

    /// Returns the attribute that this object describes.
    fn attribute(&self) -> Option<Beside> {
        let name = self.text(Field::AttributeName)?;
        let of_object = || self.objects(Field::AttributeValue).find_map(Self::line);
        let value = self.text(Field::AttributeValue).or_else(of_object);
        let mut attribute = Beside::default();
        match record_field(&name)? {
            Field::Plugin => attribute.plugin = value,
            Field::Deprecated => attribute.deprecated = value,
            Field::Details => attribute.details = value,
            _ => return None,
        }
        Some(attribute)
    }

    pub(super) fn message(&self) -> Option<String> {
        self.text(Field::Message)
    }

    pub(super) fn line(&self) -> Option<String> {
        self.text(Field::Line)
    }

    pub(super) fn time(&self) -> Option<String> {
        self.text(Field::Time)
    }

    pub(super) fn id(&self) -> Option<String> {
        self.text(Field::Id)
    }

    pub(super) fn last_occurrence(&self) -> Option<String> {
        self.text(Field::LastOccurrence)
    }

    /// Returns the host. If labels name the node of a pod, that is the host, not that of the
    /// collector.
    pub(super) fn node(&self) -> Option<String> {
        let of_labels = self.objects(Field::Labels).find_map(Self::own_node);
        of_labels.or_else(|| self.own_node())
    }

    fn own_node(&self) -> Option<String> {
        let of_object = |object: &Self| {
            object
                .text(Field::Name)
                .or_else(|| object.text(Field::Node))
        };
        self.text(Field::Node)
            .or_else(|| self.objects(Field::Node).find_map(of_object))
    }

    /// Returns everything that may contain lines besides the text of known keys.
    pub(super) fn inner(&self) -> impl Iterator<Item = &Value> {
        let nested = self.fields.iter().map(|(_, value)| value);
        nested
            .filter(|value| matches!(value, Value::Object(_) | Value::List(_)))
            .chain(&self.rest)
    }

    fn values(&self, field: Field) -> impl Iterator<Item = &Value> {
        let mut values: Vec<_> = self
            .fields
            .iter()
            .filter(|(at, _)| FIELDS.get(*at).is_some_and(|(_, known)| *known == field))
            .collect();
        values.sort_by_key(|(at, _)| *at);
        values.into_iter().map(|(_, value)| value)
    }

    fn text(&self, field: Field) -> Option<String> {
        self.values(field).find_map(Value::text)
    }

    fn objects(&self, field: Field) -> impl Iterator<Item = &Self> {
        self.values(field).filter_map(|value| match value {
            Value::Object(object) => Some(object),
            Value::Text(_) | Value::Bytes(_) | Value::List(_) | Value::Other => None,
        })
    }
}

impl<'de> serde::Deserialize<'de> for Value {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

/// Reads any value.
struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Text(number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Text(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Text(number.to_string()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Object::default();
        while let Some(FieldKey(place)) = map.next_key()? {
            match place {
                Some(at) if object.fields.iter().any(|(known, _)| *known == at) => {
                    map.next_value::<IgnoredAny>()?;
                }
                Some(at) => object.fields.push((at, map.next_value()?)),
                None => object
                    .rest
                    .extend(Some(map.next_value::<Value>()?).filter(Value::is_interesting)),
            }
        }
        Ok(Value::Object(object))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let (mut bytes, mut values) = (Vec::new(), Vec::new());
        while let Some(element) = seq.next_element_seed(Element)? {
            match element {
                Item::Byte(byte) => bytes.push(byte),
                Item::Value(value) => values.extend(Some(value).filter(Value::is_interesting)),
            }
        }
        if values.is_empty() {
            return Ok(Value::Bytes(bytes));
        }
        Ok(Value::List(values))
    }
}

/// Returns the name of a key without what collectors put before it: `_plugin`, `attributes.plugin`, `nri/plugin`.
fn own_name(key: &str) -> &str {
    key.rsplit(['.', '/', '_']).next().unwrap_or(key)
}

/// Returns the field of a record with this key, whatever is before its name.
fn record_field(key: &str) -> Option<Field> {
    let mut fields = FIELDS
        .iter()
        .filter(|(_, field)| matches!(field, Field::Plugin | Field::Deprecated | Field::Details));
    fields
        .find(|(known, _)| *known == own_name(key))
        .map(|(_, field)| *field)
}

/// The index of a key in [`FIELDS`], if it is there.
struct FieldKey(Option<usize>);

impl<'de> serde::Deserialize<'de> for FieldKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyKey;
        impl Visitor<'_> for AnyKey {
            type Value = FieldKey;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_str<E>(self, key: &str) -> Result<FieldKey, E> {
                let place = |key: &str| FIELDS.iter().position(|(known, _)| *known == key);
                Ok(FieldKey(place(key).or_else(|| {
                    record_field(key).and_then(|_| place(own_name(key)))
                })))
            }
        }
        deserializer.deserialize_str(AnyKey)
    }
}

/// An element of an array. Bytes are distinguished from other numbers without allocating text.
enum Item {
    Byte(u8),
    Value(Value),
}

struct Element;

impl<'de> DeserializeSeed<'de> for Element {
    type Value = Item;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Item, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Element {
    type Value = Item;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Item, E> {
        Ok(Item::Value(Value::Other))
    }

    fn visit_unit<E>(self) -> Result<Item, E> {
        Ok(Item::Value(Value::Other))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Item, E> {
        Ok(Item::Value(Value::Other))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Item, E> {
        Ok(u8::try_from(number).map_or(Item::Value(Value::Other), Item::Byte))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Item, E> {
        Ok(Item::Value(Value::Other))
    }

    fn visit_str<E>(self, text: &str) -> Result<Item, E> {
        Ok(Item::Value(Value::Text(text.to_owned())))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Item, A::Error> {
        AnyValue.visit_map(map).map(Item::Value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Item, A::Error> {
        AnyValue.visit_seq(seq).map(Item::Value)
    }
}
