//! Removed fields, and names and places of those that stayed.

use std::collections::HashSet;

use super::super::pairs::{Pair, Pairs};
use super::super::schema::element::{Field, Message, number as n};
use super::super::sink::Sink;
use super::ranges::contains;

/// The tag of `json_name` in `FieldDescriptorProto`.
const JSON_NAME: i32 = 10;
/// The path of the option `jstype` below a field.
const JSTYPE: [i32; 2] = [8, 6];

pub(in super::super) fn deleted(pairs: &Pairs<'_>, messages: Pair<'_, Message>, sink: &mut Sink) {
    gone(pairs, messages, sink, |_, _| false, "");
}

pub(in super::super) fn deleted_unless_name_reserved(
    pairs: &Pairs<'_>,
    messages: Pair<'_, Message>,
    sink: &mut Sink,
) {
    let reserved = |new: &Message, field: &Field| {
        new.reserved_names
            .iter()
            .any(|name| name == field.id.name())
    };
    gone(
        pairs,
        messages,
        sink,
        reserved,
        " without its name being reserved",
    );
}

pub(in super::super) fn deleted_unless_number_reserved(
    pairs: &Pairs<'_>,
    messages: Pair<'_, Message>,
    sink: &mut Sink,
) {
    let reserved = |new: &Message, field: &Field| contains(&new.reserved, field.number.into());
    gone(
        pairs,
        messages,
        sink,
        reserved,
        " without its number being reserved",
    );
}

fn gone(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Message>,
    sink: &mut Sink,
    allowed: fn(&Message, &Field) -> bool,
    how: &str,
) {
    let kept: HashSet<i32> = new.fields.iter().map(|field| field.number).collect();
    for field in old
        .fields
        .iter()
        .filter(|field| !kept.contains(&field.number))
    {
        if !allowed(new, field) {
            let message = format!("{} was deleted{how}", super::field(field));
            sink.add(pairs.declared(&new.id), &field.id.full, message);
        }
    }
}

pub(in super::super) fn name(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Field>,
    sink: &mut Sink,
) {
    let known_as = |field: &Field| {
        if old.is_extension {
            field.id.full.clone()
        } else {
            field.id.name().to_owned()
        }
    };
    let (before, after) = (known_as(old), known_as(new));
    if before != after {
        let what = if new.is_extension {
            "extension"
        } else {
            "field"
        };
        let (number, owner) = (new.number, &new.owner);
        let message = format!(
            "{what} {number} of message {owner:?} changed name from {before:?} to {after:?}"
        );
        sink.add(
            pairs.place(pairs.to.name(&new.id), &new.id),
            &new.id.full,
            message,
        );
    }
}

/// Compares JSON names. Extensions have none.
pub(in super::super) fn json_name(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Field>,
    sink: &mut Sink,
) {
    let (before, after) = (&old.json_name, &new.json_name);
    if !old.is_extension && before != after {
        let place = pairs
            .to
            .part(&new.id, &[JSON_NAME])
            .or_else(|| pairs.to.declared(&new.id));
        let message = format!(
            "{} changed JSON name from {before:?} to {after:?}",
            super::field(new)
        );
        sink.add(pairs.place(place, &new.id), &new.id.full, message);
    }
}

/// Compares the type in JavaScript, which is configurable only for 64-bit integers.
pub(in super::super) fn jstype(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Field>,
    sink: &mut Sink,
) {
    if is_64_bit(old) && is_64_bit(new) && old.jstype != new.jstype {
        let place = pairs
            .to
            .part(&new.id, &JSTYPE)
            .or_else(|| pairs.to.declared(&new.id));
        let (before, after) = (jstype_words(old.jstype), jstype_words(new.jstype));
        let message = format!(
            "{} changed jstype from {before} to {after}",
            super::field(new)
        );
        sink.add(pairs.place(place, &new.id), &new.id.full, message);
    }
}

const fn is_64_bit(field: &Field) -> bool {
    matches!(
        field.declared,
        n::INT64 | n::UINT64 | n::SINT64 | n::FIXED64 | n::SFIXED64
    )
}

const fn jstype_words(jstype: i32) -> &'static str {
    match jstype {
        0 => "JS_NORMAL",
        1 => "JS_STRING",
        2 => "JS_NUMBER",
        _ => "unknown",
    }
}

pub(in super::super) fn oneof(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Field>,
    sink: &mut Sink,
) {
    let change = match (&old.oneof, &new.oneof) {
        (Some(before), Some(after)) if before != after => {
            format!("moved from oneof {before:?} to oneof {after:?}")
        }
        (Some(_), None) => "moved out of a oneof".to_owned(),
        (None, Some(_)) => "moved into a oneof".to_owned(),
        _ => return,
    };
    let message = format!("{} {change}", super::field(new));
    sink.add(pairs.declared(&new.id), &new.id.full, message);
}
