//! The JSON values in a text: every text in them that may be about NRI, with the time, the host and
//! the fields of a record from the objects around it.
//!
//! A value is read in place, and only what counts is kept, so that a large document takes little
//! memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::Deserializer;

use super::fact;
use super::record::{Field, Ranked, Record};
use super::room::Room;
use super::wording::may_match;

/// The rank of a field that is in an object below, after all keys.
const BELOW: usize = usize::MAX - 1;

/// The rank of a field that is in another element of a list: the metadata of a line in Loki's form.
const BESIDE: usize = usize::MAX;

/// The maximum number of objects and lists within each other. Anything deeper is a text.
const MAX_LEVELS: usize = 16;

/// The maximum number of braces in a text at which no JSON value begins.
const MAX_BROKEN_VALUES: usize = 32;

/// The texts of one object, which may say the same thing several times.
pub(super) type Group = Vec<Record>;

/// Returns the groups in the JSON values of a text, and the rest of the text. A value whose records
/// would take too much memory is a part of the rest.
pub(super) fn split(text: &str, wrapper: &Record, room: &Room) -> (Vec<Group>, String) {
    let (mut groups, mut rest, mut at, mut broken) = (Vec::new(), String::new(), text, 0);
    while broken < MAX_BROKEN_VALUES
        && let Some(brace) = at.find(['{', '['])
    {
        let (before, from_brace) = at.split_at(brace);
        rest.push_str(before);
        let length = length(from_brace);
        // Brackets are part of many texts that are not JSON.
        broken += usize::from(length.is_none());
        let (value, after) = from_brace.split_at(length.unwrap_or(1));
        let mut found = Inner::default();
        if length.is_some() {
            let inner = Inner::new(value, MAX_LEVELS, room);
            found.inner(if room.is_enough() { inner } else { Inner::default() }, true);
        }
        if found.groups.is_empty() {
            rest.push_str(value);
        }
        groups.append(&mut found.groups);
        at = after;
    }
    rest.push_str(at);
    let records: Vec<&mut Record> = groups.iter_mut().flatten().collect();
    room.inherit(records.into_iter(), wrapper);
    (groups, rest)
}

/// Returns the length of the JSON value at the beginning of a text in bytes.
fn length(text: &str) -> Option<usize> {
    let mut values = Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some(values.byte_offset())
}

/// Returns the elements of a list, or the keys and values of an object.
fn parts(value: &str) -> impl Iterator<Item = &str> {
    let mut rest = value.get(1..).unwrap_or_default();
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches([',', ':', ' ', '\t', '\r', '\n']);
        let (part, after) = rest.split_at(length(rest)?);
        rest = after;
        Some(part)
    })
}

/// Returns true for an object with the time and the message of an entry of a log.
pub(super) fn has_message_and_time(text: &str) -> bool {
    let fields = serde_json::from_str::<KnownFields>(text).unwrap_or_default().0;
    fields.contains(&Field::Time) && fields.contains(&Field::Message)
}

/// The fields of an object that entries of logs have. Its other keys are not kept.
#[derive(Default)]
struct KnownFields(BTreeSet<Field>);

impl<'de> Deserialize<'de> for KnownFields {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self::default())
    }
}

impl<'de> Visitor<'de> for KnownFields {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        while let Some((key, IgnoredAny)) = map.next_entry::<String, _>()? {
            self.0.extend(Field::of_key(&key).map(|(field, _)| field));
        }
        Ok(self)
    }
}

/// Returns true for a time as a number.
fn is_time(value: &str) -> bool {
    let digits = value.trim_matches('"').as_bytes();
    digits.len() >= 10 && digits.iter().all(u8::is_ascii_digit)
}

