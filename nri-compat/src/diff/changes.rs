//! Every element that one schema has and the other lacks, or declares differently.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;

use super::buf_rules::types;
use crate::report::diff::{Change, ChangeKind, ElementKind};
use nri_schema::Schema;
use nri_schema::schema::{
    Cardinality, Declaration, EnumValueDescriptor, FieldDescriptor, MessageDescriptor, Method,
    number,
};

/// A schema and the files in it that are compared; the others are imports.
#[derive(Clone, Copy)]
pub(super) struct Declared<'s> {
    pub(super) schema: &'s Schema,
    pub(super) files: &'s [String],
}

/// Compares two schemas: services, then messages, then enums; of each first the elements of `to`,
/// in the order declared, then those that only `from` has.
pub(super) fn changes(from: Declared<'_>, to: Declared<'_>) -> Vec<Change> {
    let services = [from, to].map(|side| side.in_order(&side.schema.services));
    let messages = [from, to].map(Declared::messages);
    let enums = [from, to].map(|side| side.in_order(&side.schema.enums));
    let fields =
        |old: &FieldDescriptor, new: &FieldDescriptor| field((from.schema, old), (to.schema, new));
    let service_kinds = [ElementKind::Service, ElementKind::Rpc];
    let message_kinds = [ElementKind::Message, ElementKind::Field];
    let enum_kinds = [ElementKind::Enum, ElementKind::EnumValue];
    let mut changes = list(services, service_kinds, |service| &service.methods, method);
    changes.extend(list(messages, message_kinds, |message| &message.fields, fields));
    changes.extend(list(enums, enum_kinds, |declared| &declared.values, value));
    changes
}

impl<'s> Declared<'s> {
    /// Returns the messages in the source; the compiler adds one per map.
    fn messages(self) -> Vec<&'s MessageDescriptor> {
        let mut messages = self.in_order(&self.schema.messages);
        messages.retain(|message| !message.is_map_entry());
        messages
    }

    /// Returns the elements of the compared files in declaration order, nested ones after the
    /// enclosing one.
    fn in_order<T: Declaration>(self, all: &'s [T]) -> Vec<&'s T> {
        let named: HashSet<&str> = self.files.iter().map(String::as_str).collect();
        let is_named =
            |element: &&T| named.contains(self.schema.file_of(element.id()).name.as_str());
        let mut found: Vec<&T> = all.iter().filter(is_named).collect();
        found.sort_by_key(|element| (element.id().file, &element.id().path));
        found
    }
}

