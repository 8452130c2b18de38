//! The values that templates of `diff` see: the JSON document, and in addition what several formats need of it.

use std::collections::HashSet;

use minijinja::context;
use minijinja::value::{Serde, Value};

use super::Templated;
use crate::report::diff::{Change, ChangeKind, DiffReport};
use crate::report::finding::Finding;
use crate::rules;

impl Templated for &DiffReport {
    const NAME: &'static str = "diff";

    fn context(self) -> Value {
        let groups = by_rule(&self.findings);
        let groups: Vec<Value> = groups.iter().map(|group| group_values(group)).collect();
        let elements = self.changes.iter().map(|one| (one.kind, &*one.element));
        let elements: HashSet<(ChangeKind, &str)> = elements.collect();
        let changes = self.changes.iter().map(|one| change(one, &elements));
        let changes: Vec<Value> = changes.collect();
        let problems = self.issues().map(|issue| Value::from(Serde(issue)));
        context! {
            groups,
            changes,
            problems => problems.collect::<Vec<Value>>(),
            deprecated => Value::from(Serde(&self.deprecated)),
            is_nri => self.from.is_nri && self.to.is_nri,
            ..Serde(self),
        }
    }
}

/// Groups findings by level and rule: errors first, then by the order in which rules occur.
fn by_rule(findings: &[Finding]) -> Vec<Vec<&Finding>> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    for finding in findings {
        let key = |finding: &Finding| (finding.level, finding.rule);
        match groups
            .iter_mut()
            .find(|group| key(group[0]) == key(finding))
        {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group[0].level));
    groups
}

/// Returns the findings of one rule at one level, with the texts of the rule.
fn group_values(findings: &[&Finding]) -> Value {
    let first = findings[0];
    let rule = rules::get(first.rule);
    context! {
        rule => first.rule,
        level => first.level.as_str(),
        summary => rule.map(|rule| rule.summary),
        remedy => rule.map(|rule| rule.remedy),
        categories => Value::from(Serde(rule.map_or(&[][..], |rule| rule.categories))),
        default_level => rule.map(|rule| rule.level.as_str()),
        findings => Value::from(Serde(findings)),
    }
}

/// Returns a change, with whether it is part of an element that was added or removed as a whole.
fn change(change: &Change, all: &HashSet<(ChangeKind, &str)>) -> Value {
    let whole = change.element.rsplit_once('.').map(|(whole, _)| whole);
    let is_part = whole.is_some_and(|whole| all.contains(&(change.kind, whole)));
    context! { name => change.name(), detail => &change.detail, is_part, ..Serde(change) }
}