/// Returns the text of a string, of a list of bytes, which is journald's form of a message that is
/// not printable, or of a number.
fn text(value: &str) -> Option<String> {
    match value.as_bytes() {
        // A text with half a surrogate pair is not decoded.
        [b'"', ..] => Some(serde_json::from_str(value).unwrap_or_else(|_| value.to_owned())),
        [b'[', ..] => {
            let bytes: Vec<u8> = serde_json::from_str(value).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
        [b'0'..=b'9', ..] => Some(value.to_owned()),
        _ => None,
    }
}

/// The parts of an object or a list that are kept.
#[derive(Default)]
struct Inner {
    known: BTreeMap<Ranked, String>,
    /// Its own texts, and those of objects in it.
    texts: Group,
    /// The groups in lists in it.
    groups: Vec<Group>,
}

impl Inner {
    fn new(value: &str, levels: usize, room: &Room) -> Self {
        let mut inner = Self::default();
        let mut parts = parts(value);
        if value.starts_with('[') {
            for element in parts {
                // Loki puts the time of a line before it, as a number.
                let key = if is_time(element) { "time" } else { "" };
                inner.add(key, element, true, levels, room);
            }
        } else {
            while let (Some(key), Some(content)) = (parts.next(), parts.next()) {
                inner.add(&text(key).unwrap_or_default(), content, false, levels, room);
            }
        }
        inner.end(room)
    }

    /// Adds the value of a key, or an element of a list.
    fn add(&mut self, key: &str, value: &str, is_element: bool, levels: usize, room: &Room) {
        let known = Field::of_key(key).filter(|(field, _)| *field != Field::Message);
        let is_inner = value.starts_with(['{', '[']);
        if !is_inner && known.is_none() && !may_match(value.as_bytes()) {
            return;
        }
        let too_deep = || (levels == 0).then(|| value.to_owned());
        if let Some(text) = text(value).or_else(too_deep) {
            if may_match(text.as_bytes()) {
                let record = Record::from([(Field::Message, text.clone())]);
                self.texts.extend(room.take(&record, 1).then_some(record));
            }
            self.known.extend(known.map(|field| (field, text)));
        } else if is_inner {
            let inner = Self::new(value, levels - 1, room);
            self.known.extend(known.and_then(|field| inner.describes(field)));
            self.inner(inner, is_element);
        }
    }

    /// Adds the content of an object or a list. Its fields belong to the record of the object
    /// around, unless it has a record of its own.
    fn inner(&mut self, inner: Self, is_element: bool) {
        let is_attribute = inner.get(Field::Key).and(inner.get(Field::Value)).is_some();
        let is_apart = is_element && !is_attribute;
        let rank = if is_apart { BESIDE } else { BELOW };
        let is_record = |text: &Record| fact::is_deprecated_interface(&text[&Field::Message]);
        let has_record = inner.texts.iter().any(is_record);
        for ((field, _), value) in inner.known.iter().rev() {
            if field.is_of_record() && !has_record {
                self.known.insert((*field, rank), value.clone());
            }
        }
        if is_apart && !inner.texts.is_empty() {
            self.groups.push(inner.texts);
        } else {
            self.texts.extend(inner.texts);
        }
        self.groups.extend(inner.groups);
    }

    fn get(&self, field: Field) -> Option<&String> {
        self.known.iter().find_map(|((known, _), value)| (*known == field).then_some(value))
    }

    /// Returns what an object that is the value of a field says of it.
    fn describes(&self, (field, rank): Ranked) -> Option<(Ranked, String)> {
        let (field, said) = if field == Field::Source {
            (Field::Host, Field::Host)
        } else if field == Field::Host {
            (field, Field::Name)
        } else {
            (field, Field::Value)
        };
        Some(((field, rank), self.get(said)?.clone()))
    }

    /// Adds the fields known so far to every text.
    fn end(mut self, room: &Room) -> Self {
        if let Some(field) = self.get(Field::Key).and_then(|key| Field::of_key(key))
            && let Some(value) = self.get(Field::Value).cloned()
        {
            self.known.insert(field, value);
        }
        if self.texts.is_empty() {
            self.known.retain(|(_, rank), _| *rank != BESIDE);
        }
        let context: Record = self
            .known
            .iter()
            .rev()
            .filter(|((field, _), _)| *field <= Field::Details)
            .map(|((field, _), value)| (*field, value.clone()))
            .collect();
        let groups = self.groups.iter_mut().flatten();
        let records: Vec<&mut Record> = self.texts.iter_mut().chain(groups).collect();
        room.inherit(records.into_iter(), &context);
        self
    }
}
