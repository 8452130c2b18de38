//! Every element that one schema has and the other lacks, or declares differently.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;

use super::buf_rules::types;
use crate::report::diff::{Change, ChangeKind, ElementKind};
use nri_schema::Schema;
use nri_schema::schema::{
    Cardinality, Declaration, Enum, EnumValue, Field, Id, Message, Method, Service, number,
};

/// A schema and the files in it that are compared; the others are imports.
#[derive(Clone, Copy)]
pub(super) struct Declared<'s> {
    pub(super) schema: &'s Schema,
    pub(super) files: &'s [String],
}

/// Compares two schemas: services, then messages, then enums; of each first the elements of `to`, in the order
/// declared, then those that only `from` has.
pub(super) fn changes(from: Declared<'_>, to: Declared<'_>) -> Vec<Change> {
    let mut list = List {
        from: from.schema,
        to: to.schema,
        changes: Vec::new(),
    };
    list.services(&from.services(), &to.services());
    list.messages(&from.messages(), &to.messages());
    list.enums(&from.enums(), &to.enums());
    list.changes
}

impl<'s> Declared<'s> {
    fn services(self) -> Vec<&'s Service> {
        self.in_order(&self.schema.services)
    }

    /// Returns the messages in the source; the compiler adds one per map.
    fn messages(self) -> Vec<&'s Message> {
        let mut messages = self.in_order(&self.schema.messages);
        messages.retain(|message| !message.is_map_entry());
        messages
    }

    fn enums(self) -> Vec<&'s Enum> {
        self.in_order(&self.schema.enums)
    }

    /// Returns the elements of the compared files in declaration order, nested ones after the
    /// enclosing one.
    fn in_order<T: Declaration>(self, all: &'s [T]) -> Vec<&'s T> {
        let named: HashSet<&str> = self.files.iter().map(String::as_str).collect();
        let files = self.schema.file_names();
        let is_named: Vec<bool> = files.map(|file| named.contains(file)).collect();
        let mut found: Vec<&T> = (all.iter())
            .filter(|element| is_named[element.id().file])
            .collect();
        let place = |element: &T| (element.id().file, element.id().path.clone());
        found.sort_by_cached_key(|element| place(element));
        found
    }
}

/// The changes found so far.
struct List<'s> {
    from: &'s Schema,
    to: &'s Schema,
    changes: Vec<Change>,
}

impl<'s> List<'s> {
    fn push(&mut self, kind: ChangeKind, what: ElementKind, element: &Id, detail: String) {
        self.changes.push(Change {
            kind,
            what,
            element: element.full.clone(),
            detail,
        });
    }

    /// Records the change of an element; `details` describes the differences if both sides have it.
    fn note<T: Declaration>(
        &mut self,
        what: ElementKind,
        pair: &Pair<'_, T>,
        details: impl Fn(&T, &T) -> Vec<String>,
    ) {
        match *pair {
            Pair::Added(new) => self.push(ChangeKind::Added, what, new.id(), String::new()),
            Pair::Removed(old) => self.push(ChangeKind::Removed, what, old.id(), String::new()),
            Pair::Both(old, new) => {
                let details = details(old, new);
                if !details.is_empty() {
                    self.push(ChangeKind::Changed, what, new.id(), details.join(", "));
                }
            }
        }
    }

    /// Records the changes of elements, each with its parts.
    fn with_parts<T: Declaration, P: Declaration + 's>(
        &mut self,
        (old, new): (&[&'s T], &[&'s T]),
        parts: impl Fn(&'s T) -> &'s [P],
        kinds: [ElementKind; 2],
        details: impl Fn(&P, &P) -> Vec<String>,
    ) {
        for pair in paired(old, new) {
            self.note(kinds[0], &pair, |_, _| Vec::new());
            let (old, new) = pair.parts(&parts);
            for part in paired(&old, &new) {
                self.note(kinds[1], &part, &details);
            }
        }
    }

    fn services(&mut self, old: &[&'s Service], new: &[&'s Service]) {
        let kinds = [ElementKind::Service, ElementKind::Rpc];
        self.with_parts((old, new), |service| &service.methods, kinds, method);
    }

