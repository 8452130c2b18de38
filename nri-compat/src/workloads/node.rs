//! Nodes of a YAML or JSON document. Those of YAML have their lines.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

/// A node, and the line where it starts, counted from 1. Aliases and merge keys are expanded, and
/// have the lines of their anchors.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// The line; 0 in an answer of the API server.
    pub(super) line: u32,
    pub(super) value: Value,
}

/// The value of a node.
#[derive(Debug, Default)]
pub(super) enum Value {
    /// Null, or no value.
    #[default]
    Null,
    /// A scalar. Numbers are in their shortest form: no field that is read here is one.
    Text(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in its order. Of duplicate keys, the last one counts.
    Map(Vec<(String, Node)>),
}

impl Node {
    /// Returns the value of a key of a mapping.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let entry = self.entries().iter().rev().find(|(name, _)| name == key);
        entry.map(|(_, value)| value)
    }

    /// Returns the text of a scalar.
    pub(super) fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Returns the value of a key, if it is a scalar with a text.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_text().filter(|text| !text.is_empty())
    }

    /// Returns the mappings in the sequence that is the value of a key.
    pub(crate) fn maps(&self, key: &str) -> impl Iterator<Item = &Self> {
        let elements = self.get(key).into_iter().flat_map(Self::elements);
        elements.filter(|element| matches!(element.value, Value::Map(_)))
    }

    /// Returns the entries of a mapping; none for other nodes.
    pub(super) fn entries(&self) -> &[(String, Self)] {
        match &self.value {
            Value::Map(entries) => entries,
            Value::Null | Value::Text(_) | Value::List(_) => &[],
        }
    }

    /// Returns the elements of a sequence; none for other nodes.
    pub(super) fn elements(&self) -> &[Self] {
        match &self.value {
            Value::List(elements) => elements,
            Value::Null | Value::Text(_) | Value::Map(_) => &[],
        }
    }

    /// Moves the node, and all nodes in it, down by a number of lines.
    pub(super) fn move_down(&mut self, lines: u32) {
        self.line += lines;
        match &mut self.value {
            Value::Null | Value::Text(_) => {}
            Value::List(elements) => elements.iter_mut().for_each(|one| one.move_down(lines)),
            Value::Map(entries) => entries.iter_mut().for_each(|(_, one)| one.move_down(lines)),
        }
    }

    /// Returns the texts of this node and of all nodes in it, with their lines.
    pub(super) fn texts(&self) -> Vec<(u32, &str)> {
        let own = self.as_text().map(|text| (self.line, text));
        let values = self.entries().iter().map(|(_, value)| value);
        let inner = values.chain(self.elements()).flat_map(Self::texts);
        own.into_iter().chain(inner).collect()
    }
}

impl From<serde_json::Value> for Node {
    fn from(json: serde_json::Value) -> Self {
        use serde_json::Value as Json;
        let value = match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Text(value.to_string()),
            Json::Number(value) => Value::Text(value.to_string()),
            Json::String(text) => Value::Text(text),
            Json::Array(elements) => Value::List(elements.into_iter().map(Self::from).collect()),
            Json::Object(entries) => {
                let entries = entries.into_iter().map(|(key, value)| (key, value.into()));
                Value::Map(entries.collect())
            }
        };
        Self { line: 0, value }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Value>::deserialize(deserializer)?;
        Ok(Self {
            line: u32::try_from(spanned.defined.line()).unwrap_or(u32::MAX),
            value: spanned.value,
        })
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let elements = std::iter::from_fn(|| access.next_element().transpose());
        Ok(Value::List(elements.collect::<Result<_, _>>()?))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let entries = std::iter::from_fn(|| access.next_entry().transpose());
        Ok(Value::Map(entries.collect::<Result<_, _>>()?))
    }
}
