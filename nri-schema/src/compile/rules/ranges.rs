//! Reserved numbers and names, and the ranges of extensions.

use std::collections::BTreeSet;
use std::fmt;

use prost_reflect::{EnumDescriptor, MessageDescriptor, Syntax};

use super::part::{enumeration, message};
use super::{Broken, below, index};

/// A range of numbers, both ends included, with its path in the file.
struct Range {
    first: i64,
    last: i64,
    path: Vec<i32>,
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.first, self.last)
    }
}

pub(super) fn of_message(found: &MessageDescriptor) -> Vec<Broken> {
    let proto = found.descriptor_proto();
    let ranges = |part: i32, ends: Vec<(i32, i32)>| {
        ends.into_iter().enumerate().map(move |(at, (start, end))| Range {
            first: i64::from(start),
            // The end of a message's range is not included.
            last: i64::from(end) - 1,
            path: below(found.path(), &[part, index(at)]),
        })
    };
    let reserved = proto.reserved_range.iter().map(|range| (range.start(), range.end())).collect();
    let extensions: Vec<_> =
        proto.extension_range.iter().map(|range| (range.start(), range.end())).collect();
    let mut broken = Vec::new();
    if found.parent_file().syntax() == Syntax::Proto3 && !extensions.is_empty() {
        let path = below(found.path(), &[message::EXTENSION_RANGE, 0]);
        let fact =
            format!("`{}` is written in proto3, which has no extension ranges", found.full_name());
        broken.push(Broken::at(path, fact));
    }
    let all = ranges(message::RESERVED_RANGE, reserved);
    broken.extend(clashes(all.chain(ranges(message::EXTENSION_RANGE, extensions))));
    let fields: BTreeSet<&str> = proto.field.iter().map(|field| field.name()).collect();
    let part = below(found.path(), &[message::RESERVED_NAME]);
    broken.extend(names(&proto.reserved_name, &fields, &part));
    broken
}

pub(super) fn of_enum(found: &EnumDescriptor) -> Vec<Broken> {
    let proto = found.enum_descriptor_proto();
    let ranges = proto.reserved_range.iter().enumerate().map(|(at, range)| Range {
        first: i64::from(range.start()),
        last: i64::from(range.end()),
        path: below(found.path(), &[enumeration::RESERVED_RANGE, index(at)]),
    });
    let mut broken = clashes(ranges);
    let values: BTreeSet<&str> = proto.value.iter().map(|value| value.name()).collect();
    let part = below(found.path(), &[enumeration::RESERVED_NAME]);
    broken.extend(names(&proto.reserved_name, &values, &part));
    broken
}

/// Returns the ranges that end before they start, and those that share numbers with another one.
fn clashes(ranges: impl Iterator<Item = Range>) -> Vec<Broken> {
    let (mut sorted, reversed): (Vec<_>, Vec<_>) =
        ranges.partition(|range| range.first <= range.last);
    let mut broken: Vec<Broken> = reversed
        .into_iter()
        .map(|range| {
            let fact = format!("the range {range} ends before it starts");
            Broken::at(range.path, fact)
        })
        .collect();
    sorted.sort_by_key(|range| (range.first, range.last));
    // The range with the highest end so far.
    let mut highest: Option<Range> = None;
    for range in sorted {
        if let Some(known) = highest.as_ref().filter(|known| range.first <= known.last) {
            let fact = format!("the ranges {known} and {range} overlap");
            broken.push(Broken::at(range.path.clone(), fact));
        }
        if highest.as_ref().is_none_or(|known| known.last < range.last) {
            highest = Some(range);
        }
    }
    broken
}

/// Returns reserved names that are used, or reserved twice.
fn names(reserved: &[String], used: &BTreeSet<&str>, part: &[i32]) -> Vec<Broken> {
    let mut known = BTreeSet::new();
    let mut broken = Vec::new();
    for (at, name) in reserved.iter().enumerate() {
        let path = below(part, &[index(at)]);
        if !known.insert(name) {
            broken.push(Broken::at(path, format!("the name `{name}` is reserved twice")));
        } else if used.contains(name.as_str()) {
            broken.push(Broken::at(path, format!("the name `{name}` is reserved, but used")));
        }
    }
    broken
}
