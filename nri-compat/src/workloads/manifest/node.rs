//! Nodes of a document, with their lines.

use std::collections::HashSet;
use std::rc::Rc;

use serde_json::Value as Json;

/// The key whose mappings are merged into the enclosing one.
const MERGE: &str = "<<";

/// A node, and the line where it starts, counted from 1. Aliases share the node of their anchor.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The line.
    pub(super) line: u32,
    /// The number of nodes in it after expansion of all aliases.
    pub(super) weight: u64,
    /// The value.
    pub(super) value: Value,
}

/// The value of a node.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Null, or no value.
    Null,
    /// True or false.
    Bool(bool),
    /// Any other scalar, as written.
    Text(Rc<str>),
    /// A sequence.
    List(Rc<[Node]>),
    /// A mapping. Of duplicate keys, the last one counts.
    Map(Rc<[(Rc<str>, Node)]>),
}

impl Node {
    /// Returns the value of a key of a mapping, including keys merged with `<<`.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let entries = self.entries();
        let own = entries.iter().rev().find(|(name, _)| &**name == key);
        own.map(|(_, value)| value).or_else(|| {
            let (_, merged) = entries.iter().rev().find(|(name, _)| &**name == MERGE)?;
            match &merged.value {
                Value::Map(_) => merged.get(key),
                Value::List(maps) => maps.iter().find_map(|map| map.get(key)),
                Value::Null | Value::Bool(_) | Value::Text(_) => None,
            }
        })
    }

    /// Returns the value of a key, if it is a text.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        match &self.get(key)?.value {
            Value::Text(text) => Some(text),
            Value::Null | Value::Bool(_) | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Returns the entries of a mapping as written; none for other nodes.
    pub(super) fn entries(&self) -> &[(Rc<str>, Self)] {
        match &self.value {
            Value::Map(entries) => entries,
            Value::Null | Value::Bool(_) | Value::Text(_) | Value::List(_) => &[],
        }
    }

    /// Returns the elements of a sequence; none for other nodes.
    pub(super) fn elements(&self) -> &[Self] {
        match &self.value {
            Value::List(elements) => elements,
            Value::Null | Value::Bool(_) | Value::Text(_) | Value::Map(_) => &[],
        }
    }

    /// Returns true if it is a mapping.
    pub(super) fn is_map(&self) -> bool {
        matches!(self.value, Value::Map(_))
    }

    /// Returns true if it is null.
    pub(super) fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// Returns the fields of a mapping, including those merged with `<<`, each once.
    pub(super) fn fields(&self) -> Vec<(&str, &Self)> {
        let (mut known, mut fields) = (HashSet::new(), Vec::new());
        self.collect_fields(&mut known, &mut fields);
        fields
    }

    fn collect_fields<'n>(
        &'n self,
        known: &mut HashSet<&'n str>,
        fields: &mut Vec<(&'n str, &'n Self)>,
    ) {
        let own = fields.len();
        for (key, value) in self.entries().iter().rev() {
            if &**key != MERGE && known.insert(key) {
                fields.push((key, value));
            }
        }
        if let Some(own) = fields.get_mut(own..) {
            own.reverse();
        }
        for (_, merged) in self.entries().iter().filter(|(key, _)| &**key == MERGE) {
            merged.collect_fields(known, fields);
            for map in merged.elements() {
                map.collect_fields(known, fields);
            }
        }
    }

    /// Returns the node as JSON. Numbers become text, so that names and tags keep their spelling.
    pub(super) fn to_json(&self) -> Json {
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Text(text) => Json::String(text.as_ref().to_owned()),
            Value::List(elements) => elements.iter().map(Self::to_json).collect(),
            Value::Map(_) => self.keys_to_json(|_| true),
        }
    }

    /// Returns some fields of a mapping as JSON.
    pub(super) fn keys_to_json(&self, is_wanted: impl Fn(&str) -> bool) -> Json {
        let fields = self.fields().into_iter();
        let wanted = fields.filter(|(key, _)| is_wanted(key));
        Json::Object(
            wanted
                .map(|(key, value)| (key.to_owned(), value.to_json()))
                .collect(),
        )
    }

    /// Returns true if a mapping or sequence is used as a key anywhere in it, which is how YAML parses
    /// the braces of templates.
    pub(super) fn has_complex_key(&self) -> bool {
        let is_complex = |(key, value): &(Rc<str>, Self)| key.is_empty() || value.has_complex_key();
        self.entries().iter().any(is_complex) || self.elements().iter().any(Self::has_complex_key)
    }
}
