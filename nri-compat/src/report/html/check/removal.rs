//! The planned removals for which plugins must be rebuilt.

use std::collections::BTreeSet;

use crate::report::check::CheckReport;

/// The maximum number of plugins that a row names.
const MAX_NAMED: usize = 12;

/// A planned removal, and the plugins that it affects.
pub(super) struct RemovalRow<'r> {
    /// The releases: `containerd 2.7`.
    pub(super) when: &'r str,
    /// The expected date; empty if unknown.
    pub(super) expected: &'r str,
    /// The number of plugins.
    pub(super) count: usize,
    /// The names of the plugins.
    pub(super) plugins: String,
}

/// Returns the removals that verdicts name, by their expected date.
pub(super) fn rows(report: &CheckReport) -> Vec<RemovalRow<'_>> {
    let counted = report
        .verdicts()
        .filter(|(_, verdict)| verdict.suppressed.is_none());
    let named = counted.filter_map(|(_, verdict)| verdict.planned_removal.as_deref());
    let named: BTreeSet<&str> = named.collect();
    let mut rows: Vec<RemovalRow<'_>> = named.iter().map(|when| row(report, when)).collect();
    rows.sort_by_key(|row| (row.expected.is_empty(), row.expected));
    rows
}

fn row<'r>(report: &'r CheckReport, when: &'r str) -> RemovalRow<'r> {
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
    let expected = report.removals.iter().find(|removal| removal.when == when);
    RemovalRow {
        when,
        expected: expected.map_or("", |removal| &removal.expected),
        count: names.len(),
        plugins: shown.join(", "),
    }
}
