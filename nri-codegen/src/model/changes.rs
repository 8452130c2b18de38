//! What differs between two protocols, element by element; comments and places do not count.

use std::collections::BTreeMap;
use std::fmt;

use super::{About, Enum, Field, Message, Protocol, Rpc, Service};

/// An element that one protocol has and the other has not, or has otherwise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// What happened to it.
    pub kind: ChangeKind,
    /// `service`, `rpc`, `message`, `field`, `enum` or `enum value`.
    pub what: &'static str,
    /// Its full name.
    pub element: String,
}

/// What happened to an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// Only the newer protocol has it.
    Added,
    /// Only the older protocol has it.
    Removed,
    /// Both have it, but number, type or the like differ.
    Changed,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            ChangeKind::Added => "added",
            ChangeKind::Removed => "removed",
            ChangeKind::Changed => "changed",
        };
        write!(f, "{kind} {} {}", self.what, self.element)
    }
}

/// What is different in `new`, sorted; empty if only comments, places and order differ.
pub fn changes(old: &Protocol, new: &Protocol) -> Vec<Change> {
    let (old, new) = (facts(old), facts(new));
    let mut changes = Vec::new();
    for (name, fact) in &new {
        match old.get(name) {
            None => changes.push(change(ChangeKind::Added, name, fact)),
            Some(before) if before != fact => changes.push(change(ChangeKind::Changed, name, fact)),
            Some(_) => {}
        }
    }
    let removed = old.iter().filter(|(name, _)| !new.contains_key(*name));
    changes.extend(removed.map(|(name, fact)| change(ChangeKind::Removed, name, fact)));
    changes.sort();
    changes
}

fn change(kind: ChangeKind, element: &str, fact: &Fact) -> Change {
    Change {
        kind,
        what: fact.what(),
        element: element.to_owned(),
    }
}

/// An element without what is below it, and without comment and place.
#[derive(PartialEq)]
enum Fact {
    Service,
    Rpc(Rpc),
    Message(Vec<String>),
    Field(Field),
    Enum,
    Value(i32),
}

impl Fact {
    fn what(&self) -> &'static str {
        match self {
            Fact::Service => "service",
            Fact::Rpc(_) => "rpc",
            Fact::Message(_) => "message",
            Fact::Field(_) => "field",
            Fact::Enum => "enum",
            Fact::Value(_) => "enum value",
        }
    }
}

type Facts<'p> = BTreeMap<&'p str, Fact>;

fn facts(protocol: &Protocol) -> Facts<'_> {
    let mut facts = Facts::new();
    protocol
        .services
        .iter()
        .for_each(|service| add_service(service, &mut facts));
    protocol
        .messages
        .iter()
        .for_each(|message| add_message(message, &mut facts));
    protocol
        .enums
        .iter()
        .for_each(|found| add_enum(found, &mut facts));
    facts
}

fn add_service<'p>(service: &'p Service, facts: &mut Facts<'p>) {
    facts.insert(&service.full_name, Fact::Service);
    for rpc in &service.rpcs {
        let fact = Rpc {
            about: About::default(),
            ..rpc.clone()
        };
        facts.insert(&rpc.full_name, Fact::Rpc(fact));
    }
}

fn add_message<'p>(message: &'p Message, facts: &mut Facts<'p>) {
    facts.insert(&message.full_name, Fact::Message(message.oneofs.clone()));
    for field in &message.fields {
        let fact = Field {
            about: About::default(),
            ..field.clone()
        };
        facts.insert(&field.full_name, Fact::Field(fact));
    }
    message
        .messages
        .iter()
        .for_each(|nested| add_message(nested, facts));
    message
        .enums
        .iter()
        .for_each(|found| add_enum(found, facts));
}

fn add_enum<'p>(found: &'p Enum, facts: &mut Facts<'p>) {
    facts.insert(&found.full_name, Fact::Enum);
    for value in &found.values {
        facts.insert(&value.full_name, Fact::Value(value.number));
    }
}
