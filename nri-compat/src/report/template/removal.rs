//! The planned removals for which plugins must be rebuilt.

use std::collections::BTreeSet;

use minijinja::{Value, context};

use crate::report::check::CheckReport;

/// The maximum number of plugins that a row names.
const MAX_NAMED: usize = 12;

/// Returns the removals that verdicts name, by their expected date.
pub(super) fn rows(report: &CheckReport) -> Vec<Value> {
    let counted = report
        .verdicts()
        .filter(|(_, verdict)| verdict.suppressed.is_none());
    let named = counted.filter_map(|(_, verdict)| verdict.planned_removal.as_deref());
    let named: BTreeSet<&str> = named.collect();
    let mut removals: Vec<(&str, &str)> = named
        .into_iter()
        .map(|when| (expected(report, when), when))
        .collect();
    removals.sort_by_key(|(expected, _)| (expected.is_empty(), *expected));
    let removals = removals.into_iter();
    removals
        .map(|(expected, when)| row(report, when, expected))
        .collect()
}

/// Returns the expected date; empty if unknown.
fn expected<'r>(report: &'r CheckReport, when: &str) -> &'r str {
    let mut removals = report.removals.iter();
    let removal = removals.find(|removal| removal.when == when);
    removal.map_or("", |removal| &removal.expected)
}

/// Returns a removal with the number and the names of the plugins that it affects.
fn row(report: &CheckReport, when: &str, expected: &str) -> Value {
    let affected = report.subjects.iter().filter(|subject| {
        let mut verdicts = subject.verdicts.iter();
        verdicts.any(|verdict| {
            verdict.suppressed.is_none() && verdict.planned_removal.as_deref() == Some(when)
        })
    });
    let names: Vec<String> = affected.map(|subject| subject.label()).collect();
    let distinct: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let mut shown: Vec<&str> = distinct.iter().copied().take(MAX_NAMED).collect();
    let more = distinct.len().saturating_sub(MAX_NAMED);
    let more = (more > 0).then(|| format!("{more} more"));
    shown.extend(more.as_deref());
    context! {
        when => when.to_owned(),
        expected => expected.to_owned(),
        count => names.len(),
        plugins => shown.join(", "),
    }
}
