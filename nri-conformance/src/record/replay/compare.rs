//! Compares an answer with the recorded one, field by field.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bytes::Bytes;
use nri::api::{ConfigureResponse, EventMask};
use nri::codec::Message as _;
use nri::wire::{CallError, Code, Status};
use prost_reflect::{
    DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, ReflectMessage as _, Value,
};

use crate::record::decode;
use crate::record::frame::{Payload, Request};
use crate::record::redact::redact_message;
use crate::record::replay::connections::RecordedAnswer;
use crate::record::replay::outcome::DifferenceKind;
use crate::record::replay::plan::subscription;
use crate::record::schema;

/// The maximum length of a value in a difference, in characters.
const MAX_SHOWN: usize = 200;

/// The text in place of a value that is missing on one side.
const ABSENT: &str = "absent";

/// The repeated fields whose order has no meaning, with the field that identifies their elements.
/// Elements are compared with those that have the same key; the order of elements with the same key
/// matters.
const KEYED: &[(&str, &str, &str)] = &[
    ("ContainerAdjustment", "env", "key"),
    ("ContainerAdjustment", "mounts", "destination"),
    ("ContainerAdjustment", "rlimits", "type"),
    ("CreateContainerResponse", "evict", "container_id"),
    ("CreateContainerResponse", "update", "container_id"),
    ("LinuxContainerAdjustment", "devices", "path"),
    ("LinuxContainerAdjustment", "namespaces", "type"),
    ("LinuxResources", "hugepage_limits", "page_size"),
    ("StopContainerResponse", "update", "container_id"),
    ("SynchronizeResponse", "update", "container_id"),
    ("UpdateContainerResponse", "evict", "container_id"),
    ("UpdateContainerResponse", "update", "container_id"),
    ("UpdateContainersRequest", "evict", "container_id"),
    ("UpdateContainersRequest", "update", "container_id"),
];

/// Returns the differing fields of two encoded messages. If the recording is redacted, `got` is
/// redacted as well. Messages of an unknown type are not compared.
pub(super) fn compare(
    message: Option<MessageDescriptor>,
    recorded: &[u8],
    got: &[u8],
    redacted: bool,
) -> Vec<DifferenceKind> {
    let Some(message) = message.filter(|_| recorded != got) else {
        return Vec::new();
    };
    let decode = |bytes| decode::decode(message.clone(), bytes);
    let (recorded, mut got) = match (decode(recorded), decode(got)) {
        (_, Err(error)) => return vec![DifferenceKind::Unreadable(error.to_string())],
        (Err(error), _) => {
            let reason = format!("of the recording: {error}");
            return vec![DifferenceKind::Unreadable(reason)];
        }
        (Ok(recorded), Ok(got)) => (recorded, got),
    };
    if redacted {
        redact_message(&mut got);
    }
    let mut comparison = Comparison::default();
    comparison.messages(&recorded, &got);
    comparison.found
}

#[derive(Default)]
struct Comparison {
    path: String,
    found: Vec<DifferenceKind>,
}

impl Comparison {
    fn messages(&mut self, recorded: &DynamicMessage, got: &DynamicMessage) {
        for field in recorded.descriptor().fields() {
            let sides = (recorded.get_field(&field), got.get_field(&field));
            let present = (recorded.has_field(&field), got.has_field(&field));
            let separator = if self.path.is_empty() { "" } else { "." };
            self.within(&format!("{separator}{}", field.name()), |this| {
                if present.0 != present.1 && is_optional(&field) {
                    this.note(
                        &field,
                        present.0.then_some(&*sides.0),
                        present.1.then_some(&*sides.1),
                    );
                } else {
                    this.values(&field, &sides.0, &sides.1);
                }
            });
        }
    }

    fn within(&mut self, part: &str, compare: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push_str(part);
        compare(self);
        self.path.truncate(length);
    }

    fn values(&mut self, field: &FieldDescriptor, recorded: &Value, got: &Value) {
        match (recorded, got) {
            (Value::Message(recorded), Value::Message(got)) => self.messages(recorded, got),
            (Value::List(recorded), Value::List(got)) => {
                let is_this = |(message, name, _): &&(&str, &str, &str)| {
                    *message == field.parent_message().name() && *name == field.name()
                };
                let key = KEYED.iter().find(is_this).map(|(_, _, key)| *key);
                self.elements(field, &keyed(recorded, key), &keyed(got, key));
            }
            (Value::Map(recorded), Value::Map(got)) => {
                self.elements(field, &entries(recorded), &entries(got));
            }
            (recorded, got) if recorded == got => {}
            (recorded, got) => self.note(field, Some(recorded), Some(got)),
        }
    }

    fn elements(&mut self, field: &FieldDescriptor, recorded: &Elements<'_>, got: &Elements<'_>) {
        let keys: BTreeSet<_> = recorded.keys().chain(got.keys()).collect();
        for key in keys {
            let path = match key {
                (Some(text), 0) => format!("[{text}]"),
                (Some(text), earlier) => format!("[{text}#{}]", earlier + 1),
                (None, position) => format!("[{position}]"),
            };
            self.within(&path, |this| match (recorded.get(key), got.get(key)) {
                (Some(recorded), Some(got)) => this.values(field, recorded, got),
                (recorded, got) => this.note(field, recorded.copied(), got.copied()),
            });
        }
    }

    fn note(&mut self, field: &FieldDescriptor, recorded: Option<&Value>, got: Option<&Value>) {
        self.found.push(DifferenceKind::Field {
            path: self.path.clone(),
            recorded: shown(field, recorded),
            got: shown(field, got),
        });
    }
}

