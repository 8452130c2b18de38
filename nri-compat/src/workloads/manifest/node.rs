//! Nodes of a YAML document, with their lines.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

/// A node, and the line where it starts, counted from 1. Aliases and merge keys are expanded, and have the
/// lines of their anchors.
#[derive(Debug)]
pub(super) struct Node {
    /// The line.
    pub(super) line: u32,
    /// The value.
    pub(super) value: Value,
}

/// The value of a node.
#[derive(Debug)]
pub(super) enum Value {
    /// Null, or no value.
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
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
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
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_text().filter(|text| !text.is_empty())
    }

    /// Returns the mappings in the sequence that is the value of a key.
    pub(super) fn maps(&self, key: &str) -> impl Iterator<Item = &Self> {
        let elements = self.get(key).into_iter().flat_map(Self::elements);
        elements.filter(|element| element.is_map())
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

    /// Returns the values of a mapping, or the elements of a sequence.
    pub(super) fn children(&self) -> impl Iterator<Item = &Self> {
        let values = self.entries().iter().map(|(_, value)| value);
        values.chain(self.elements())
    }

    /// Returns true if it is a sequence.
    pub(super) fn is_list(&self) -> bool {
        matches!(self.value, Value::List(_))
    }

    /// Returns true if it is a mapping.
    pub(super) fn is_map(&self) -> bool {
        matches!(self.value, Value::Map(_))
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
        let mut elements = Vec::new();
        while let Some(element) = access.next_element()? {
            elements.push(element);
        }
        Ok(Value::List(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Value::Map(entries))
    }
}
