//! Reserved and extension ranges, and reserved names.

use std::collections::BTreeSet;

use super::super::sink::RuleRun;
use nri_schema::schema::{EnumDescriptor, Id, MessageDescriptor, Span};

/// The largest number of a field.
const MAX_FIELD: i64 = (1 << 29) - 1;

/// Returns true if one of the ranges holds the number.
pub(super) fn contains(ranges: &[Span], number: i64) -> bool {
    ranges.iter().any(|range| (range.start..=range.end).contains(&number))
}

pub(in crate::diff) fn extension(
    run: &mut RuleRun<'_>,
    old: &MessageDescriptor,
    new: &MessageDescriptor,
) {
    let (old, kept) = (&old.extension_ranges, &new.extension_ranges);
    Owner::message(&new.id).ranges(run, "extension", old, kept);
}

pub(in crate::diff) fn message(
    run: &mut RuleRun<'_>,
    old: &MessageDescriptor,
    new: &MessageDescriptor,
) {
    let owner = Owner::message(&new.id);
    owner.ranges(run, "reserved", &old.reserved, &new.reserved);
    owner.names(run, &old.reserved_names, &new.reserved_names);
}

pub(in crate::diff) fn enumeration(
    run: &mut RuleRun<'_>,
    old: &EnumDescriptor,
    new: &EnumDescriptor,
) {
    let owner = Owner { id: &new.id, what: "enum", max: i32::MAX.into() };
    owner.ranges(run, "reserved", &old.reserved, &new.reserved);
    owner.names(run, &old.reserved_names, &new.reserved_names);
}

/// The message or enum with the ranges and names.
struct Owner<'a> {
    id: &'a Id,
    what: &'static str,
    /// The largest possible number.
    max: i64,
}

impl<'a> Owner<'a> {
    fn message(id: &'a Id) -> Self {
        Owner { id, what: "message", max: MAX_FIELD }
    }

    fn ranges(&self, run: &mut RuleRun<'_>, kind: &str, old: &[Span], new: &[Span]) {
        let kept = merged(new);
        for span in old {
            let missing = missing(*span, &kept);
            if !missing.is_empty() {
                let gone =
                    missing.into_iter().map(|gap| self.text(gap)).collect::<Vec<_>>().join(", ");
                let (range, what, name) = (self.text(*span), self.what, self.id.name());
                let message = format!("{kind} range {range} of {what} {name:?} gave up {gone}");
                run.report(self.id, message);
            }
        }
    }

    fn text(&self, Span { start, end }: Span) -> String {
        if start == end {
            start.to_string()
        } else if end == self.max {
            format!("{start} to max")
        } else {
            format!("{start} to {end}")
        }
    }

    fn names(&self, run: &mut RuleRun<'_>, old: &[String], new: &[String]) {
        let kept: BTreeSet<&String> = new.iter().collect();
        for name in old.iter().filter(|name| !kept.contains(name)) {
            let (what, owner) = (self.what, self.id.name());
            let message = format!("reserved name {name:?} of {what} {owner:?} was given up");
            run.report(self.id, message);
        }
    }
}

/// Returns the ranges in order, neighbours joined.
fn merged(ranges: &[Span]) -> Vec<Span> {
    let mut sorted = ranges.to_vec();
    sorted.retain(|range| range.start <= range.end);
    sorted.sort_unstable();
    let mut merged: Vec<Span> = Vec::with_capacity(sorted.len());
    for range in sorted {
        match merged.last_mut() {
            Some(last) if range.start <= last.end + 1 => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Returns the parts of a range that none of the merged ones holds.
fn missing(range: Span, merged: &[Span]) -> Vec<Span> {
    let mut gaps = Vec::new();
    let mut next = range.start;
    let first = merged.partition_point(|kept| kept.end < range.start);
    let touching = merged.iter().skip(first).take_while(|kept| kept.start <= range.end);
    for kept in touching {
        gaps.push((next, kept.start - 1));
        next = kept.end + 1;
    }
    gaps.push((next, range.end));
    let spans = gaps.into_iter().map(|(start, end)| Span { start, end });
    spans.filter(|span| span.start <= span.end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(ends: &[(i64, i64)]) -> Vec<Span> {
        let span = |&(start, end): &(i64, i64)| Span { start, end };
        ends.iter().map(span).collect()
    }

    #[test]
    fn neighbours_and_overlaps_are_one_range() {
        let joined = merged(&spans(&[(5, 9), (1, 2), (3, 3), (7, 12), (9, 8)]));
        assert_eq!(joined, spans(&[(1, 3), (5, 12)]));
    }

    #[test]
    fn what_is_missing_is_told_exactly() {
        let kept = spans(&[(1, 3), (5, 12), (20, 20)]);
        let gaps = |start, end| missing(Span { start, end }, &kept);
        assert_eq!(gaps(1, 3), []);
        assert_eq!(gaps(6, 12), []);
        assert_eq!(gaps(0, 21), spans(&[(0, 0), (4, 4), (13, 19), (21, 21)]));
        assert_eq!(gaps(14, 15), spans(&[(14, 15)]));
        assert_eq!(gaps(30, 29), []);
    }
}
