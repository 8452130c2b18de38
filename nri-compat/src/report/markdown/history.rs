//! The markdown reports of `versions` and `runtimes`.

use super::{code, table};
use crate::report::history::{RuntimeRange, RuntimeReport, RuntimesReport, VersionsReport};

/// Renders the answer of `versions` as a table.
pub fn versions(report: &VersionsReport) -> String {
    let rows: Vec<Vec<String>> = report
        .rows
        .iter()
        .map(|row| {
            vec![
                code(&row.release),
                code(&row.revision),
                row.date.clone(),
                row.rpcs.to_string(),
                row.events.to_string(),
                row.runtimes.join(", "),
            ]
        })
        .collect();
    table(
        &[
            "release",
            "revision",
            "date",
            "RPCs",
            "events",
            "shipped by",
        ],
        &rows,
    )
}

/// Renders the answer of `runtimes` without a release as a table.
pub fn runtimes(report: &RuntimesReport) -> String {
    let rows: Vec<Vec<String>> = report.rows.iter().map(range).collect();
    table(
        &["runtime", "from", "to", "NRI", "revision", "event mask"],
        &rows,
    )
}

fn range(row: &RuntimeRange) -> Vec<String> {
    vec![
        row.runtime.clone(),
        row.first.clone(),
        row.last.clone(),
        row.nri.clone(),
        row.revision.clone().unwrap_or_default(),
        row.mask
            .map(|mask| code(&format!("{mask:#x}")))
            .unwrap_or_default(),
    ]
}

/// Renders the answer of `runtimes NAME@VERSION`.
pub fn runtime(report: &RuntimeReport) -> String {
    let mask = report
        .mask
        .map(|mask| format!(", event mask `{mask:#x}`"))
        .unwrap_or_default();
    let events: Vec<Vec<String>> = report
        .events
        .iter()
        .map(|event| {
            vec![
                event.number.to_string(),
                code(&event.name),
                code(&event.rpc),
            ]
        })
        .collect();
    let deprecations: Vec<Vec<String>> = report
        .deprecations
        .iter()
        .map(|deprecation| {
            vec![
                deprecation.summary.clone(),
                deprecation.removal.clone(),
                deprecation.remedy.clone(),
            ]
        })
        .collect();
    let lost: Vec<Vec<String>> = report
        .lost_fields
        .iter()
        .map(|field| vec![code(&field.element), field.since.clone()])
        .collect();
    format!(
        "## {} {}\n\nLinks NRI {}{mask}, released {}.\n{}{}{}",
        report.runtime,
        report.release,
        report.nri,
        report.date,
        section("Events", &["number", "event", "sent as"], &events),
        section(
            "Deprecated here",
            &["interface", "removal", "what to do"],
            &deprecations
        ),
        section("Fields it skips", &["field", "since"], &lost),
    )
}

fn section(title: &str, head: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        String::new()
    } else {
        format!("\n### {title}\n\n{}", table(head, rows))
    }
}
