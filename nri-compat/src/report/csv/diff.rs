//! CSV of `diff`.

use super::rows;
use crate::report::diff::DiffReport;
use crate::report::finding::Finding;

const HEAD: [&str; 7] = [
    "level", "rule", "element", "message", "file", "line", "column",
];

/// Renders the findings of `diff` as CSV, one row each.
pub fn diff(report: &DiffReport) -> String {
    rows(&HEAD, report.findings.iter().map(row))
}

fn row(finding: &Finding) -> Vec<String> {
    let location = finding.location.as_ref();
    vec![
        finding.level.as_str().to_owned(),
        finding.rule.to_owned(),
        finding.element.clone(),
        finding.message.clone(),
        location.map(|at| at.file.clone()).unwrap_or_default(),
        location.map(|at| at.line.to_string()).unwrap_or_default(),
        location.map(|at| at.column.to_string()).unwrap_or_default(),
    ]
}
