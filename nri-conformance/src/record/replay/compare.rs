//! Compares an answer with the recorded one, field by field.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use nri::api::{ConfigureResponse, EventMask};
use nri::codec::Message as _;
use nri::wire::{CallError, Code, Status};
use prost_reflect::{
    DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, ReflectMessage as _, Value,
};

use crate::record::frame::{Payload, Request};
use crate::record::redact::redact_message;
use crate::record::replay::exchange::RecordedAnswer;
use crate::record::replay::outcome::DifferenceKind;
use crate::record::replay::plan::subscription;
use crate::record::schema;
use crate::record::schema::Side;

/// The maximum length of a value in a difference, in characters.
const MAX_SHOWN: usize = 200;

/// The text in place of a value that is missing on one side.
const ABSENT: &str = "absent";

/// The repeated fields whose order has no meaning, with the field that identifies their elements. Elements are compared
/// with those that have the same key; the order of elements with the same key matters.
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

/// Returns the differing fields of two encoded messages. If the recording is redacted, `got` is redacted as well.
pub(super) fn compare(
    message: &MessageDescriptor,
    recorded: &[u8],
    got: &[u8],
    redacted: bool,
) -> Result<Vec<DifferenceKind>, String> {
    if recorded == got {
        return Ok(Vec::new());
    }
    let decode = |bytes| DynamicMessage::decode(message.clone(), bytes);
    let mut got = decode(got).map_err(|error| error.to_string())?;
    let recorded = decode(recorded).map_err(|error| format!("of the recording: {error}"))?;
    if redacted {
        redact_message(&mut got);
    }
    let mut comparison = Comparison::default();
    comparison.messages(&recorded, &got);
    Ok(comparison.found)
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
            (Value::List(recorded), Value::List(got)) => self.lists(field, recorded, got),
            (Value::Map(recorded), Value::Map(got)) => {
                let keys: BTreeSet<_> = recorded.keys().chain(got.keys()).map(ordered).collect();
                for (text, key) in keys {
                    let sides = (recorded.get(&key), got.get(&key));
                    self.within(&format!("[{text}]"), |this| this.sides(field, sides));
                }
            }
            (recorded, got) if recorded == got => {}
            (recorded, got) => self.note(field, Some(recorded), Some(got)),
        }
    }

    fn lists(&mut self, field: &FieldDescriptor, recorded: &[Value], got: &[Value]) {
        let key = KEYED.iter().find(|(message, name, _)| {
            *message == field.parent_message().name() && *name == field.name()
        });
        let key = key.map(|(_, _, key)| *key);
        let (recorded, got) = (keyed(recorded, key), keyed(got, key));
        let keys: BTreeSet<_> = recorded.keys().chain(got.keys()).cloned().collect();
        for key in keys {
            let sides = (recorded.get(&key).copied(), got.get(&key).copied());
            self.within(&key.path(), |this| this.sides(field, sides));
        }
    }

    fn sides(&mut self, field: &FieldDescriptor, sides: (Option<&Value>, Option<&Value>)) {
        match sides {
            (Some(recorded), Some(got)) => self.values(field, recorded, got),
            (recorded, got) => self.note(field, recorded, got),
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

/// Returns true if the field is a message that wraps an optional value: it changes nothing if absent, and sets the
/// default if empty. Any other message means the same if absent and if empty.
fn is_optional(field: &FieldDescriptor) -> bool {
    match field.kind() {
        Kind::Message(message) => {
            field.supports_presence() && message.name().starts_with("Optional")
        }
        _scalar => false,
    }
}

/// The key of an element: its text with the number of earlier elements with the same key, or its position.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ElementKey {
    Text(String, usize),
    Position(usize),
}

impl ElementKey {
    fn path(&self) -> String {
        match self {
            ElementKey::Text(text, 0) => format!("[{text}]"),
            ElementKey::Text(text, earlier) => format!("[{text}#{}]", earlier + 1),
            ElementKey::Position(position) => format!("[{position}]"),
        }
    }
}

fn keyed<'a>(elements: &'a [Value], key: Option<&str>) -> BTreeMap<ElementKey, &'a Value> {
    let mut earlier: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for (position, element) in elements.iter().enumerate() {
        let text = key.and_then(|key| {
            let text = element.as_message()?.get_field_by_name(key)?;
            text.as_str().map(str::to_owned)
        });
        let key = match text {
            None => ElementKey::Position(position),
            Some(text) => {
                let count = earlier.entry(text.clone()).or_default();
                *count += 1;
                ElementKey::Text(text, *count - 1)
            }
        };
        found.insert(key, element);
    }
    found
}

