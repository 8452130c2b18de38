//! The transfer of a message between a sender and a receiver with different schemas of it.
//!
//! Only bytes count: a field is identified by its number, and names do not matter. The receivers
//! are the two kinds that NRI peers use: `google.golang.org/protobuf`, which skips a field with an
//! unexpected encoding, and `prost`, which rejects the whole message. Tests compare the results
//! with both libraries.

mod effect;
mod end;
mod retyped;
mod value;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use end::{End, Fields};
use nri_schema::Schema;
use nri_schema::schema::{
    Cardinality, EnumDescriptor, EnumValueDescriptor, FieldDescriptor, MessageDescriptor,
};

pub use effect::Effect;
pub use retyped::Retyped;
pub use value::Arrival;

/// The outcome for a part of a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Transfer<'s> {
    /// Both sides have a field with this number.
    Read {
        /// The full name on the sender's side.
        sent: &'s str,
        /// The full name on the receiver's side.
        read: &'s str,
        /// The effect at the receiver.
        effect: Effect,
    },
    /// Only the sender has a field with this number: the receiver skips it.
    Unknown {
        /// The full name on the sender's side.
        sent: &'s str,
    },
    /// Only the receiver has a field with this number: it is never filled.
    Unfilled {
        /// The full name on the receiver's side.
        read: &'s str,
        /// True if a Go receiver rejects a message without it.
        required: bool,
    },
    /// The sender has a value of an enum whose number is unknown to the receiver.
    UnknownValue {
        /// The full name of the value on the sender's side.
        sent: &'s str,
    },
    /// The number of an enum value belongs to another value at the receiver.
    OtherValue {
        /// The full name of the value on the sender's side.
        sent: &'s str,
        /// The full name of the value that the receiver reads.
        read: &'s str,
    },
}

impl<'s> Transfer<'s> {
    /// Returns the full names of the element on the sender's and on the receiver's side.
    pub(super) fn ends(&self) -> (Option<&'s str>, Option<&'s str>) {
        match *self {
            Self::Read { sent, read, .. } | Self::OtherValue { sent, read } => {
                (Some(sent), Some(read))
            }
            Self::Unknown { sent } | Self::UnknownValue { sent } => (Some(sent), None),
            Self::Unfilled { read, .. } => (None, Some(read)),
        }
    }

    /// Returns how the field arrives, if both sides have it.
    pub(super) fn arrival(&self) -> Option<Arrival> {
        match self {
            Self::Read { effect, .. } => Some(effect.worst()),
            Self::Unknown { .. }
            | Self::Unfilled { .. }
            | Self::UnknownValue { .. }
            | Self::OtherValue { .. } => None,
        }
    }
}

/// Names of the type on the sender's and of the type on the receiver's side.
type TypeNames<'s> = (&'s str, &'s str);

/// The transfers between two schemas. The messages of a protocol share most of their parts, so each
/// pair of types is compared once.
#[derive(Debug)]
pub struct Transfers<'s> {
    sender: Fields<'s>,
    receiver: Fields<'s>,
    known: HashMap<TypeNames<'s>, Rc<Parts<'s>>>,
}

/// The transfers of the fields of one message, and the fields that contain messages, with the types
/// of those.
#[derive(Debug, Default)]
struct Parts<'s> {
    found: Vec<Transfer<'s>>,
    ahead: Vec<Ahead<'s>>,
}

/// A field that contains messages.
#[derive(Clone, Copy, Debug)]
struct Ahead<'s> {
    /// The full name on the sender's side.
    sent: &'s str,
    types: TypeNames<'s>,
}

impl<'s> Transfers<'s> {
    /// Returns the transfers from a peer with one schema to a peer with another.
    pub fn new(sender: &'s Schema, receiver: &'s Schema) -> Self {
        Self { sender: Fields::new(sender), receiver: Fields::new(receiver), known: HashMap::new() }
    }

    /// Returns the transfer of each field that a message of type `sent` can contain, at any depth,
    /// when the receiver decodes it as a message of type `expected`. Returns nothing if either side
    /// does not declare its type.
    pub fn between(&mut self, sent: &'s str, expected: &'s str) -> Vec<Transfer<'s>> {
        let mut found = Vec::new();
        let mut once = HashSet::new();
        for (_, parts) in self.reached((sent, expected)) {
            let new = parts.found.iter().filter(|part| match part {
                // A pair of fields occurs once, because its pair of messages does.
                Transfer::Read { .. } => true,
                Transfer::Unknown { sent: name }
                | Transfer::UnknownValue { sent: name }
                | Transfer::OtherValue { sent: name, .. } => once.insert((*name, true)),
                Transfer::Unfilled { read: name, .. } => once.insert((*name, false)),
            });
            found.extend(new.cloned());
        }
        found
    }

    /// Returns the parts of a pair of messages, and of all that it can contain.
    fn reached(&mut self, root: TypeNames<'s>) -> Vec<(TypeNames<'s>, Rc<Parts<'s>>)> {
        let mut ahead = vec![root];
        let (mut seen, mut all) = (HashSet::new(), Vec::new());
        while let Some(types) = ahead.pop() {
            if seen.insert(types) {
                let parts = self.parts(types);
                ahead.extend(parts.ahead.iter().map(|field| field.types));
                all.push((types, parts));
            }
        }
        all
    }

    /// Returns the parts of a pair of messages; none if either side does not declare its type.
    fn parts(&mut self, types: TypeNames<'s>) -> Rc<Parts<'s>> {
        let (sender, receiver) = (&self.sender, &self.receiver);
        let parts = self.known.entry(types).or_insert_with(|| {
            let messages = sender.schema.message(types.0).zip(receiver.schema.message(types.1));
            let parts = messages.map(|(sent, expected)| {
                let mut pair = MessagePair { sender, receiver, parts: Parts::default() };
                pair.message(sent, expected);
                pair.parts
            });
            Rc::new(parts.unwrap_or_default())
        });
        Rc::clone(parts)
    }
}

