//! The type and cardinality of a field: the same, or one with the same encoding.
//!
//! Groups: <https://protobuf.dev/programming-guides/proto3/#updating> and
//! <https://protobuf.dev/programming-guides/json/>.

use std::collections::HashSet;

use super::super::sink::RuleRun;
use nri_schema::schema::{
    Cardinality, EnumDescriptor, EnumValueDescriptor, FieldDescriptor, number as n,
};

/// Tags of `FieldDescriptorProto`: a named type stands at one path, a scalar at the other.
const TYPE: i32 = 5;
const TYPE_NAME: i32 = 6;

pub(in crate::diff) fn same(run: &mut RuleRun<'_>, old: &FieldDescriptor, new: &FieldDescriptor) {
    if old.kind != new.kind {
        kind_changed(run, old, new);
    } else if is_named(new.declared) && old.type_name != new.type_name {
        name_changed(run, old, new);
    }
}

pub(in crate::diff) fn wire(run: &mut RuleRun<'_>, old: &FieldDescriptor, new: &FieldDescriptor) {
    // Every string is valid bytes, but not the reverse.
    if wire_group(old.kind) == wire_group(new.kind) {
        compatible_name(run, old, new, new.declared);
    } else if (old.kind, new.kind) != (n::STRING, n::BYTES) {
        kind_changed(run, old, new);
    }
}

pub(in crate::diff) fn wire_json(
    run: &mut RuleRun<'_>,
    old: &FieldDescriptor,
    new: &FieldDescriptor,
) {
    if wire_json_group(old.kind) == wire_json_group(new.kind) {
        compatible_name(run, old, new, new.kind);
    } else {
        kind_changed(run, old, new);
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

fn compatible_name(run: &mut RuleRun<'_>, old: &FieldDescriptor, new: &FieldDescriptor, kind: i32) {
    if !is_named(kind) || old.type_name == new.type_name {
        return;
    }
    let before = run.pairs.from.enumeration(&old.type_name);
    let after = run.pairs.to.enumeration(&new.type_name);
    if let (n::ENUM, Some(before), Some(after)) = (kind, before, after)
        && moved(before, after)
    {
        return;
    }
    name_changed(run, old, new);
}

/// Returns true if an enum only moved: it has the same simple name and every value, and possibly
/// more.
fn moved(old: &EnumDescriptor, new: &EnumDescriptor) -> bool {
    let values: HashSet<_> = new.values.iter().map(named_number).collect();
    old.id.name() == new.id.name()
        && old.values.iter().all(|value| values.contains(&named_number(value)))
}

fn named_number(value: &EnumValueDescriptor) -> (&str, i32) {
    (value.id.name(), value.number)
}

fn kind_changed(run: &mut RuleRun<'_>, old: &FieldDescriptor, new: &FieldDescriptor) {
    let tag = if is_named(new.kind) { TYPE_NAME } else { TYPE };
    changed(run, new, tag, [old, new].map(words));
}

fn name_changed(run: &mut RuleRun<'_>, old: &FieldDescriptor, new: &FieldDescriptor) {
    let [before, after] = [old, new].map(|field| format!("{:?}", field.type_name));
    changed(run, new, TYPE_NAME, [&before, &after]);
}

/// Reports another type, at its place.
fn changed(run: &mut RuleRun<'_>, new: &FieldDescriptor, tag: i32, [before, after]: [&str; 2]) {
    let place = run.pairs.to.part_or_stand_in(&new.id, &[tag]);
    let field = super::field(new);
    let message = format!("{field} changed type from {before} to {after}");
    run.report_only_at(place, &new.id, message);
}

pub(in crate::diff) const fn words(field: &FieldDescriptor) -> &'static str {
    match field.kind {
        n::GROUP if field.declared == n::MESSAGE => "a delimited message",
        n::GROUP => "a group",
        n::MESSAGE => "a message",
        n::ENUM => "an enum",
        scalar => n::word(scalar),
    }
}

pub(in crate::diff) fn same_cardinality(
    run: &mut RuleRun<'_>,
    old: &FieldDescriptor,
    new: &FieldDescriptor,
) {
    cardinality(run, (old, new), |cardinality| cardinality);
}

/// Compares the cardinality in JSON, which distinguishes one value, an array and an object, but not
/// presence.
pub(in crate::diff) fn wire_json_cardinality(
    run: &mut RuleRun<'_>,
    old: &FieldDescriptor,
    new: &FieldDescriptor,
) {
    cardinality(run, (old, new), |cardinality| match cardinality {
        Cardinality::Implicit => Cardinality::Explicit,
        other @ (Cardinality::Explicit
        | Cardinality::Required
        | Cardinality::Repeated
        | Cardinality::Map) => other,
    });
}

/// Compares how fields are encoded. A map is encoded as a list of its entries.
pub(in crate::diff) fn wire_cardinality(
    run: &mut RuleRun<'_>,
    old: &FieldDescriptor,
    new: &FieldDescriptor,
) {
    cardinality(run, (old, new), |cardinality| match cardinality {
        Cardinality::Implicit => Cardinality::Explicit,
        Cardinality::Map => Cardinality::Repeated,
        other @ (Cardinality::Explicit | Cardinality::Required | Cardinality::Repeated) => other,
    });
}

/// Compares the group of both sides. The fields of map entries are generated by the compiler.
fn cardinality(
    run: &mut RuleRun<'_>,
    (old, new): (&FieldDescriptor, &FieldDescriptor),
    group: fn(Cardinality) -> Cardinality,
) {
    let in_map_entries = old.in_map_entry && new.in_map_entry;
    if !in_map_entries && group(old.cardinality) != group(new.cardinality) {
        let words = [old, new].map(|field| cardinality_words(field.cardinality));
        super::changed(run, new, None, "cardinality", words);
    }
}

const fn cardinality_words(cardinality: Cardinality) -> &'static str {
    match cardinality {
        Cardinality::Explicit => "optional with presence",
        Cardinality::Implicit => "optional without presence",
        Cardinality::Required => "required",
        Cardinality::Repeated => "repeated",
        Cardinality::Map => "map",
    }
}
