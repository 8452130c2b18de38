//! Fields of a message: removed, required, or with another name or oneof; and the options of a
//! message.

use std::collections::HashSet;

use super::super::sink::RuleRun;
use super::{Unless, changed, word};
use nri_schema::schema::{FieldDescriptor, MessageDescriptor, number as n};

/// The tag of `json_name` in `FieldDescriptorProto`.
const JSON_NAME: i32 = 10;
/// The path of the option `jstype` below a field.
const JSTYPE: [i32; 2] = [8, 6];
/// The names of its values.
const JSTYPES: [&str; 3] = ["JS_NORMAL", "JS_STRING", "JS_NUMBER"];
/// Paths below a message: options, then the option or `features` and the feature in it.
const NO_STANDARD_DESCRIPTOR_ACCESSOR: [i32; 2] = [7, 2];
const JSON_FORMAT: [i32; 3] = [7, 12, 6];

/// Reports the fields that are gone, unless they may be.
pub(in crate::diff) fn deleted(
    run: &mut RuleRun<'_>,
    old: &MessageDescriptor,
    new: &MessageDescriptor,
    unless: Unless,
) {
    let kept: HashSet<i32> = new.fields.iter().map(|field| field.number).collect();
    let reserved = (&*new.reserved_names, &*new.reserved);
    for field in old.fields.iter().filter(|field| !kept.contains(&field.number)) {
        if !unless.permits((field.number, [field.id.name()]), reserved) {
            let message = format!("{} was deleted{}", super::field(field), unless.ending());
            run.report_part(&new.id, &field.id.full, message);
        }
    }
}

pub(in crate::diff) fn name(run: &mut RuleRun<'_>, old: &FieldDescriptor, new: &FieldDescriptor) {
    let known_as = |field: &FieldDescriptor| {
        if old.is_extension { field.id.full.clone() } else { field.id.name().to_owned() }
    };
    let (before, after) = (known_as(old), known_as(new));
    if before != after {
        let what = if new.is_extension { "extension" } else { "field" };
        let (number, owner) = (new.number, &new.owner);
        let message = format!(
            "{what} {number} of message {owner:?} changed name from {before:?} to {after:?}"
        );
        run.report_only_at(run.pairs.to.name(&new.id), &new.id, message);
    }
}

/// Compares JSON names. Extensions have none.
pub(in crate::diff) fn json_name(
    run: &mut RuleRun<'_>,
    old: &FieldDescriptor,
    new: &FieldDescriptor,
) {
    let (before, after) = (&old.json_name, &new.json_name);
    if !old.is_extension && before != after {
        let place = run.pairs.to.part(&new.id, &[JSON_NAME]);
        let [before, after] = [before, after].map(|name| format!("{name:?}"));
        changed(run, new, place, "JSON name", [&before, &after]);
    }
}

/// Compares the type in JavaScript, which is configurable only for 64-bit integers.
pub(in crate::diff) fn jstype(run: &mut RuleRun<'_>, old: &FieldDescriptor, new: &FieldDescriptor) {
    if is_64_bit(old) && is_64_bit(new) && old.jstype != new.jstype {
        let place = run.pairs.to.part(&new.id, &JSTYPE);
        let names = [old, new].map(|field| word(&JSTYPES, field.jstype));
        changed(run, new, place, "jstype", names);
    }
}

const fn is_64_bit(field: &FieldDescriptor) -> bool {
    matches!(field.declared, n::INT64 | n::UINT64 | n::SINT64 | n::FIXED64 | n::SFIXED64)
}

pub(in crate::diff) fn oneof(run: &mut RuleRun<'_>, old: &FieldDescriptor, new: &FieldDescriptor) {
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

pub(in crate::diff) fn required(
    run: &mut RuleRun<'_>,
    old: &MessageDescriptor,
    new: &MessageDescriptor,
) {
    let (before, after) = (required_numbers(old), required_numbers(new));
    let name = new.id.name();
    for field in required_fields(old).filter(|field| !after.contains(&field.number)) {
        let message = format!("message {name:?} lost required field {}", field.number);
        run.report_part(&new.id, &field.id.full, message);
    }
    for field in required_fields(new).filter(|field| !before.contains(&field.number)) {
        let message = format!("message {name:?} gained required field {}", field.number);
        run.report(&field.id, message);
    }
}

fn required_fields(message: &MessageDescriptor) -> impl Iterator<Item = &FieldDescriptor> {
    message.fields.iter().filter(|field| field.label == n::LABEL_REQUIRED)
}

fn required_numbers(message: &MessageDescriptor) -> HashSet<i32> {
    required_fields(message).map(|field| field.number).collect()
}

/// Checks oneofs. The oneof of a proto3 `optional` is not in the source: losing it is a change of
/// cardinality.
pub(in crate::diff) fn oneof_deleted(
    run: &mut RuleRun<'_>,
    old: &MessageDescriptor,
    new: &MessageDescriptor,
) {
    let kept: HashSet<&str> = new.oneofs.iter().map(|oneof| oneof.name.as_str()).collect();
    for oneof in old.oneofs.iter().filter(|oneof| !oneof.synthetic) {
        if !kept.contains(oneof.name.as_str()) {
            let (name, owner) = (&oneof.name, new.id.name());
            let message = format!("oneof {name:?} of message {owner:?} was deleted");
            let element = format!("{}.{name}", new.id.full);
            run.report_part(&new.id, &element, message);
        }
    }
}

pub(in crate::diff) fn accessor(
    run: &mut RuleRun<'_>,
    old: &MessageDescriptor,
    new: &MessageDescriptor,
) {
    if !old.no_standard_descriptor_accessor && new.no_standard_descriptor_accessor {
        let place = run.pairs.to.part(&new.id, &NO_STANDARD_DESCRIPTOR_ACCESSOR);
        let message =
            "option no_standard_descriptor_accessor of the message changed from false to true";
        run.report_only_at(place, &new.id, message.to_owned());
    }
}

pub(in crate::diff) fn message_json_format(
    run: &mut RuleRun<'_>,
    old: &MessageDescriptor,
    new: &MessageDescriptor,
) {
    let formats = [old, new].map(|message| message.features.json_format);
    super::json_format(run, &new.id, "message", formats, &JSON_FORMAT);
}