/// Returns true if the field is a message that wraps an optional value: it changes nothing if
/// absent, and sets the default if empty. Any other message means the same if absent and if empty.
fn is_optional(field: &FieldDescriptor) -> bool {
    let kind = field.kind();
    let message = kind.as_message();
    field.supports_presence() && message.is_some_and(|it| it.name().starts_with("Optional"))
}

/// The elements of a list or a map by their keys: a text with the number of earlier elements that
/// have the same, or the position alone.
type Elements<'a> = BTreeMap<(Option<String>, usize), &'a Value>;

fn keyed<'a>(elements: &'a [Value], key: Option<&str>) -> Elements<'a> {
    let mut earlier: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for (position, element) in elements.iter().enumerate() {
        let text = key.and_then(|key| {
            let text = element.as_message()?.get_field_by_name(key)?;
            text.as_str().map(str::to_owned)
        });
        let number = match &text {
            None => position,
            Some(text) => {
                let count = earlier.entry(text.clone()).or_default();
                *count += 1;
                *count - 1
            }
        };
        found.insert((text, number), element);
    }
    found
}

fn entries(map: &HashMap<MapKey, Value>) -> Elements<'_> {
    // All maps of the protocol have strings as keys.
    let key = |key: &MapKey| (key.as_str().map(str::to_owned), 0);
    map.iter().map(|(name, value)| (key(name), value)).collect()
}

/// Returns a value as text of limited length.
fn shown(field: &FieldDescriptor, value: Option<&Value>) -> String {
    let text = match (value, field.kind()) {
        (None, _) => return ABSENT.to_owned(),
        (Some(Value::EnumNumber(number)), Kind::Enum(names)) => match names.get_value(*number) {
            Some(named) => named.name().to_owned(),
            None => number.to_string(),
        },
        (Some(Value::Message(message)), _) => {
            let fields: Vec<_> = message
                .fields()
                .map(|(part, content)| format!("{}: {}", part.name(), shown(&part, Some(content))))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        (Some(Value::String(text)), _) => format!("{text:?}"),
        (Some(Value::Bool(value)), _) => value.to_string(),
        (Some(Value::I32(number)), _) => number.to_string(),
        (Some(Value::I64(number)), _) => number.to_string(),
        (Some(Value::U32(number)), _) => number.to_string(),
        (Some(Value::U64(number)), _) => number.to_string(),
        (Some(other), _) => format!("{other:?}"),
    };
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Returns the differences between an answer and the recorded one. `converted` is true if the
/// request was sent through another RPC than the recorded one, so that the answers have different
/// types.
pub(super) fn judge(
    request: &Request,
    recorded: &RecordedAnswer,
    got: &Result<Bytes, CallError>,
    converted: bool,
    redacted: bool,
) -> Vec<DifferenceKind> {
    let got = match got {
        Ok(payload) => Ok(payload),
        Err(CallError::Status(status)) => Err(status),
        Err(CallError::Timeout(within)) => {
            return unanswered(recorded, DifferenceKind::NoAnswer(*within));
        }
        Err(CallError::Closed) => return unanswered(recorded, DifferenceKind::Closed),
        Err(other) => return vec![DifferenceKind::Unreadable(other.to_string())],
    };
    match (recorded, got) {
        (RecordedAnswer::Unknown, Ok(_)) => Vec::new(),
        (RecordedAnswer::Missing, _) => vec![DifferenceKind::Answered],
        (RecordedAnswer::Unknown | RecordedAnswer::Given(Ok(_)), Err(got)) => {
            statuses(None, Some(got))
        }
        (RecordedAnswer::Given(Err(recorded)), got) => statuses(Some(recorded), got.err()),
        (RecordedAnswer::Given(Ok(Payload::Bytes(recorded))), Ok(got)) if !converted => {
            let method = schema::method(&request.service, &request.method);
            let message = method.map(|method| method.output());
            if request.method == "Configure" {
                return compare(message, &expanded(recorded), &expanded(got), redacted);
            }
            compare(message, recorded, got, redacted)
        }
        (RecordedAnswer::Given(Ok(Payload::Bytes(_) | Payload::Withheld(_))), Ok(_)) => Vec::new(),
    }
}

fn unanswered(recorded: &RecordedAnswer, kind: DifferenceKind) -> Vec<DifferenceKind> {
    match recorded {
        RecordedAnswer::Missing => Vec::new(),
        RecordedAnswer::Given(_) | RecordedAnswer::Unknown => vec![kind],
    }
}

/// Compares statuses as a runtime does, which treats success and these two codes differently from
/// all others.
fn statuses(recorded: Option<&Status>, got: Option<&Status>) -> Vec<DifferenceKind> {
    let special = [Code::UNIMPLEMENTED, Code::DEADLINE_EXCEEDED];
    let class = |status: &Status| special.iter().find(|code| **code == status.code);
    if recorded.map(class) == got.map(class) {
        return Vec::new();
    }
    let (recorded, got) = (recorded.cloned(), got.cloned());
    vec![DifferenceKind::Status { recorded, got }]
}

/// Expands a subscription to all events into a mask of these events.
fn expanded(answer: &Bytes) -> Bytes {
    match (ConfigureResponse::decode(&**answer), subscription(answer)) {
        (Ok(mut response), Some(EventMask::ALL)) => {
            response.events = EventMask::ALL.bits();
            response.encode_to_vec().into()
        }
        _ => answer.clone(),
    }
}
