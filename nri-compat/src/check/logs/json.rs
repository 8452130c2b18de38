//! The JSON values in a text: every text in them that mentions a plugin, with the time, the host and
//! the fields of a record from the objects around it.
//!
//! Everything else is dropped while a value is parsed, so that a large document takes little memory.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::context::Context;
use super::fact;

/// The keys of the message of an entry of a log.
const MESSAGES: [&str; 8] = [
    "msg",
    "log",
    "message",
    "MESSAGE",
    "line",
    "textPayload",
    "LogEntry",
    "short_message",
];

/// The keys of a time, the first of which counts.
const TIMES: [&str; 10] = [
    "time",
    "@timestamp",
    "timestamp",
    "ts",
    "date",
    "__REALTIME_TIMESTAMP",
    "timeUnixNano",
    "TimeGenerated",
    "lastOccurrence",
    "_time",
];

/// The keys of a host, as text or as an object with its name. The first one counts.
const HOSTS: [&str; 9] = [
    "_HOSTNAME",
    "node_name",
    "nodeName",
    "node",
    "host",
    "hostname",
    "instance",
    "Computer",
    "host.name",
];

/// The keys of objects that describe the source of a line, whose host takes precedence over that of
/// the collector.
const LABELS: [&str; 4] = ["kubernetes", "labels", "stream", "metric"];

/// The keys of an attribute in a list of attributes, and of its value.
const ATTRIBUTE: [&str; 3] = ["key", "value", "stringValue"];

/// The fields of a record that a collector may keep beside its message.
const RECORD: [&str; 3] = ["plugin", "deprecated", "details"];

/// The maximum number of braces in a text at which no JSON value begins.
const MAX_BROKEN_VALUES: usize = 32;

/// The texts of one object, which may say the same thing several times.
pub(super) struct Group {
    pub(super) context: Context,
    pub(super) texts: Vec<String>,
}

/// Returns the groups in the JSON values of a text, and the rest of the text.
pub(super) fn split(text: &str, context: &Context) -> (Vec<Group>, String) {
    let (mut groups, mut rest, mut at, mut broken) = (Vec::new(), String::new(), text, 0);
    while broken < MAX_BROKEN_VALUES
        && let Some(brace) = at.find(['{', '['])
    {
        let (before, value) = at.split_at(brace);
        rest.push_str(before);
        let (kept, length) = parse(value).unwrap_or((Value::Dropped, 0));
        if kept == Value::Dropped {
            // Brackets are part of many texts that are not JSON.
            broken += usize::from(length == 0);
            let length = length.max(1);
            rest.push_str(&value[..length]);
            at = &value[length..];
        } else {
            kept.walk(context, None, &mut groups);
            at = &value[length..];
        }
    }
    rest.push_str(at);
    (groups, rest)
}

/// Returns the value at the beginning of a text, and its length in bytes.
fn parse(text: &str) -> Option<(Value, usize)> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Part::Other.deserialize(&mut deserializer).ok()?;
    let length = deserializer.into_iter::<IgnoredAny>().byte_offset();
    Some((value, length))
}

/// Returns true for an object with the time and the message of an entry of a log.
pub(super) fn has_message_and_time(text: &str) -> bool {
    let object: BTreeMap<String, IgnoredAny> = serde_json::from_str(text).unwrap_or_default();
    let has = |keys: &[&str]| keys.iter().any(|key| object.contains_key(*key));
    has(&TIMES) && has(&MESSAGES)
}

/// Returns true if a text may be about a plugin.
fn is_interesting(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), b"plugin").is_some()
}

/// Returns the name of a key without what collectors put before it: `_plugin`, `labels.plugin`.
fn own_name(key: &str) -> &str {
    key.rsplit(['.', '/', '_']).next().unwrap_or(key)
}

/// A value, as far as it is kept.
#[derive(Debug, PartialEq, Eq)]
enum Value {
    Text(String),
    Number(u64),
    Object(Vec<(String, Value)>),
    List(Vec<Value>),
    Dropped,
}

