//! The planned removals that plugins have to be rebuilt for.

use std::collections::BTreeSet;

use crate::report::check::CheckReport;

/// The number of plugins that a row names.
const NAMED: usize = 12;

/// A planned removal, and the plugins that use what is removed.
pub(super) struct RemovalRow<'r> {
    /// The releases: `containerd 2.7`.
    pub(super) when: &'r str,
    /// The expected date; empty if it is not known.
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
        .filter(|(_, one)| one.suppressed.is_none());
    let named = counted.filter_map(|(_, verdict)| verdict.planned_removal.as_deref());
    let named: BTreeSet<&str> = named.collect();
    let mut rows: Vec<RemovalRow<'_>> = named.iter().map(|when| row(report, when)).collect();
    rows.sort_by_key(|row| (row.expected.is_empty(), row.expected));
    rows
}

fn row<'r>(report: &'r CheckReport, when: &'r str) -> RemovalRow<'r> {
    let affected = report.subjects.iter().filter(|subject| {
        let mut verdicts = subject.verdicts.iter();
        verdicts.any(|one| one.suppressed.is_none() && one.planned_removal.as_deref() == Some(when))
    });
    let names: Vec<String> = affected.map(|subject| subject.label()).collect();
    let distinct: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let mut shown: Vec<&str> = distinct.iter().copied().take(NAMED).collect();
    let more = distinct.len().saturating_sub(NAMED);
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
