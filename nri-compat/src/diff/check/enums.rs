//! Enums and their values.

use std::collections::{BTreeMap, BTreeSet};

use super::super::features::value;
use super::super::pairs::{Pair, Pairs};
use super::super::schema::element::{Enum, EnumValue};
use super::super::sink::Sink;
use super::{quoted, ranges::contains};

/// Paths below an enum: options, `features`, the feature.
const ENUM_TYPE: [i32; 3] = [3, 7, 2];
const JSON_FORMAT: [i32; 3] = [3, 7, 6];
/// The tag of `number` in `EnumValueDescriptorProto`.
const NUMBER_TAG: i32 = 2;

/// Returns names of an enum's values by number; aliases share one.
fn names(declared: &Enum) -> BTreeMap<i32, BTreeSet<&str>> {
    let mut names = BTreeMap::<_, BTreeSet<_>>::new();
    for value in &declared.values {
        names
            .entry(value.number)
            .or_default()
            .insert(value.id.name());
    }
    names
}

pub(in super::super) fn value_deleted(pairs: &Pairs<'_>, enums: Pair<'_, Enum>, sink: &mut Sink) {
    gone(pairs, enums, sink, |_, _, _| false, "");
}

pub(in super::super) fn value_deleted_unless_name_reserved(
    pairs: &Pairs<'_>,
    enums: Pair<'_, Enum>,
    sink: &mut Sink,
) {
    let reserved = |new: &Enum, _: i32, names: &BTreeSet<&str>| {
        names
            .iter()
            .all(|name| new.reserved_names.iter().any(|reserved| reserved == name))
    };
    gone(
        pairs,
        enums,
        sink,
        reserved,
        " without its name being reserved",
    );
}

pub(in super::super) fn value_deleted_unless_number_reserved(
    pairs: &Pairs<'_>,
    enums: Pair<'_, Enum>,
    sink: &mut Sink,
) {
    let reserved =
        |new: &Enum, number: i32, _: &BTreeSet<&str>| contains(&new.reserved, number.into());
    gone(
        pairs,
        enums,
        sink,
        reserved,
        " without its number being reserved",
    );
}

/// Returns true if a number with these names may be removed, given the reservations of the later enum.
type Allowed = fn(&Enum, i32, &BTreeSet<&str>) -> bool;

fn gone(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Enum>,
    sink: &mut Sink,
    allowed: Allowed,
    how: &str,
) {
    let kept = names(new);
    for (number, names) in names(old) {
        if !kept.contains_key(&number) && !allowed(new, number, &names) {
            let (values, name) = (quoted(names.iter().copied()), new.id.name());
            let message = format!("enum value {number} {values} of enum {name:?} was deleted{how}");
            sink.add(
                pairs.declared(&new.id),
                &first_full_name(old, number),
                message,
            );
        }
    }
}

fn first_full_name(declared: &Enum, number: i32) -> String {
    let value = declared.values.iter().find(|value| value.number == number);
    value.map_or_else(|| declared.id.full.clone(), |value| value.id.full.clone())
}

/// Checks the names of numbers. A number may gain names, each an alias, but keeps those that it
/// had.
pub(in super::super) fn value_name(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Enum>,
    sink: &mut Sink,
) {
    let (before, after) = (names(old), names(new));
    for EnumValue { id, number } in &new.values {
        let (Some(before), Some(after)) = (before.get(number), after.get(number)) else {
            continue;
        };
        if !before.is_subset(after) {
            let (was, is) = (
                quoted(before.iter().copied()),
                quoted(after.iter().copied()),
            );
            let message = format!(
                "enum value {number} of enum {:?} changed name from {was} to {is}",
                new.id.name()
            );
            sink.add(
                pairs.place(pairs.to.part(id, &[NUMBER_TAG]), id),
                &id.full,
                message,
            );
        }
    }
}

pub(in super::super) fn openness(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Enum>,
    sink: &mut Sink,
) {
    let [before, after] =
        [old, new].map(|declared| declared.features.enum_type == value::ENUM_CLOSED);
    if before != after {
        let [was, is] = [before, after].map(|closed| if closed { "closed" } else { "open" });
        let place = pairs
            .to
            .feature(&new.id, &ENUM_TYPE)
            .or_else(|| pairs.to.declared(&new.id));
        let message = format!("enum {:?} changed from {was} to {is}", new.id.name());
        sink.add(pairs.place(place, &new.id), &new.id.full, message);
    }
}

pub(in super::super) fn json_format(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Enum>,
    sink: &mut Sink,
) {
    let (before, after) = (old.features.json_format, new.features.json_format);
    if before == value::JSON_ALLOW && after != value::JSON_ALLOW {
        let place = pairs
            .to
            .feature(&new.id, &JSON_FORMAT)
            .or_else(|| pairs.to.declared(&new.id));
        let message = format!("enum {:?} lost guaranteed JSON support", new.id.name());
        sink.add(pairs.place(place, &new.id), &new.id.full, message);
    }
}