    fn messages(&mut self, old: &[&'s Message], new: &[&'s Message]) {
        let (from, to) = (self.from, self.to);
        let details = |old: &Field, new: &Field| field((from, old), (to, new));
        let kinds = [ElementKind::Message, ElementKind::Field];
        self.with_parts((old, new), |message| &message.fields, kinds, details);
    }

    fn enums(&mut self, old: &[&'s Enum], new: &[&'s Enum]) {
        let kinds = [ElementKind::Enum, ElementKind::EnumValue];
        self.with_parts((old, new), |declared| &declared.values, kinds, value);
    }
}

/// An element that at least one side has.
enum Pair<'s, T> {
    Added(&'s T),
    Removed(&'s T),
    Both(&'s T, &'s T),
}

impl<'s, T> Pair<'s, T> {
    /// Returns the parts of both elements; none for a missing one.
    fn parts<P>(&self, parts: impl Fn(&'s T) -> &'s [P]) -> (Vec<&'s P>, Vec<&'s P>) {
        let (old, new) = match *self {
            Self::Added(new) => (None, Some(new)),
            Self::Removed(old) => (Some(old), None),
            Self::Both(old, new) => (Some(old), Some(new)),
        };
        let all = |element: Option<&'s T>| element.map_or(&[][..], &parts).iter().collect();
        (all(old), all(new))
    }
}

/// Pairs elements by name: in the order of `new`, then those that only `old` has.
fn paired<'s, T: Declaration>(old: &[&'s T], new: &[&'s T]) -> Vec<Pair<'s, T>> {
    let name = |element: &'s T| element.id().full.as_str();
    let by_name = |all: &[&'s T]| -> HashMap<&'s str, &'s T> {
        (all.iter().map(|&element| (name(element), element))).collect()
    };
    let (olds, news) = (by_name(old), by_name(new));
    let kept = new.iter().map(|&new| match olds.get(name(new)) {
        Some(&old) => Pair::Both(old, new),
        None => Pair::Added(new),
    });
    let lost = old.iter().filter(|old| !news.contains_key(name(old)));
    kept.chain(lost.map(|&old| Pair::Removed(old))).collect()
}

fn method(old: &Method, new: &Method) -> Vec<String> {
    let side = |stream: bool, name: &str| format!("{}{name}", if stream { "stream " } else { "" });
    let request = |method: &Method| side(method.client_streaming, &method.input);
    let response = |method: &Method| side(method.server_streaming, &method.output);
    [
        differs("request", request(old), request(new)),
        differs("response", response(old), response(new)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn differs<T: PartialEq + Display>(what: &str, old: T, new: T) -> Option<String> {
    (old != new).then(|| format!("{what} {old} → {new}"))
}

fn field((from, old): (&Schema, &Field), (to, new): (&Schema, &Field)) -> Vec<String> {
    fn oneof(field: &Field) -> &str {
        field.oneof.as_deref().unwrap_or("none")
    }
    let types = || differs("type", type_of(from, old), type_of(to, new));
    [
        differs("number", old.number, new.number),
        if is_same_type(old, new) {
            None
        } else {
            types()
        },
        differs("JSON name", old.json_name.as_str(), &new.json_name),
        differs("oneof", oneof(old), oneof(new)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns true if two types are certainly spelled alike; for a map, the entries have to be
/// compared.
fn is_same_type(old: &Field, new: &Field) -> bool {
    old.cardinality == new.cardinality
        && old.cardinality != Cardinality::Map
        && old.declared == new.declared
        && old.type_name == new.type_name
        && old.oneof.is_some() == new.oneof.is_some()
}

/// Returns the type as written in a proto.
fn type_of(schema: &Schema, field: &Field) -> String {
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

fn type_name(field: &Field) -> &str {
    if field.type_name.is_empty() {
        types::words(field)
    } else {
        &field.type_name
    }
}

/// Returns the type of a map, from the message that the compiler made for its entries.
fn map_of(schema: &Schema, field: &Field) -> String {
    let entry = schema.message(&field.type_name);
    let part = |number: i32| {
        let mut fields = entry.iter().flat_map(|entry| &entry.fields);
        fields
            .find(|field| field.number == number)
            .map_or("?", type_name)
    };
    format!("map<{}, {}>", part(1), part(2))
}

fn value(old: &EnumValue, new: &EnumValue) -> Vec<String> {
    differs("number", old.number, new.number)
        .into_iter()
        .collect()
}
