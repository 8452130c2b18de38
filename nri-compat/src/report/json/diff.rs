//! The JSON report of `diff`.

use serde::Serialize;

use super::{SCHEMA, print};
use crate::report::diff::{Change, DiffReport, Side, SuppressedFinding};
use crate::report::finding::{Finding, Location};
use crate::report::pairing::{Pairing, PairingItem};
use crate::rules;

#[derive(Serialize)]
struct JsonDiff<'r> {
    schema: u32,
    data_date: &'r str,
    from: JsonSide<'r>,
    to: JsonSide<'r>,
    findings: Vec<JsonFinding<'r>>,
    changes: Vec<JsonChange<'r>>,
    pairings: Vec<JsonPairing<'r>>,
    suppressed: Vec<JsonSuppressed<'r>>,
    policy: &'r [String],
    summary: JsonSummary,
}

#[derive(Serialize)]
struct JsonSide<'r> {
    input: &'r str,
    name: &'r str,
    revision: Option<&'r str>,
    date: Option<&'r str>,
    releases: &'r [String],
    runtimes: &'r [String],
}

#[derive(Serialize)]
struct JsonFinding<'r> {
    rule: &'r str,
    categories: Vec<&'static str>,
    level: &'static str,
    element: &'r str,
    message: &'r str,
    location: Option<JsonLocation<'r>>,
}

#[derive(Serialize)]
struct JsonSuppressed<'r> {
    finding: JsonFinding<'r>,
    by: &'static str,
    reason: &'r str,
}

#[derive(Serialize)]
struct JsonLocation<'r> {
    file: &'r str,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct JsonChange<'r> {
    kind: &'static str,
    what: &'static str,
    element: &'r str,
}

#[derive(Serialize)]
struct JsonPairing<'r> {
    plugin: &'r str,
    runtime: &'r str,
    outcome: &'static str,
    items: Vec<JsonItem<'r>>,
}

#[derive(Serialize)]
struct JsonItem<'r> {
    kind: &'static str,
    element: &'r str,
    outcome: &'static str,
    detail: &'r str,
}

#[derive(Serialize)]
struct JsonSummary {
    errors: usize,
    warnings: usize,
    notes: usize,
    added: usize,
    removed: usize,
    changed: usize,
    category: &'static str,
    rules: usize,
}

/// Renders the answer of `diff` as JSON.
pub fn diff(report: &DiffReport) -> String {
    print(&JsonDiff {
        schema: SCHEMA,
        data_date: &report.data_date,
        from: side(&report.from),
        to: side(&report.to),
        findings: report.findings.iter().map(finding).collect(),
        changes: report.changes.iter().map(change).collect(),
        pairings: report.pairings.iter().map(pairing).collect(),
        suppressed: report.suppressed.iter().map(suppressed).collect(),
        policy: &report.policy,
        summary: summary(report),
    })
}

fn side(side: &Side) -> JsonSide<'_> {
    JsonSide {
        input: &side.input,
        name: &side.name,
        revision: side.revision.as_deref(),
        date: side.date.as_deref(),
        releases: &side.releases,
        runtimes: &side.runtimes,
    }
}

fn finding(finding: &Finding) -> JsonFinding<'_> {
    let categories = rules::get(finding.rule).map(|rule| rule.categories);
    JsonFinding {
        rule: finding.rule,
        categories: categories
            .unwrap_or_default()
            .iter()
            .map(|category| category.as_str())
            .collect(),
        level: finding.level.as_str(),
        element: &finding.element,
        message: &finding.message,
        location: finding.location.as_ref().map(location),
    }
}

fn suppressed(suppressed: &SuppressedFinding) -> JsonSuppressed<'_> {
    JsonSuppressed {
        finding: finding(&suppressed.finding),
        by: suppressed.by.by(),
        reason: &suppressed.by.reason,
    }
}

fn location(at: &Location) -> JsonLocation<'_> {
    JsonLocation {
        file: &at.file,
        line: at.line,
        column: at.column,
    }
}

fn change(change: &Change) -> JsonChange<'_> {
    JsonChange {
        kind: change.kind.as_str(),
        what: change.what.as_str(),
        element: &change.element,
    }
}

fn pairing(pairing: &Pairing) -> JsonPairing<'_> {
    JsonPairing {
        plugin: &pairing.plugin,
        runtime: &pairing.runtime,
        outcome: pairing.outcome().as_str(),
        items: pairing.items.iter().map(item).collect(),
    }
}

fn item(item: &PairingItem) -> JsonItem<'_> {
    JsonItem {
        kind: item.kind.as_str(),
        element: &item.element,
        outcome: item.outcome.as_str(),
        detail: &item.detail,
    }
}

fn summary(report: &DiffReport) -> JsonSummary {
    let counts = report.summary();
    JsonSummary {
        errors: counts.errors,
        warnings: counts.warnings,
        notes: counts.notes,
        added: counts.added,
        removed: counts.removed,
        changed: counts.changed,
        category: report.category.as_str(),
        rules: counts.rules,
    }
}
