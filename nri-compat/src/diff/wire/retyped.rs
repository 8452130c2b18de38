//! Fields whose messages the receiver reads as messages of another type.

use std::collections::{HashMap, HashSet};

use super::{Arrival, Transfer, Transfers, TypeNames};

/// A field whose messages are read as another type, which does not have the same fields.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Retyped<'s> {
    /// The full name on the sender's side.
    pub field: &'s str,
    /// The full name of the type on the sender's side.
    pub sent: &'s str,
    /// The full name of the type on the receiver's side.
    pub read: &'s str,
    /// True if some values inside arrive changed or are refused; otherwise some are only lost.
    pub is_misread: bool,
}

impl<'s> Transfers<'s> {
    /// Returns the fields that a message can contain, at any depth, whose messages have different
    /// types on the two sides and do not arrive completely.
    pub fn retyped(&mut self, sent: &'s str, expected: &'s str) -> Vec<Retyped<'s>> {
        let reached = self.reached((sent, expected));
        let fields = || {
            reached
                .iter()
                .flat_map(|(types, parts)| parts.ahead.iter().map(move |field| (*types, *field)))
        };
        if fields().all(|(_, field)| field.types.0 == field.types.1) {
            return Vec::new();
        }
        let mut users: HashMap<TypeNames<'s>, Vec<TypeNames<'s>>> = HashMap::new();
        for (of, field) in fields() {
            users.entry(field.types).or_default().push(of);
        }
        let with = |is_trouble: fn(&Transfer<'_>) -> bool| {
            let troubled = reached.iter().filter(|(_, parts)| parts.found.iter().any(is_trouble));
            spread(troubled.map(|(types, _)| *types).collect(), &users)
        };
        let (misread, incomplete) = (with(is_misread), with(is_trouble));
        let mut seen = HashSet::new();
        fields()
            .map(|(_, field)| field)
            .filter(|field| field.types.0 != field.types.1 && incomplete.contains(&field.types))
            .filter(|field| seen.insert((field.sent, field.types)))
            .map(|field| Retyped {
                field: field.sent,
                sent: field.types.0,
                read: field.types.1,
                is_misread: misread.contains(&field.types),
            })
            .collect()
    }
}

/// Returns the types, and all that contain them at any depth.
fn spread<'s>(
    mut ahead: Vec<TypeNames<'s>>,
    users: &HashMap<TypeNames<'s>, Vec<TypeNames<'s>>>,
) -> HashSet<TypeNames<'s>> {
    let mut all = HashSet::new();
    while let Some(types) = ahead.pop() {
        if all.insert(types) {
            ahead.extend(users.get(&types).into_iter().flatten());
        }
    }
    all
}

fn is_misread(part: &Transfer<'_>) -> bool {
    part.arrival() > Some(Arrival::PresenceLost)
}

fn is_trouble(part: &Transfer<'_>) -> bool {
    part.arrival().is_none_or(|arrival| arrival > Arrival::PresenceLost)
}
