//! The values that templates of `conformance` see.

use minijinja::Value;
use minijinja::context;

use crate::report::conformance::{ConformanceReport, JudgedTest, StatementResults, outcome_name};

/// Returns the values of a report.
pub(in crate::report) fn conformance_context(report: &ConformanceReport) -> Value {
    let mut notes = report.policy.clone();
    notes.push(format!(
        "{}: {}",
        report.subject_phrase(),
        report.summary_phrase()
    ));
    notes.push(report.run_phrase());
    let statements = report.by_statement().into_iter();
    let statements = statements.map(|results| statement(report, &results));
    context! {
        place => report.place.clone(),
        millis => report.millis,
        notes,
        statements => statements.collect::<Vec<Value>>(),
    }
}

fn statement(report: &ConformanceReport, results: &StatementResults<'_>) -> Value {
    let tests = results.tests.iter().map(|one| test(report, one));
    context! {
        id => results.id,
        text => results.statement.map_or("", |statement| &statement.text),
        tests => tests.collect::<Vec<Value>>(),
    }
}

fn test(report: &ConformanceReport, test: &JudgedTest) -> Value {
    let violation = test.violation();
    context! {
        class => format!("{}.{}", report.subject.name, test.result.statement),
        name => test.name(),
        outcome => outcome_name(&test.result.outcome),
        level => test.level.as_str(),
        detail => test.detail(),
        source => test.source().to_owned(),
        got => violation.map(|failure| failure.got.clone()),
        expected => violation.map(|failure| failure.expected.clone()),
        suppression => test.suppressed.as_ref().map(|by| by.phrase()),
    }
}
