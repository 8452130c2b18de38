//! The type of a field: the same, or one with the same encoding.
//!
//! Groups: <https://protobuf.dev/programming-guides/proto3/#updating> and
//! <https://protobuf.dev/programming-guides/json/>.

use std::collections::HashSet;

use super::super::pairs::{Pair, Pairs};
use super::super::schema::element::{Enum, EnumValue, Field, number as n};
use super::super::sink::Sink;

/// Tags of `FieldDescriptorProto`: a named type stands at one path, a scalar at the other.
const TYPE: i32 = 5;
const TYPE_NAME: i32 = 6;

pub(in super::super) fn same(pairs: &Pairs<'_>, fields: Pair<'_, Field>, sink: &mut Sink) {
    let Pair { old, new } = fields;
    if old.kind != new.kind {
        kind_changed(pairs, fields, sink);
    } else if is_named(new.declared) && old.type_name != new.type_name {
        name_changed(pairs, fields, sink);
    }
}

pub(in super::super) fn wire(pairs: &Pairs<'_>, fields: Pair<'_, Field>, sink: &mut Sink) {
    let Pair { old, new } = fields;
    // Every string is valid bytes, but not the reverse.
    if wire_group(old.kind) == wire_group(new.kind) {
        compatible_name(pairs, fields, new.declared, sink);
    } else if (old.kind, new.kind) != (n::STRING, n::BYTES) {
        kind_changed(pairs, fields, sink);
    }
}

pub(in super::super) fn wire_json(pairs: &Pairs<'_>, fields: Pair<'_, Field>, sink: &mut Sink) {
    let Pair { old, new } = fields;
    if wire_json_group(old.kind) == wire_json_group(new.kind) {
        compatible_name(pairs, fields, new.kind, sink);
    } else {
        kind_changed(pairs, fields, sink);
    }
}

/// Returns a representative of all types with the same binary encoding.
const fn wire_group(kind: i32) -> i32 {
    match kind {
        n::INT64 | n::UINT32 | n::UINT64 | n::BOOL => n::INT32,
        n::SINT64 => n::SINT32,
        n::SFIXED32 => n::FIXED32,
        n::SFIXED64 => n::FIXED64,
        other => other,
    }
}

/// Returns a representative of all types with the same binary and JSON encoding.
const fn wire_json_group(kind: i32) -> i32 {
    match kind {
        n::UINT32 => n::INT32,
        n::UINT64 => n::INT64,
        n::SFIXED32 => n::FIXED32,
        n::SFIXED64 => n::FIXED64,
        other => other,
    }
}

const fn is_named(kind: i32) -> bool {
    matches!(kind, n::MESSAGE | n::GROUP | n::ENUM)
}

fn compatible_name(pairs: &Pairs<'_>, fields: Pair<'_, Field>, kind: i32, sink: &mut Sink) {
    let Pair { old, new } = fields;
    if !is_named(kind) || old.type_name == new.type_name {
        return;
    }
    let (before, after) = (
        pairs.from.enumeration(&old.type_name),
        pairs.to.enumeration(&new.type_name),
    );
    if let (n::ENUM, Some(before), Some(after)) = (kind, before, after)
        && moved(before, after)
    {
        return;
    }
    name_changed(pairs, fields, sink);
}

/// Returns true if an enum only moved: it has the same simple name and every value, and possibly
/// more.
fn moved(old: &Enum, new: &Enum) -> bool {
    let values: HashSet<_> = new.values.iter().map(named_number).collect();
    old.id.name() == new.id.name()
        && old
            .values
            .iter()
            .all(|value| values.contains(&named_number(value)))
}

fn named_number(value: &EnumValue) -> (&str, i32) {
    (value.id.name(), value.number)
}

fn kind_changed(pairs: &Pairs<'_>, Pair { old, new }: Pair<'_, Field>, sink: &mut Sink) {
    let tag = if is_named(new.kind) { TYPE_NAME } else { TYPE };
    let place = pairs.place(pairs.to.part_or_stand_in(&new.id, &[tag]), &new.id);
    let (before, after) = (words(old), words(new));
    let message = format!(
        "{} changed type from {before} to {after}",
        super::field(new)
    );
    sink.add(place, &new.id.full, message);
}

fn name_changed(pairs: &Pairs<'_>, Pair { old, new }: Pair<'_, Field>, sink: &mut Sink) {
    let place = pairs.place(pairs.to.part_or_stand_in(&new.id, &[TYPE_NAME]), &new.id);
    let (before, after) = (&old.type_name, &new.type_name);
    let message = format!(
        "{} changed type from {before:?} to {after:?}",
        super::field(new)
    );
    sink.add(place, &new.id.full, message);
}

pub(in super::super) const fn words(field: &Field) -> &'static str {
    match field.kind {
        n::DOUBLE => "double",
        n::FLOAT => "float",
        n::INT64 => "int64",
        n::UINT64 => "uint64",
        n::INT32 => "int32",
        n::FIXED64 => "fixed64",
        n::FIXED32 => "fixed32",
        n::BOOL => "bool",
        n::STRING => "string",
        n::GROUP if field.declared == n::MESSAGE => "a delimited message",
        n::GROUP => "a group",
        n::MESSAGE => "a message",
        n::BYTES => "bytes",
        n::UINT32 => "uint32",
        n::ENUM => "an enum",
        n::SFIXED32 => "sfixed32",
        n::SFIXED64 => "sfixed64",
        n::SINT32 => "sint32",
        _ => "sint64",
    }
}
