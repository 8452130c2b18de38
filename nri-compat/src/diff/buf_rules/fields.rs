//! Removed fields, and names and places of those that stayed.

use std::collections::HashSet;

use super::super::sink::Run;
use super::ranges::contains;
use nri_schema::schema::{Field, Message, number as n};

/// The tag of `json_name` in `FieldDescriptorProto`.
const JSON_NAME: i32 = 10;
/// The path of the option `jstype` below a field.
const JSTYPE: [i32; 2] = [8, 6];

pub(in crate::diff) fn deleted(run: &mut Run<'_>, old: &Message, new: &Message) {
    gone(run, (old, new), |_| false, "");
}

pub(in crate::diff) fn deleted_unless_name_reserved(
    run: &mut Run<'_>,
    old: &Message,
    new: &Message,
) {
    let names = &new.reserved_names;
    let is_reserved = |field: &Field| names.iter().any(|name| name == field.id.name());
    let how = " without its name being reserved";
    gone(run, (old, new), is_reserved, how);
}

pub(in crate::diff) fn deleted_unless_number_reserved(
    run: &mut Run<'_>,
    old: &Message,
    new: &Message,
) {
    let is_reserved = |field: &Field| contains(&new.reserved, field.number.into());
    let how = " without its number being reserved";
    gone(run, (old, new), is_reserved, how);
}

/// Reports the fields that are gone, unless they may be removed.
fn gone(
    run: &mut Run<'_>,
    (old, new): (&Message, &Message),
    is_allowed: impl Fn(&Field) -> bool,
    how: &str,
) {
    let kept: HashSet<i32> = new.fields.iter().map(|field| field.number).collect();
    let gone = (old.fields.iter()).filter(|field| !kept.contains(&field.number));
    for field in gone.filter(|field| !is_allowed(field)) {
        let message = format!("{} was deleted{how}", super::field(field));
        run.report_part(&new.id, &field.id.full, message);
    }
}

pub(in crate::diff) fn name(run: &mut Run<'_>, old: &Field, new: &Field) {
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
        run.report_only_at(run.pairs.to.name(&new.id), &new.id, message);
    }
}

/// Compares JSON names. Extensions have none.
pub(in crate::diff) fn json_name(run: &mut Run<'_>, old: &Field, new: &Field) {
    let (before, after) = (&old.json_name, &new.json_name);
    if !old.is_extension && before != after {
        let place = run.pairs.to.part(&new.id, &[JSON_NAME]);
        let field = super::field(new);
        let message = format!("{field} changed JSON name from {before:?} to {after:?}");
        run.report_at(place, &new.id, message);
    }
}

/// Compares the type in JavaScript, which is configurable only for 64-bit integers.
pub(in crate::diff) fn jstype(run: &mut Run<'_>, old: &Field, new: &Field) {
    if is_64_bit(old) && is_64_bit(new) && old.jstype != new.jstype {
        let place = run.pairs.to.part(&new.id, &JSTYPE);
        let (before, after) = (jstype_words(old.jstype), jstype_words(new.jstype));
        let field = super::field(new);
        let message = format!("{field} changed jstype from {before} to {after}");
        run.report_at(place, &new.id, message);
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

pub(in crate::diff) fn oneof(run: &mut Run<'_>, old: &Field, new: &Field) {
    let change = match (&old.oneof, &new.oneof) {
        (Some(before), Some(after)) if before != after => {
            format!("moved from oneof {before:?} to oneof {after:?}")
        }
        (Some(_), None) => "moved out of a oneof".to_owned(),
        (None, Some(_)) => "moved into a oneof".to_owned(),
        _ => return,
    };
    let message = format!("{} {change}", super::field(new));
    run.report(&new.id, message);
}
