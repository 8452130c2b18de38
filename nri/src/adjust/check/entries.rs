//! Checks that apply to every field whose entries have names.

use std::collections::HashSet;

use crate::adjust::{Invalid, Problem, ProblemKind, marker};

/// Checks the entries of one field after the other, and collects their problems.
#[derive(Default)]
pub(super) struct Entries {
    field: &'static str,
    seen: HashSet<String>,
    problems: Vec<Problem>,
}

impl Entries {
    /// Starts with the entries of another field.
    pub(super) fn field(&mut self, field: &'static str) {
        self.field = field;
        self.seen.clear();
    }

    pub(super) fn result(self) -> Result<(), Invalid> {
        Invalid::of(self.problems)
    }

    /// Adds a problem of an entry unless `holds`.
    pub(super) fn require(&mut self, holds: bool, key: &str, kind: ProblemKind) {
        if !holds {
            self.problems.push(Problem::new(self.field, key, kind));
        }
    }

    /// Adds a problem unless the protocol defines the value, such as `type "x"`.
    pub(super) fn known(&mut self, is_known: bool, key: &str, value: impl Into<String>) {
        self.require(is_known, key, ProblemKind::Unknown(value.into()));
    }

    /// Adds a problem unless the values of the entry fit together.
    pub(super) fn consistent(
        &mut self,
        holds: bool,
        key: &str,
        fact: impl Into<String>,
        help: &'static str,
    ) {
        let fact = fact.into();
        self.require(holds, key, ProblemKind::Inconsistent { fact, help });
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

    /// Checks that the path is absolute. An empty one is reported as unnamed where it may not be
    /// empty.
    pub(super) fn absolute(&mut self, key: &str, path: &str) {
        let holds = path.is_empty() || path.starts_with('/');
        self.require(holds, key, ProblemKind::NotAbsolute);
    }

    /// Checks that the value is within both bounds.
    pub(super) fn range(&mut self, key: &str, value: i64, min: i64, max: i64) {
        let holds = (min..=max).contains(&value);
        self.require(holds, key, ProblemKind::OutOfRange { value, min, max });
    }

    /// Checks that the text is empty or a list of CPUs or nodes as described by
    /// [cpuset(7)](https://man7.org/linux/man-pages/man7/cpuset.7.html): numbers and ascending
    /// ranges.
    pub(super) fn list(&mut self, text: &str) {
        let holds = text.is_empty() || text.split(',').all(is_range);
        self.require(holds, "", ProblemKind::MalformedList(text.to_owned()));
    }
}

fn is_range(text: &str) -> bool {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    matches!((number(first), number(last)), (Some(first), Some(last)) if first <= last)
}

fn number(text: &str) -> Option<u32> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::is_range;

    #[test]
    fn ranges_are_numbers_in_ascending_order() {
        for good in ["0", "0-3", "2-2"] {
            assert!(is_range(good), "{good}");
        }
        for bad in ["", "3-1", "1-", "-1", "a", "1 ", "+1", "1-2-3", "99999999999"] {
            assert!(!is_range(bad), "{bad}");
        }
    }
}