/// Returns a key of a map with its text, by which keys are ordered.
fn ordered(key: &MapKey) -> (String, MapKey) {
    let text = match key {
        MapKey::String(text) => text.clone(),
        MapKey::Bool(value) => value.to_string(),
        MapKey::I32(number) => number.to_string(),
        MapKey::I64(number) => number.to_string(),
        MapKey::U32(number) => number.to_string(),
        MapKey::U64(number) => number.to_string(),
    };
    (text, key.clone())
}

/// Returns a value as text of limited length.
fn shown(field: &FieldDescriptor, value: Option<&Value>) -> String {
    let text = match (value, field.kind()) {
        (None, _) => return ABSENT.to_owned(),
        (Some(Value::EnumNumber(number)), Kind::Enum(names)) => match names.get_value(*number) {
            Some(named) => named.name().to_owned(),
            None => number.to_string(),
        },
        (Some(Value::Message(message)), _) => format!("{{{}}}", fields(message)),
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

/// Returns the fields of a message that are set.
fn fields(message: &DynamicMessage) -> String {
    let fields = message
        .fields()
        .map(|(field, value)| format!("{}: {}", field.name(), shown(&field, Some(value))));
    fields.collect::<Vec<_>>().join(", ")
}

/// Returns the differences between an answer and the recorded one. `converted` is true if the request was sent through
/// another RPC than the recorded one, so that the answers have different types.
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
        (RecordedAnswer::Unknown | RecordedAnswer::Given(Ok(_)), Err(status)) => {
            vec![DifferenceKind::Failed(status.clone())]
        }
        (RecordedAnswer::Given(Err(recorded)), Err(got)) => other_error(recorded, got),
        (RecordedAnswer::Given(Err(recorded)), Ok(_)) => {
            vec![DifferenceKind::Succeeded(recorded.clone())]
        }
        (RecordedAnswer::Given(Ok(Payload::Bytes(recorded))), Ok(got)) if !converted => {
            payloads(request, recorded, got, redacted)
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

/// Compares errors in the way of a runtime, which treats only these two codes differently.
fn other_error(recorded: &Status, got: &Status) -> Vec<DifferenceKind> {
    let class = |status: &Status| match status.code {
        Code::UNIMPLEMENTED => Some(Code::UNIMPLEMENTED),
        Code::DEADLINE_EXCEEDED => Some(Code::DEADLINE_EXCEEDED),
        _ => None,
    };
    if class(recorded) == class(got) {
        return Vec::new();
    }
    vec![DifferenceKind::OtherError {
        recorded: recorded.clone(),
        got: got.clone(),
    }]
}

fn payloads(
    request: &Request,
    recorded: &Bytes,
    got: &Bytes,
    redacted: bool,
) -> Vec<DifferenceKind> {
    let Some(message) = schema::message(&request.service, &request.method, Side::Response) else {
        return Vec::new();
    };
    let compared = if request.method == "Configure" {
        compare(&message, &expanded(recorded), &expanded(got), redacted)
    } else {
        compare(&message, recorded, got, redacted)
    };
    compared.unwrap_or_else(|reason| vec![DifferenceKind::Unreadable(reason)])
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