/// Returns the changes of elements, each with its parts. `details` describes the differences of a
/// part that both sides have.
fn list<'s, T: Declaration, P: Declaration + 's>(
    [all_old, all_new]: [Vec<&'s T>; 2],
    kinds: [ElementKind; 2],
    parts: impl Fn(&'s T) -> &'s [P],
    details: impl Fn(&P, &P) -> Vec<String>,
) -> Vec<Change> {
    let parts_of =
        |element: Option<&'s T>| element.map_or(&[][..], &parts).iter().collect::<Vec<_>>();
    let mut changes = Vec::new();
    for (old, new) in paired(&all_old, &all_new) {
        changes.extend(change(kinds[0], (old, new), |_, _| Vec::new()));
        let pairs = paired(&parts_of(old), &parts_of(new)).into_iter();
        changes.extend(pairs.filter_map(|pair| change(kinds[1], pair, &details)));
    }
    changes
}

/// Returns the change of an element, if it has changed.
fn change<T: Declaration>(
    what: ElementKind,
    pair: Sides<'_, T>,
    details: impl Fn(&T, &T) -> Vec<String>,
) -> Option<Change> {
    let (kind, element, detail) = match pair {
        (None, None) => return None,
        (None, Some(new)) => (ChangeKind::Added, new, String::new()),
        (Some(old), None) => (ChangeKind::Removed, old, String::new()),
        (Some(old), Some(new)) => {
            let details = details(old, new);
            if details.is_empty() {
                return None;
            }
            (ChangeKind::Changed, new, details.join(", "))
        }
    };
    Some(Change { kind, what, element: element.id().full.clone(), detail })
}

/// An element of `from` and of `to`; at least one has it.
type Sides<'s, T> = (Option<&'s T>, Option<&'s T>);

/// Pairs elements by name: in the order of `new`, then those that only `old` has.
fn paired<'s, T: Declaration>(old: &[&'s T], new: &[&'s T]) -> Vec<Sides<'s, T>> {
    let name = |element: &'s T| element.id().full.as_str();
    let by_name = |all: &[&'s T]| -> HashMap<&'s str, &'s T> {
        all.iter().map(|&element| (name(element), element)).collect()
    };
    let (olds, news) = (by_name(old), by_name(new));
    let kept = new.iter().map(|&element| (olds.get(name(element)).copied(), Some(element)));
    let lost = old.iter().filter(|element| !news.contains_key(name(element)));
    kept.chain(lost.map(|&element| (Some(element), None))).collect()
}

fn method(old: &Method, new: &Method) -> Vec<String> {
    let side = |stream: bool, name: &str| format!("{}{name}", if stream { "stream " } else { "" });
    let request_of = |method: &Method| side(method.client_streaming, &method.input);
    let response_of = |method: &Method| side(method.server_streaming, &method.output);
    let request = differs("request", request_of(old), request_of(new));
    let response = differs("response", response_of(old), response_of(new));
    request.into_iter().chain(response).collect()
}

fn differs<T: PartialEq + Display>(what: &str, old: T, new: T) -> Option<String> {
    (old != new).then(|| format!("{what} {old} → {new}"))
}

fn field(
    (from, old): (&Schema, &FieldDescriptor),
    (to, new): (&Schema, &FieldDescriptor),
) -> Vec<String> {
    let [before, after] = [old, new].map(|field| field.oneof.as_deref().unwrap_or("none"));
    let types = || differs("type", type_of(from, old), type_of(to, new));
    let differences = [
        differs("number", old.number, new.number),
        (!is_same_type(old, new)).then(types).flatten(),
        differs("JSON name", &old.json_name, &new.json_name),
        differs("oneof", before, after),
    ];
    differences.into_iter().flatten().collect()
}

/// Returns true if two types are certainly spelled alike; for a map, the entries have to be
/// compared.
fn is_same_type(old: &FieldDescriptor, new: &FieldDescriptor) -> bool {
    old.cardinality == new.cardinality
        && old.cardinality != Cardinality::Map
        && old.declared == new.declared
        && old.type_name == new.type_name
        && old.oneof.is_some() == new.oneof.is_some()
}

/// Returns the type as written in a proto.
fn type_of(schema: &Schema, field: &FieldDescriptor) -> String {
    let name = type_name(field);
    let is_message = matches!(field.declared, number::MESSAGE | number::GROUP);
    match field.cardinality {
        Cardinality::Map => map_of(schema, field),
        Cardinality::Repeated => format!("repeated {name}"),
        Cardinality::Required => format!("required {name}"),
        Cardinality::Explicit if !is_message && field.oneof.is_none() => format!("optional {name}"),
        Cardinality::Explicit | Cardinality::Implicit => name.to_owned(),
    }
}

fn type_name(field: &FieldDescriptor) -> &str {
    if field.type_name.is_empty() { types::words(field) } else { &field.type_name }
}

/// Returns the type of a map, from the message that the compiler made for its entries.
fn map_of(schema: &Schema, field: &FieldDescriptor) -> String {
    let entry = schema.message(&field.type_name);
    let part = |number: i32| {
        let mut parts = entry.iter().flat_map(|entry| &entry.fields);
        parts.find(|part| part.number == number).map_or("?", type_name)
    };
    format!("map<{}, {}>", part(1), part(2))
}

fn value(old: &EnumValueDescriptor, new: &EnumValueDescriptor) -> Vec<String> {
    let number = differs("number", old.number, new.number);
    number.into_iter().collect()
}
