//! Every element that one schema has and the other has not, or has otherwise.

use std::collections::HashMap;

use nri_codegen::model::{
    Enum, EnumValue, Field, FieldKind, Label, Message, Protocol, Rpc, Service,
};

use crate::report::diff::{Change, ChangeKind, What};

/// Compares two schemas: services, then messages, then enums; of each first what `to` has, in the order declared,
/// then what it lost.
pub(super) fn changes(from: &Protocol, to: &Protocol) -> Vec<Change> {
    let mut list = List::default();
    services(&from.services, &to.services, &mut list);
    messages(&from.messages, &to.messages, &mut list);
    enums(&from.enums, &to.enums, &mut list);
    list.changes
}

#[derive(Default)]
struct List {
    changes: Vec<Change>,
}

impl List {
    fn push(&mut self, kind: ChangeKind, what: What, element: &str, detail: String) {
        self.changes.push(Change {
            kind,
            what,
            element: element.to_owned(),
            detail,
        });
    }

    /// Notes what became of an element that one side has at least; `details` says how one that both have differs.
    fn note<T>(
        &mut self,
        what: What,
        pair: (Option<&T>, Option<&T>),
        name: impl Fn(&T) -> &str,
        details: impl Fn(&T, &T) -> Vec<String>,
    ) {
        match pair {
            (None, Some(new)) => self.push(ChangeKind::Added, what, name(new), String::new()),
            (Some(old), None) => self.push(ChangeKind::Removed, what, name(old), String::new()),
            (Some(old), Some(new)) => {
                let details = details(old, new);
                if !details.is_empty() {
                    self.push(ChangeKind::Changed, what, name(new), details.join(", "));
                }
            }
            (None, None) => {}
        }
    }
}

/// Elements of both sides by name: in the later side's order, then those only the earlier one has.
fn paired<'a, T>(
    old: &'a [T],
    new: &'a [T],
    name: impl Fn(&'a T) -> &'a str,
) -> Vec<(Option<&'a T>, Option<&'a T>)> {
    let by_name = |all: &'a [T]| {
        all.iter()
            .map(|one| (name(one), one))
            .collect::<HashMap<_, _>>()
    };
    let (olds, news) = (by_name(old), by_name(new));
    let kept = new
        .iter()
        .map(|one| (olds.get(name(one)).copied(), Some(one)));
    let lost = old
        .iter()
        .filter(|one| !news.contains_key(name(one)))
        .map(|one| (Some(one), None));
    kept.chain(lost).collect()
}

/// For elements whose parts are compared on their own.
fn no_details<T>(_: &T, _: &T) -> Vec<String> {
    Vec::new()
}

/// What both of a pair consist of; nothing where there is none.
fn parts<'a, T, P>(
    pair: (Option<&'a T>, Option<&'a T>),
    of: impl Fn(&'a T) -> &'a [P],
) -> (&'a [P], &'a [P]) {
    (pair.0.map_or(&[], &of), pair.1.map_or(&[], &of))
}

fn services(old: &[Service], new: &[Service], list: &mut List) {
    for pair in paired(old, new, |service| &service.full_name) {
        list.note(
            What::Service,
            pair,
            |service| &service.full_name,
            no_details,
        );
        let (old, new) = parts(pair, |service| &service.rpcs);
        for pair in paired(old, new, |rpc| &rpc.full_name) {
            list.note(What::Rpc, pair, |rpc| &rpc.full_name, rpc);
        }
    }
}

fn rpc(old: &Rpc, new: &Rpc) -> Vec<String> {
    let side = |stream: bool, name: &str| format!("{}{name}", if stream { "stream " } else { "" });
    let request = |rpc: &Rpc| side(rpc.client_streaming, &rpc.input);
    let response = |rpc: &Rpc| side(rpc.server_streaming, &rpc.output);
    [
        differs("request", &request(old), &request(new)),
        differs("response", &response(old), &response(new)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn differs(what: &str, old: &str, new: &str) -> Option<String> {
    (old != new).then(|| format!("{what} {old} → {new}"))
}

fn messages(old: &[Message], new: &[Message], list: &mut List) {
    let mut ahead = paired(old, new, |message| &message.full_name);
    ahead.reverse();
    while let Some(pair) = ahead.pop() {
        list.note(
            What::Message,
            pair,
            |message| &message.full_name,
            no_details,
        );
        let (old, new) = parts(pair, |message| &message.fields);
        for pair in paired(old, new, |field| &field.full_name) {
            list.note(What::Field, pair, |field| &field.full_name, field);
        }
        let (old, new) = parts(pair, |message| &message.enums);
        enums(old, new, list);
        let (old, new) = parts(pair, |message| &message.messages);
        let nested = paired(old, new, |message| &message.full_name);
        ahead.extend(nested.into_iter().rev());
    }
}

fn field(old: &Field, new: &Field) -> Vec<String> {
    let oneof = |field: &Field| field.oneof.clone().unwrap_or_else(|| "none".to_owned());
    [
        differs("number", &old.number.to_string(), &new.number.to_string()),
        differs("type", &type_of(old), &type_of(new)),
        differs("JSON name", &old.json_name, &new.json_name),
        differs("oneof", &oneof(old), &oneof(new)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// As it is written in a proto.
fn type_of(field: &Field) -> String {
    let kind = kind(&field.kind);
    let is_map = matches!(field.kind, FieldKind::Map { .. });
    let scalar = matches!(field.kind, FieldKind::Scalar(_) | FieldKind::Enum(_));
    match field.label {
        Label::Repeated if !is_map => format!("repeated {kind}"),
        Label::Required => format!("required {kind}"),
        Label::Single if scalar && field.presence && field.oneof.is_none() => {
            format!("optional {kind}")
        }
        Label::Single | Label::Repeated => kind,
    }
}

fn kind(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Scalar(name) => (*name).to_owned(),
        FieldKind::Message(name) | FieldKind::Enum(name) => name.clone(),
        FieldKind::Map { key, value } => format!("map<{key}, {}>", self::kind(value)),
    }
}

fn enums(old: &[Enum], new: &[Enum], list: &mut List) {
    for pair in paired(old, new, |one| &one.full_name) {
        list.note(What::Enum, pair, |one| &one.full_name, no_details);
        let (old, new) = parts(pair, |one| &one.values);
        for pair in paired(old, new, |value| &value.full_name) {
            list.note(What::EnumValue, pair, |value| &value.full_name, number);
        }
    }
}

fn number(old: &EnumValue, new: &EnumValue) -> Vec<String> {
    differs("number", &old.number.to_string(), &new.number.to_string())
        .into_iter()
        .collect()
}
