//! A schema in its source form, before compilation.

use std::collections::BTreeMap;

use fastrand::Rng;

/// The identity of a message or enum, regardless of its name and place.
pub(super) type Uid = u32;

#[derive(Clone, Default)]
pub(super) struct Set {
    pub(super) files: Vec<File>,
    /// The next number for names and types.
    pub(super) next: Uid,
}

impl Set {
    pub(super) fn fresh(&mut self) -> Uid {
        self.next += 1;
        self.next
    }
}

#[derive(Clone)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) package: String,
    pub(super) proto3: bool,
    pub(super) options: BTreeMap<&'static str, String>,
    pub(super) messages: Vec<Message>,
    pub(super) enums: Vec<Enum>,
    pub(super) services: Vec<Service>,
    pub(super) extends: Vec<Extend>,
    /// Imports a well-known type and uses it.
    pub(super) well_known: bool,
    /// Declares and uses custom options.
    pub(super) custom_options: bool,
}

#[derive(Clone)]
pub(super) struct Message {
    pub(super) uid: Uid,
    pub(super) name: String,
    pub(super) fields: Vec<Field>,
    pub(super) messages: Vec<Message>,
    pub(super) enums: Vec<Enum>,
    pub(super) extends: Vec<Extend>,
    pub(super) reserved: Reserved,
    /// Ranges from 1000 on; printed in proto2 only.
    pub(super) extensions: Vec<(i32, i32)>,
    pub(super) no_accessor: bool,
}

#[derive(Clone, Default)]
pub(super) struct Reserved {
    pub(super) ranges: Vec<(i32, i32)>,
    pub(super) names: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    None,
    Optional,
    Required,
    Repeated,
}

#[derive(Clone)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) number: i32,
    pub(super) label: Label,
    pub(super) ty: Type,
    pub(super) oneof: Option<String>,
    /// Picks a default that fits the type.
    pub(super) default: Option<usize>,
    pub(super) options: BTreeMap<&'static str, String>,
}

#[derive(Clone)]
pub(super) enum Type {
    Scalar(&'static str),
    Named(Uid),
    Map(&'static str, Box<Type>),
    Group(Box<Message>),
}

#[derive(Clone)]
pub(super) struct Enum {
    pub(super) uid: Uid,
    pub(super) name: String,
    pub(super) values: Vec<(String, i32)>,
    pub(super) reserved: Reserved,
}

#[derive(Clone)]
pub(super) struct Service {
    pub(super) name: String,
    pub(super) methods: Vec<Method>,
}

#[derive(Clone)]
pub(super) struct Method {
    pub(super) name: String,
    pub(super) input: Uid,
    pub(super) output: Uid,
    pub(super) client_streaming: bool,
    pub(super) server_streaming: bool,
    pub(super) idempotency: Option<&'static str>,
}

/// An `extend` block.
#[derive(Clone)]
pub(super) struct Extend {
    pub(super) target: Uid,
    pub(super) fields: Vec<Field>,
}

/// Returns a message of the list or nested in one of them, groups included.
pub(super) fn pick<'a>(list: &'a mut [Message], rng: &mut Rng) -> Option<&'a mut Message> {
    let index = (!list.is_empty()).then(|| rng.usize(..list.len()))?;
    let message = list.get_mut(index)?;
    if !message.messages.is_empty() && rng.bool() {
        return pick(&mut message.messages, rng);
    }
    if message.fields.iter().any(|field| matches!(field.ty, Type::Group(_))) && rng.bool() {
        return message.fields.iter_mut().find_map(|field| match &mut field.ty {
            Type::Group(group) => Some(&mut **group),
            _ => None,
        });
    }
    Some(message)
}

/// Returns one of the elements.
pub(super) fn one<'a, T>(list: &'a mut [T], rng: &mut Rng) -> Option<&'a mut T> {
    let index = (!list.is_empty()).then(|| rng.usize(..list.len()))?;
    list.get_mut(index)
}

/// Removes and returns one of the elements.
pub(super) fn take<T>(list: &mut Vec<T>, rng: &mut Rng) -> Option<T> {
    let index = (!list.is_empty()).then(|| rng.usize(..list.len()))?;
    Some(list.remove(index))
}