impl Value {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Number(_) | Self::Object(_) | Self::List(_) | Self::Dropped => None,
        }
    }

    fn members(&self) -> &[(String, Self)] {
        match self {
            Self::Object(members) => members,
            Self::Text(_) | Self::Number(_) | Self::List(_) | Self::Dropped => &[],
        }
    }

    fn elements(&self) -> &[Self] {
        match self {
            Self::List(elements) => elements,
            Self::Text(_) | Self::Number(_) | Self::Object(_) | Self::Dropped => &[],
        }
    }

    fn member(&self, key: &str) -> Option<&Self> {
        let mut members = self.members().iter();
        members
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// Returns true if one of its own texts may be a line.
    fn has_line(&self) -> bool {
        self.own_texts().any(is_interesting)
    }

    /// Adds the groups of texts in this value; `group` is that of the enclosing object.
    fn walk(&self, outer: &Context, group: Option<usize>, groups: &mut Vec<Group>) {
        let mut context = outer.clone();
        self.describe(&mut context);
        let group = group.or_else(|| {
            self.has_line().then(|| {
                let context = context.clone();
                groups.push(Group {
                    context,
                    texts: Vec::new(),
                });
                groups.len() - 1
            })
        });
        let texts = self.own_texts().filter(|text| is_interesting(text));
        if let Some(group) = group.and_then(|group| groups.get_mut(group)) {
            group.texts.extend(texts.map(str::to_owned));
        }
        for (_, value) in self.members() {
            value.walk(&context, group, groups);
        }
        for element in self.elements() {
            element.walk(&context, None, groups);
        }
    }

    /// Returns the texts of an object or a list, without those of values in it.
    fn own_texts(&self) -> impl Iterator<Item = &str> {
        let members = self.members().iter().map(|(_, value)| value);
        members.chain(self.elements()).filter_map(Self::text)
    }

    /// Adds the time, the host and the fields of this object, or of a list with one line.
    fn describe(&self, context: &mut Context) {
        let times = TIMES.iter().find_map(|key| self.member(key)?.text());
        context.set_time(times.or_else(|| self.own_texts().find(|text| is_number(text))));
        context.set_host(self.host());
        for (_, value) in self.members() {
            value.fields(context);
        }
        if self.has_line() {
            self.elements()
                .iter()
                .for_each(|element| element.fields(context));
        }
        self.own_fields(context);
    }

    /// Returns the host of the labels in this object, or else its own.
    fn host(&self) -> Option<&str> {
        let labels = LABELS.iter().filter_map(|key| self.member(key));
        labels
            .filter_map(Self::own_host)
            .next()
            .or_else(|| self.own_host())
    }

    fn own_host(&self) -> Option<&str> {
        let hosts = HOSTS.iter().filter_map(|key| self.member(key));
        hosts
            .filter_map(|host| host.text().or_else(|| host.member("name")?.text()))
            .next()
    }

    /// Adds the fields of a record in this value, unless it has a record of its own.
    fn fields(&self, context: &mut Context) {
        if self.own_texts().any(fact::is_deprecated_interface) {
            return;
        }
        for (_, value) in self.members() {
            value.fields(context);
        }
        let attributes = self.elements().iter();
        attributes.for_each(|element| element.attribute(context));
        self.own_fields(context);
    }

    fn own_fields(&self, context: &mut Context) {
        for (key, value) in self.members() {
            if let Some(text) = value.text() {
                context.fields.set(own_name(key), text);
            }
        }
    }

    /// Adds the attribute that an object with a name and a value describes.
    fn attribute(&self, context: &mut Context) {
        let [key, value, text] = ATTRIBUTE;
        let value = self.member(value);
        let of_object = || value?.member(text)?.text();
        if let Some(name) = self.member(key).and_then(Self::text)
            && let Some(value) = value.and_then(Self::text).or_else(of_object)
        {
            context.fields.set(own_name(name), value);
        }
    }
}

/// Returns true for a time as a number: Loki puts it before the line in a list.
fn is_number(text: &str) -> bool {
    text.len() >= 10 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The position of a value, which determines what of it is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The value of a key with a meaning.
    Known,
    /// An element of a list: a number may be a byte of a text.
    Element,
    Other,
}

impl Part {
    fn from_key(key: &str) -> Self {
        let known = [&TIMES[..], &HOSTS, &ATTRIBUTE, &["name"]];
        let is_known = known.iter().any(|keys| keys.contains(&key));
        if is_known || RECORD.contains(&own_name(key)) {
            Self::Known
        } else {
            Self::Other
        }
    }
}

impl<'de> DeserializeSeed<'de> for Part {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Dropped)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Dropped)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
        Ok(Value::Dropped)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(match self {
            Self::Known => Value::Text(number.to_string()),
            Self::Element => Value::Number(number),
            Self::Other => Value::Dropped,
        })
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(match self {
            Self::Known => Value::Text(number.to_string()),
            Self::Element | Self::Other => Value::Dropped,
        })
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        let is_time = self == Self::Element && is_number(text);
        if self == Self::Known || is_time || is_interesting(text) {
            return Ok(Value::Text(text.to_owned()));
        }
        Ok(Value::Dropped)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = map.next_value_seed(Self::from_key(&key))?;
            if value != Value::Dropped {
                members.push((key, value));
            }
        }
        Ok(if members.is_empty() {
            Value::Dropped
        } else {
            Value::Object(members)
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let (mut bytes, mut elements) = (Vec::new(), Vec::new());
        while let Some(element) = seq.next_element_seed(Self::Element)? {
            match element {
                Value::Number(byte) => bytes.extend(u8::try_from(byte)),
                Value::Dropped => {}
                Value::Text(_) | Value::Object(_) | Value::List(_) => elements.push(element),
            }
        }
        if !elements.is_empty() {
            return Ok(Value::List(elements));
        }
        // journald's form of a message that is not printable.
        self.visit_str(&String::from_utf8_lossy(&bytes))
    }
}
