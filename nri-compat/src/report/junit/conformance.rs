//! JUnit XML of `conformance`: a suite per statement, a case per test and revision.

use nri_conformance::result::Outcome;

use super::write::write;
use super::{Case, CaseResult, Suite};
use crate::report::conformance::{ConformanceReport, JudgedTest, StatementResults};
use crate::report::finding::Level;
use crate::report::written;

/// Renders the answer of `conformance` as JUnit XML.
pub fn conformance(report: &ConformanceReport) -> String {
    let report = &*report.visible();
    let groups = report.by_statement();
    let suites: Vec<Suite<'_>> = groups.iter().map(|group| suite(report, group)).collect();
    let mut notes = report.policy.clone();
    notes.push(format!(
        "{}: {}",
        report.subject_phrase(),
        report.summary_phrase()
    ));
    notes.push(report.run_phrase());
    written(|out| write(&suites, &notes, report.millis, out))
}

fn suite<'r>(report: &'r ConformanceReport, group: &'r StatementResults<'r>) -> Suite<'r> {
    let text = group.statement.map_or("", |statement| &statement.text);
    let cases = move || -> Box<dyn Iterator<Item = Case> + 'r> {
        Box::new(group.tests.iter().map(|test| case(report, test)))
    };
    Suite {
        name: format!("{}: {text}", group.id),
        cases: Box::new(cases),
    }
}

fn case(report: &ConformanceReport, test: &JudgedTest) -> Case {
    Case {
        class: format!("{}.{}", report.subject.name, test.result.statement),
        name: test.name(),
        file: (!report.place.is_empty()).then(|| report.place.clone()),
        line: None,
        result: result(test),
    }
}

fn result(test: &JudgedTest) -> CaseResult {
    let detail = test.detail();
    match (&test.suppressed, &test.result.outcome, test.level) {
        (_, Outcome::Pass, _) => CaseResult::Passed,
        (_, Outcome::Skip(reason), _) => CaseResult::Skipped(reason.clone()),
        (Some(by), Outcome::Fail(_) | Outcome::Known { .. }, _) => {
            CaseResult::Skipped(format!("{}; {detail}", by.phrase()))
        }
        (None, Outcome::Known { link, .. }, _) => {
            CaseResult::Skipped(format!("known deviation: {link}; {detail}"))
        }
        (None, Outcome::Fail(_), Level::Note) => CaseResult::Noted(detail),
        (None, Outcome::Fail(failure), Level::Warning | Level::Error) => CaseResult::Failed {
            kind: test.result.statement.to_owned(),
            message: format!("got {}; expected {}", failure.got, failure.expected),
            text: format!("{detail}\nsource: {}", test.source()),
        },
    }
}
