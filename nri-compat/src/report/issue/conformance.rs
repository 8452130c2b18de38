//! Problems in a report of `conformance`: every violation.

use nri_conformance::contract;
use nri_conformance::result::{Outcome, SubjectKind};

use super::{Issue, Issues, Place};
use crate::report::conformance::{ConformanceReport, JudgedTest};

impl From<&ConformanceReport> for Issues {
    fn from(report: &ConformanceReport) -> Self {
        Self {
            command: "conformance",
            issues: report
                .violations()
                .map(|test| issue(report, test))
                .collect(),
            skipped: Vec::new(),
            policy: report.policy.clone(),
            summary: format!("{}: {}", report.subject_phrase(), report.summary_phrase()),
        }
    }
}

/// Returns the problem for a violation.
pub(in crate::report) fn issue(report: &ConformanceReport, test: &JudgedTest) -> Issue {
    let result = &test.result;
    let statement = contract::get(result.statement);
    let text = statement.map_or("", |statement| &statement.text);
    Issue {
        rule: result.statement,
        level: test.level,
        about: report.subject.label(),
        message: format!("{}: {}; {text}", test.name(), test.detail()),
        help: statement.map_or_else(String::new, |statement| {
            format!("{} See {}", statement.cost, test.source())
        }),
        place: place(report),
        fingerprint: test.fingerprint(&report.subject),
        suppressed: suppressed(test),
    }
}

/// Returns the file of a plugin; a runtime has none.
fn place(report: &ConformanceReport) -> Option<Place> {
    let is_file = report.subject.kind == SubjectKind::Plugin && !report.place.is_empty();
    is_file.then(|| Place {
        file: report
            .place
            .strip_prefix("./")
            .unwrap_or(&report.place)
            .to_owned(),
        within: None,
        line: None,
    })
}

/// Returns why a violation does not count: its suppression, or the description of a known
/// deviation.
fn suppressed(test: &JudgedTest) -> Option<String> {
    let known = match &test.result.outcome {
        Outcome::Known { link, .. } => Some(format!("known deviation: {link}")),
        Outcome::Pass | Outcome::Fail(_) | Outcome::Skip(_) => None,
    };
    test.suppressed.as_ref().map(|by| by.phrase()).or(known)
}
