//! The entries of one field: what holds for every field that has names.

use std::collections::HashSet;

use crate::adjust::{Problem, ProblemKind, marker};

/// The entries of one field, looked at one after the other.
pub(super) struct Entries<'a> {
    field: &'static str,
    problems: &'a mut Vec<Problem>,
    seen: HashSet<String>,
}

impl<'a> Entries<'a> {
    pub(super) fn new(field: &'static str, problems: &'a mut Vec<Problem>) -> Self {
        Entries {
            field,
            problems,
            seen: HashSet::new(),
        }
    }

    /// Notes a problem of an entry unless what is required holds.
    pub(super) fn require(&mut self, holds: bool, key: &str, kind: ProblemKind) {
        if !holds {
            self.problems.push(Problem::new(self.field, key, kind));
        }
    }

    /// The entry has to have a name.
    pub(super) fn named(&mut self, key: &str) {
        self.require(!key.is_empty(), key, ProblemKind::Unnamed);
    }

    /// The entry has to have a name that none before it has.
    pub(super) fn unique(&mut self, key: &str) {
        self.named(key);
        let first = self.seen.insert(key.to_owned());
        self.require(first || key.is_empty(), key, ProblemKind::Duplicate);
    }

    /// An entry of a field with removals. Returns the key where it adds or sets.
    pub(super) fn removable<'k>(&mut self, key: &'k str, has_value: bool) -> Option<&'k str> {
        let Some(removed) = marker::removed(key) else {
            self.unique(key);
            return Some(key);
        };
        self.named(removed);
        self.require(!has_value, key, ProblemKind::RemovalWithValue);
        None
    }

    /// The path has to start at the root; an empty one has been noted as unnamed.
    pub(super) fn absolute(&mut self, path: &str) {
        self.require(
            path.is_empty() || path.starts_with('/'),
            path,
            ProblemKind::NotAbsolute,
        );
    }

    /// The value has to be within both bounds.
    pub(super) fn range(&mut self, key: &str, value: i64, min: i64, max: i64) {
        self.require(
            (min..=max).contains(&value),
            key,
            ProblemKind::OutOfRange { value, min, max },
        );
    }
}
