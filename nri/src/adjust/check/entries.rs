//! Checks that apply to every field whose entries have names.

use std::collections::HashSet;

use crate::adjust::{Problem, ProblemKind, marker};

/// Checks the entries of one field, one after the other.
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

    /// Adds a problem of an entry unless `holds`.
    pub(super) fn require(&mut self, holds: bool, key: &str, kind: ProblemKind) {
        if !holds {
            self.problems.push(Problem::new(self.field, key, kind));
        }
    }

    /// Checks that the entry has a name.
    pub(super) fn named(&mut self, key: &str) {
        self.require(!key.is_empty(), key, ProblemKind::Unnamed);
    }

    /// Checks that the entry has a name that no earlier entry has.
    pub(super) fn unique(&mut self, key: &str) {
        self.named(key);
        let first = self.seen.insert(key.to_owned());
        self.require(first || key.is_empty(), key, ProblemKind::Duplicate);
    }

    /// Checks an entry of a field with removals. Returns the key if the entry adds or sets a value.
    pub(super) fn removable<'k>(&mut self, key: &'k str, has_value: bool) -> Option<&'k str> {
        let Some(removed) = marker::removed(key) else {
            self.unique(key);
            return Some(key);
        };
        self.named(removed);
        self.require(!has_value, key, ProblemKind::RemovalWithValue);
        None
    }

    /// Checks that the path is absolute. An empty path is already reported as unnamed.
    pub(super) fn absolute(&mut self, path: &str) {
        self.require(
            path.is_empty() || path.starts_with('/'),
            path,
            ProblemKind::NotAbsolute,
        );
    }

    /// Checks that the value is within both bounds.
    pub(super) fn range(&mut self, key: &str, value: i64, min: i64, max: i64) {
        self.require(
            (min..=max).contains(&value),
            key,
            ProblemKind::OutOfRange { value, min, max },
        );
    }
}
