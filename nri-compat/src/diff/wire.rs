//! The transfer of a message between a sender and a receiver that hold different schemas of it.
//!
//! Only bytes count here: a field is found by its number, and names mean nothing. The receivers are the two kinds that
//! NRI peers are built with: `google.golang.org/protobuf`, which skips a field whose encoding it does not expect, and
//! `prost`, which refuses the whole message. Tests hold the answers against both libraries.

mod effect;
mod end;
mod value;

use std::collections::HashSet;

use super::schema::Schema;
use super::schema::element::{Cardinality, Field, Message};
use end::End;

pub use effect::{Arrival, Effect};

/// The outcome for one part of a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Transfer {
    /// Both sides have a field of this number.
    Read {
        /// Full name on the sender's side.
        sent: String,
        /// Full name on the receiver's side.
        read: String,
        /// How it arrives.
        effect: Effect,
    },
    /// Only the sender has a field of this number: the receiver skips it.
    Unknown {
        /// Full name on the sender's side.
        sent: String,
    },
    /// Only the receiver has a field of this number: it is never filled.
    Unfilled {
        /// Full name on the receiver's side.
        read: String,
        /// True if a Go receiver refuses a message without it.
        required: bool,
    },
    /// The sender has a value of an enum whose number means nothing to the receiver.
    UnknownValue {
        /// Full name of the value on the sender's side.
        sent: String,
    },
}

/// Returns what happens to each field that a message of type `sent` can contain, at any depth, when the receiver takes
/// it for a message of type `expected`. Returns nothing if either side does not declare its type.
pub fn transfer(sender: &Schema, sent: &str, receiver: &Schema, expected: &str) -> Vec<Transfer> {
    let mut walk = Walk {
        sender,
        receiver,
        ahead: vec![(sent.to_owned(), expected.to_owned())],
        found: Vec::new(),
    };
    let mut seen = HashSet::new();
    while let Some(pair) = walk.ahead.pop() {
        if let (Some(sent), Some(expected)) = (sender.message(&pair.0), receiver.message(&pair.1))
            && seen.insert(pair)
        {
            walk.message(sent, expected);
        }
    }
    let mut once = HashSet::new();
    walk.found.retain(|found| once.insert(found.clone()));
    walk.found
}

/// A walk over all pairs of messages that contain each other.
struct Walk<'s> {
    sender: &'s Schema,
    receiver: &'s Schema,
    ahead: Vec<(String, String)>,
    found: Vec<Transfer>,
}

impl<'s> Walk<'s> {
    fn message(&mut self, sent: &'s Message, expected: &'s Message) {
        for field in &sent.fields {
            match of_number(expected, field.number) {
                Some(read) => self.field(field, read, sent, expected),
                None => self.found.push(Transfer::Unknown {
                    sent: field.id.full.clone(),
                }),
            }
        }
        let unfilled = expected
            .fields
            .iter()
            .filter(|field| of_number(sent, field.number).is_none());
        self.found.extend(unfilled.map(|field| Transfer::Unfilled {
            read: field.id.full.clone(),
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
            sent: sent.id.full.clone(),
            read: read.id.full.clone(),
            effect,
        });
        self.follow(ends.0, ends.1);
    }

    /// Goes on to the types of both ends, where one is decoded as the other.
    fn follow(&mut self, sent: End<'s>, read: End<'s>) {
        if let (Some(sent), Some(read)) = (sent.entry(), read.entry()) {
            // The key and value of a map are judged with the map; only the type of its values lies deeper.
            if let (Some(sent), Some(read)) = (of_number(sent, 2), of_number(read, 2)) {
                self.follow(End::new(self.sender, sent), End::new(self.receiver, read));
            }
        } else if sent.is_message() && sent.format() == read.format() && read.is_message() {
            let types = (sent.field.type_name.clone(), read.field.type_name.clone());
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
                sent: value.id.full.clone(),
            }));
    }
}

/// Returns the field of this number.
fn of_number(message: &Message, number: i32) -> Option<&Field> {
    message.fields.iter().find(|field| field.number == number)
}

/// Returns true if the receiver has the field in a oneof together with another that the sender may
/// send beside it.
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
