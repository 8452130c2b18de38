//! Makes the findings of violations: each once, with all that the comparison knows about it.

use std::collections::{BTreeMap, HashMap};

use super::nri::Context;
use super::sink::Violation;
use crate::report::diff::Change;
use crate::report::finding::{Category, Finding, Level, Location};
use crate::report::pairing::{Pairing, PairingOutcome};
use crate::rules::{self, ids};

/// The text that is added to an error about an element that no pairing has trouble with.
const UNAFFECTED: &str = " (in source code only: NRI peers still understand each other)";

/// The knowledge of a comparison that no rule has.
#[derive(Default)]
pub(super) struct Completion<'c> {
    /// Both sides, if at least one is an NRI protocol.
    pub(super) nri: Option<&'c Context<'c>>,
    pub(super) pairings: &'c [Pairing],
    /// The difference of each element that both sides have.
    pub(super) changes: HashMap<&'c str, &'c Change>,
    /// The path of each file from the working folder, which tools that read the report look for.
    pub(super) paths: Option<&'c BTreeMap<String, String>>,
}

impl Completion<'_> {
    /// Returns the findings of violations, sorted.
    pub(super) fn findings(&self, mut violations: Vec<Violation>) -> Vec<Finding> {
        violations.sort();
        let numbers = numbers(&violations);
        let numbered = violations.into_iter().zip(numbers);
        numbered.map(|(violation, nth)| self.finding(violation, nth)).collect()
    }

    fn finding(&self, violation: Violation, nth: usize) -> Finding {
        let Violation { location, rule, element, mut message, is_harmless } = violation;
        let catalogued = rules::get(rule);
        let categories = catalogued.map_or(&[][..], |catalogued| catalogued.categories);
        let is_sentinel = self.nri.is_some_and(|nri| nri.is_of_sentinel(rule, &element));
        let mut level = catalogued.map_or(Level::Error, |catalogued| catalogued.level);
        let mut explained_by = None;
        if is_harmless {
            level = Level::Note;
        }
        if is_sentinel {
            // The old number of the sentinel passes to a new event or is removed, which is no
            // break.
            level = Level::Note;
            explained_by = Some(ids::NRI_EVENT_SENTINEL_MOVED);
            message += &format!(" (no break, see {})", ids::NRI_EVENT_SENTINEL_MOVED);
        }
        if level == Level::Error && self.is_unaffected(rule, &element) {
            message += UNAFFECTED;
            if categories.contains(&Category::Nri) {
                level = Level::Note;
            }
        }
        let change = self.changes.get(&*element).map(|change| change.detail.clone());
        Finding {
            rule,
            categories,
            level,
            message,
            location: location.map(|location| self.with_path(location)),
            nth,
            change: change.unwrap_or_default(),
            explained_by,
            element,
        }
    }

    /// Returns true if NRI peers understand each other in spite of a violation: a finding must not
    /// contradict a pairing that works. Messages and RPCs are tied to their events, so any trouble
    /// may be theirs; fields and values are listed individually.
    fn is_unaffected(&self, rule: &str, element: &str) -> bool {
        let is_listed = ["FIELD_", "ENUM_VALUE_", "NRI_"].iter().any(|kind| rule.starts_with(kind));
        let has_trouble = |pairing: &Pairing| {
            if is_listed {
                pairing.concerns(element)
            } else {
                pairing.outcome() != PairingOutcome::Works
            }
        };
        self.nri.is_some() && !self.pairings.iter().any(has_trouble)
    }

    /// Returns the location with the path of its file from the working folder.
    fn with_path(&self, mut location: Location) -> Location {
        if let Some(path) = self.paths.and_then(|paths| paths.get(&location.file)) {
            location.file.clone_from(path);
        }
        location
    }
}

/// Returns the number of each violation among those of its rule about its element, which otherwise
/// differ only in their texts.
fn numbers(violations: &[Violation]) -> Vec<usize> {
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    let mut numbers = Vec::with_capacity(violations.len());
    for Violation { rule, element, .. } in violations {
        let count = counts.entry((rule, element)).or_default();
        numbers.push(*count);
        *count += 1;
    }
    numbers
}
