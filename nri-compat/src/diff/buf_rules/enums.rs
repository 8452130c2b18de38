//! Enums and their values.

use std::collections::{BTreeMap, BTreeSet};

use super::super::sink::RuleRun;
use super::{Unless, quoted};
use nri_schema::schema::value;
use nri_schema::schema::{EnumDescriptor, EnumValueDescriptor};

/// Paths below an enum: options, `features`, the feature.
const ENUM_TYPE: [i32; 3] = [3, 7, 2];
const JSON_FORMAT: [i32; 3] = [3, 7, 6];
/// The tag of `number` in `EnumValueDescriptorProto`.
const NUMBER_TAG: i32 = 2;

/// Returns names of an enum's values by number; aliases share one.
fn names(declared: &EnumDescriptor) -> BTreeMap<i32, BTreeSet<&str>> {
    let mut names = BTreeMap::<_, BTreeSet<_>>::new();
    for value in &declared.values {
        let own = names.entry(value.number).or_default();
        own.insert(value.id.name());
    }
    names
}

/// Reports the numbers that are gone, unless they may be.
pub(in crate::diff) fn value_deleted(
    run: &mut RuleRun<'_>,
    old: &EnumDescriptor,
    new: &EnumDescriptor,
    unless: Unless,
) {
    let kept = names(new);
    for (number, names) in names(old) {
        let deleted = (number, names.iter().copied());
        let reserved = (&*new.reserved_names, &*new.reserved);
        if !kept.contains_key(&number) && !unless.permits(deleted, reserved) {
            let (values, name) = (quoted(names.iter().copied()), new.id.name());
            let how = unless.ending();
            let message = format!("enum value {number} {values} of enum {name:?} was deleted{how}");
            run.report_part(&new.id, &first_full_name(old, number), message);
        }
    }
}

fn first_full_name(declared: &EnumDescriptor, number: i32) -> String {
    let value = declared.values.iter().find(|value| value.number == number);
    value.map_or_else(|| declared.id.full.clone(), |value| value.id.full.clone())
}

/// Checks the names of numbers. A number may gain names, each an alias, but keeps those that it
/// had.
pub(in crate::diff) fn value_name(
    run: &mut RuleRun<'_>,
    old: &EnumDescriptor,
    new: &EnumDescriptor,
) {
    let (before, after) = (names(old), names(new));
    for EnumValueDescriptor { id, number } in &new.values {
        let (Some(before), Some(after)) = (before.get(number), after.get(number)) else {
            continue;
        };
        if !before.is_subset(after) {
            let [was, is] = [before, after].map(|names| quoted(names.iter().copied()));
            let name = new.id.name();
            let message =
                format!("enum value {number} of enum {name:?} changed name from {was} to {is}");
            let place = run.pairs.to.part(id, &[NUMBER_TAG]);
            run.report_only_at(place, id, message);
        }
    }
}

pub(in crate::diff) fn openness(run: &mut RuleRun<'_>, old: &EnumDescriptor, new: &EnumDescriptor) {
    let [before, after] =
        [old, new].map(|declared| declared.features.enum_type == value::ENUM_CLOSED);
    if before != after {
        let [was, is] = [before, after].map(|closed| if closed { "closed" } else { "open" });
        let place = run.pairs.to.feature(&new.id, &ENUM_TYPE);
        let message = format!("enum {:?} changed from {was} to {is}", new.id.name());
        run.report_at(place, &new.id, message);
    }
}

pub(in crate::diff) fn json_format(
    run: &mut RuleRun<'_>,
    old: &EnumDescriptor,
    new: &EnumDescriptor,
) {
    let formats = [old, new].map(|declared| declared.features.json_format);
    super::json_format(run, &new.id, "enum", formats, &JSON_FORMAT);
}
