//! Collects the findings of rules.

use std::collections::HashSet;

use crate::report::finding::{Finding, Level, Location};
use crate::rules;

/// A collector of findings, each under the current rule.
#[derive(Default)]
pub(super) struct Sink {
    pub(super) rule: &'static str,
    found: Vec<Finding>,
}

impl Sink {
    /// Adds a finding; no `location` means that the later schema has no file to point at.
    pub(super) fn add(&mut self, location: Option<Location>, element: &str, message: String) {
        self.found.push(Finding {
            location,
            rule: self.rule,
            element: element.to_owned(),
            nth: 0,
            message,
            level: level_of(self.rule),
            explained_by: None,
        });
    }

    /// Returns the sorted findings. Two with the same text at the same place are merged, as in buf:
    /// a message may be named only by the last part of its name.
    pub(super) fn into_findings(self) -> Vec<Finding> {
        let mut found = self.found;
        found.sort();
        let mut seen = HashSet::new();
        found.retain(|finding| {
            seen.insert((
                finding.location.clone(),
                finding.rule,
                finding.message.clone(),
            ))
        });
        found
    }
}

fn level_of(rule: &str) -> Level {
    rules::get(rule).map_or(Level::Error, |rule| rule.level)
}