/// The comparison of two messages.
struct MessagePair<'t, 's> {
    sender: &'t Fields<'s>,
    receiver: &'t Fields<'s>,
    parts: Parts<'s>,
}

impl<'s> MessagePair<'_, 's> {
    fn message(&mut self, sent: &'s MessageDescriptor, expected: &'s MessageDescriptor) {
        for field in self.sender.in_message(sent) {
            match self.receiver.of_number(expected, field.number) {
                Some(read) => self.field(field, read, sent, expected),
                None => self.parts.found.push(Transfer::Unknown { sent: &field.id.full }),
            }
        }
        let fields = self.receiver.in_message(expected);
        let unfilled = fields
            .filter(|field| self.sender.of_number(sent, field.number).is_none())
            .map(|field| Transfer::Unfilled {
                read: &field.id.full,
                required: field.cardinality == Cardinality::Required,
            });
        self.parts.found.extend(unfilled);
    }

    fn field(
        &mut self,
        sent: &'s FieldDescriptor,
        read: &'s FieldDescriptor,
        of: &MessageDescriptor,
        expected: &MessageDescriptor,
    ) {
        let ends = (End::new(self.sender.schema, sent), End::new(self.receiver.schema, read));
        let mut effect = effect::of_field(ends.0, ends.1);
        if effect.worst() <= Arrival::PresenceLost && joins_oneof((sent, of), (read, expected)) {
            effect = Effect::altered("the receiver keeps only one of the fields that are sent");
        }
        self.parts.found.push(Transfer::Read { sent: &sent.id.full, read: &read.id.full, effect });
        self.follow(ends.0, ends.1);
    }

    /// Continues with the types of both ends, if one is decoded as the other.
    fn follow(&mut self, sent: End<'s>, read: End<'s>) {
        if let (Some(sent), Some(read)) = (sent.entry(), read.entry()) {
            // The key and value of a map are judged with the map; only the type of its values is
            // nested.
            if let (Some(sent), Some(read)) = (of_number(sent, 2), of_number(read, 2)) {
                self.follow(
                    End::new(self.sender.schema, sent),
                    End::new(self.receiver.schema, read),
                );
            }
        } else if sent.is_message() && sent.format() == read.format() && read.is_message() {
            let types = (&*sent.field.type_name, &*read.field.type_name);
            self.parts.ahead.push(Ahead { sent: &sent.field.id.full, types });
        } else {
            self.enum_values(sent, read);
        }
    }

    fn enum_values(&mut self, sent: End<'s>, read: End<'s>) {
        let (Some(sent), Some(read)) = (sent.enumeration(), read.enumeration()) else {
            return;
        };
        let (sent_values, read_values) = (EnumValues::new(sent), EnumValues::new(read));
        let transfers = sent.values.iter().filter_map(|value| {
            let name = &*value.id.full;
            let Some(same) = read_values.by_number.get(&value.number) else {
                return Some(Transfer::UnknownValue { sent: name });
            };
            let other = other_value(value, same, &sent_values, &read_values)?;
            Some(Transfer::OtherValue { sent: name, read: &other.id.full })
        });
        self.parts.found.extend(transfers);
    }
}

/// The values of an enum by number, several if there are aliases, and their numbers by name.
struct EnumValues<'s> {
    by_number: HashMap<i32, Vec<&'s EnumValueDescriptor>>,
    numbers: HashMap<&'s str, i32>,
}

impl<'s> EnumValues<'s> {
    fn new(declared: &'s EnumDescriptor) -> Self {
        let mut by_number: HashMap<i32, Vec<&'s EnumValueDescriptor>> = HashMap::new();
        let mut numbers = HashMap::new();
        for value in &declared.values {
            by_number.entry(value.number).or_default().push(value);
            numbers.insert(value.id.name(), value.number);
        }
        Self { by_number, numbers }
    }
}

/// Returns the value of the receiver that a value of the sender arrives as, if that is another one:
/// their names differ, and one of the sides has both names. A value that was merely renamed is the
/// same on the wire.
fn other_value<'s>(
    value: &EnumValueDescriptor,
    same_number: &[&'s EnumValueDescriptor],
    sent: &EnumValues<'_>,
    read: &EnumValues<'_>,
) -> Option<&'s EnumValueDescriptor> {
    let name = value.id.name();
    if same_number.iter().any(|other| other.id.name() == name) {
        return None;
    }
    let other = if read.numbers.contains_key(name) {
        same_number.first()
    } else {
        same_number.iter().find(|other| {
            let number = sent.numbers.get(other.id.name());
            number.is_some_and(|number| *number != value.number)
        })
    };
    other.copied()
}

/// Returns the field with this number.
fn of_number(message: &MessageDescriptor, number: i32) -> Option<&FieldDescriptor> {
    message.fields.iter().find(|field| field.number == number)
}

/// Returns true if the receiver has the field in a oneof together with another field that the
/// sender may send too.
fn joins_oneof(
    (sent, of): (&FieldDescriptor, &MessageDescriptor),
    (read, expected): (&FieldDescriptor, &MessageDescriptor),
) -> bool {
    let Some(oneof) = &read.oneof else {
        return false;
    };
    let is_beside = |other: &&FieldDescriptor| {
        other.oneof.as_ref() == Some(oneof) && other.number != read.number
    };
    let members = expected.fields.iter().filter(is_beside);
    let mut beside = members.filter_map(|other| of_number(of, other.number));
    beside.any(|other| sent.oneof.is_none() || other.oneof != sent.oneof)
}
