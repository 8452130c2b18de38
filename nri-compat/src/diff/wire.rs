//! The transfer of a message between a sender and a receiver with different schemas of it.
//!
//! Only bytes count: a field is identified by its number, and names do not matter. The receivers
//! are the two kinds that NRI peers use: `google.golang.org/protobuf`, which skips a field with an
//! unexpected encoding, and `prost`, which rejects the whole message. Tests compare the results
//! with both libraries.

mod effect;
mod end;
mod value;

use std::collections::HashSet;

use super::schema::Schema;
use super::schema::element::{Cardinality, Field, Message};
use end::End;

pub use effect::{Arrival, Effect};

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
}

/// Returns the transfer of each field that a message of type `sent` can contain, at any depth, when
/// the receiver decodes it as a message of type `expected`. Returns nothing if either side does not
/// declare its type.
pub fn transfer<'s>(
    sender: &'s Schema,
    sent: &'s str,
    receiver: &'s Schema,
    expected: &'s str,
) -> Vec<Transfer<'s>> {
    let mut walk = Walk {
        sender,
        receiver,
        ahead: vec![(sent, expected)],
        found: Vec::new(),
    };
    let mut seen = HashSet::new();
    while let Some(pair) = walk.ahead.pop() {
        if let (Some(sent), Some(expected)) = (sender.message(pair.0), receiver.message(pair.1))
            && seen.insert(pair)
        {
            walk.message(sent, expected);
        }
    }
    let mut once = HashSet::new();
    walk.found.retain(|found| match found {
        // A pair of fields is met once, as its pair of messages is.
        Transfer::Read { .. } => true,
        Transfer::Unknown { sent: name } | Transfer::UnknownValue { sent: name } => {
            once.insert((*name, true))
        }
        Transfer::Unfilled { read: name, .. } => once.insert((*name, false)),
    });
    walk.found
}

/// A walk over all pairs of messages that contain each other.
struct Walk<'s> {
    sender: &'s Schema,
    receiver: &'s Schema,
    ahead: Vec<(&'s str, &'s str)>,
    found: Vec<Transfer<'s>>,
}

impl<'s> Walk<'s> {
    fn message(&mut self, sent: &'s Message, expected: &'s Message) {
        for field in &sent.fields {
            match of_number(expected, field.number) {
                Some(read) => self.field(field, read, sent, expected),
                None => self.found.push(Transfer::Unknown {
                    sent: &field.id.full,
                }),
            }
        }
        let unfilled = expected
            .fields
            .iter()
            .filter(|field| of_number(sent, field.number).is_none());
        self.found.extend(unfilled.map(|field| Transfer::Unfilled {
            read: &field.id.full,
            required: field.cardinality == Cardinality::Required,
        }));
    }

    fn field(&mut self, sent: &'s Field, read: &'s Field, of: &Message, expected: &Message) {
        let ends = (End::new(self.sender, sent), End::new(self.receiver, read));
        let mut effect = effect::of_field(ends.0, ends.1);
        if effect.worst() == Arrival::Same && joins_oneof((sent, of), (read, expected)) {
            effect = Effect::altered("the receiver keeps only one of the fields that are sent");
        }
        self.found.push(Transfer::Read {
            sent: &sent.id.full,
            read: &read.id.full,
            effect,
        });
        self.follow(ends.0, ends.1);
    }

    /// Continues with the types of both ends, if one is decoded as the other.
    fn follow(&mut self, sent: End<'s>, read: End<'s>) {
        if let (Some(sent), Some(read)) = (sent.entry(), read.entry()) {
            // The key and value of a map are judged with the map; only the type of its values is
            // nested.
            if let (Some(sent), Some(read)) = (of_number(sent, 2), of_number(read, 2)) {
                self.follow(End::new(self.sender, sent), End::new(self.receiver, read));
            }
        } else if sent.is_message() && sent.format() == read.format() && read.is_message() {
            let types = (&*sent.field.type_name, &*read.field.type_name);
            self.ahead.push(types);
        } else {
            self.enum_values(sent, read);
        }
    }

    fn enum_values(&mut self, sent: End<'s>, read: End<'s>) {
        let (Some(sent), Some(read)) = (sent.enumeration(), read.enumeration()) else {
            return;
        };
        let known: HashSet<i32> = read.values.iter().map(|value| value.number).collect();
        let unknown = sent
            .values
            .iter()
            .filter(|value| !known.contains(&value.number));
        self.found
            .extend(unknown.map(|value| Transfer::UnknownValue {
                sent: &value.id.full,
            }));
    }
}

/// Returns the field with this number.
fn of_number(message: &Message, number: i32) -> Option<&Field> {
    message.fields.iter().find(|field| field.number == number)
}

/// Returns true if the receiver has the field in a oneof together with another field that the
/// sender may send too.
fn joins_oneof((sent, of): (&Field, &Message), (read, expected): (&Field, &Message)) -> bool {
    let Some(oneof) = &read.oneof else {
        return false;
    };
    let members = expected
        .fields
        .iter()
        .filter(|other| other.oneof.as_ref() == Some(oneof) && other.number != read.number);
    let mut beside = members.filter_map(|other| of_number(of, other.number));
    beside.any(|other| sent.oneof.is_none() || other.oneof != sent.oneof)
}
