//! A line that is one JSON object, or an array of them. Only the keys that logs use are kept, so that a line of any
//! shape takes little memory.

use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Around, Peeled, collector, containerd_json, deprecations, journal_json};

/// Keys that any of the JSON formats looks at.
const KEYS: [&str; 29] = [
    "MESSAGE",
    "_HOSTNAME",
    "__REALTIME_TIMESTAMP",
    "@timestamp",
    "_source",
    "date",
    "deprecated",
    "details",
    "host",
    "hostname",
    "id",
    "jsonPayload",
    "kubernetes",
    "lastOccurrence",
    "level",
    "line",
    "log",
    "message",
    "msg",
    "name",
    "node",
    "nodeName",
    "node_name",
    "plugin",
    "textPayload",
    "time",
    "timestamp",
    "ts",
    "body",
];

/// Objects within objects that are kept.
const DEPTH: usize = 4;

/// Objects of an array that are kept: `ctr deprecations list` has some twenty.
const OBJECTS: usize = 64;

/// Takes off JSON of any of the formats known.
pub(super) fn peel(text: &str, around: &mut Around) -> Option<Peeled> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    match parse(text)? {
        Json::Object(object) => containerd_json::peel(&object, around)
            .or_else(|| deprecations::peel_objects(std::slice::from_ref(&object)))
            .or_else(|| journal_json::peel(&object, around))
            .or_else(|| collector::peel(&object, around)),
        Json::Objects(objects) => deprecations::peel_objects(&objects),
        _ => None,
    }
}

fn parse(text: &str) -> Option<Json> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let json = Depth(0).deserialize(&mut deserializer).ok()?;
    deserializer.end().ok().map(|()| json)
}

/// A value, as far as it is kept.
#[derive(Debug)]
pub(super) enum Json {
    Text(String),
    Bytes(Vec<u8>),
    Object(Object),
    Objects(Vec<Object>),
    Other,
}

/// An object with the keys that are kept; of a key that comes twice, the first.
#[derive(Debug, Default)]
pub(super) struct Object(Vec<(&'static str, Json)>);

impl Object {
    pub(super) fn get(&self, key: &str) -> Option<&Json> {
        self.0
            .iter()
            .find(|(known, _)| *known == key)
            .map(|(_, value)| value)
    }

    /// Text, a number as it is written, or bytes that journald gave up to call text.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        match self.get(key)? {
            Json::Text(text) => Some(text.clone()),
            Json::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        }
    }

    /// The text of the first of these keys that has one.
    pub(super) fn first(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| self.text(key))
    }

    pub(super) fn object(&self, key: &str) -> Option<&Object> {
        match self.get(key)? {
            Json::Object(object) => Some(object),
            _ => None,
        }
    }
}

/// Reads a value that lies so deep.
#[derive(Clone, Copy)]
struct Depth(usize);

impl<'de> DeserializeSeed<'de> for Depth {
    type Value = Json;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Depth {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Text(number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(Json::Text(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(Json::Text(number.to_string()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut object = Object::default();
        while let Some(Key(key)) = map.next_key()? {
            match key.filter(|key| self.0 < DEPTH && object.get(key).is_none()) {
                Some(key) => object
                    .0
                    .push((key, map.next_value_seed(Depth(self.0 + 1))?)),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Json::Object(object))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let (mut bytes, mut objects) = (Vec::new(), Vec::new());
        while let Some(element) = seq.next_element_seed(Element(self.0))? {
            match element {
                Some(Ok(byte)) => bytes.push(byte),
                Some(Err(object)) if objects.len() < OBJECTS => objects.push(object),
                _ => {}
            }
        }
        Ok(match objects.is_empty() {
            true => Json::Bytes(bytes),
            false => Json::Objects(objects),
        })
    }
}

/// A key, if it is one to keep.
struct Key(Option<&'static str>);

impl<'de> serde::Deserialize<'de> for Key {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Known;
        impl Visitor<'_> for Known {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_str<E>(self, key: &str) -> Result<Key, E> {
                Ok(Key(KEYS.into_iter().find(|known| *known == key)))
            }
        }
        deserializer.deserialize_str(Known)
    }
}

/// An element of an array: a byte, an object of the outermost array, or nothing to keep.
struct Element(usize);

impl<'de> DeserializeSeed<'de> for Element {
    type Value = Option<Result<u8, Object>>;

    fn deserialize<D: serde::Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Element {
    type Value = Option<Result<u8, Object>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(u8::try_from(number).ok().map(Ok))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        if self.0 == 0 {
            return Ok(match Depth(0).visit_map(map)? {
                Json::Object(object) => Some(Err(object)),
                _ => None,
            });
        }
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}
