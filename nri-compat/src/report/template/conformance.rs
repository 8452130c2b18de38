//! The values that templates of `conformance` see: the JSON document and the phrases that all formats share.

use minijinja::context;
use minijinja::value::{Serde, Value, merge_maps};
use nri_conformance::result::Outcome;

use super::Templated;
use crate::report::conformance::{ConformanceReport, JudgedTest, StatementResults};

impl Templated for &ConformanceReport {
    const NAME: &'static str = "conformance";

    fn context(self) -> Value {
        let statements = self.by_statement();
        let kept = statements.iter().filter(|results| is_kept(results));
        let kept: Vec<&str> = kept.map(|results| results.id).collect();
        let statements = statements.iter().map(|results| statement(self, results));
        let phrases = context! {
            place => self.place.clone(),
            subject_phrase => self.subject_phrase(),
            summary_phrase => self.summary_phrase(),
            run_phrase => self.run_phrase(),
            statements => statements.collect::<Vec<Value>>(),
            kept,
        };
        merge_maps([Value::from(Serde(self)), phrases])
    }
}

fn is_kept(results: &StatementResults<'_>) -> bool {
    let mut tests = results.tests.iter();
    let has_passed = tests.any(|test| test.result.outcome == Outcome::Pass);
    has_passed && results.tests.iter().all(|test| test.violation().is_none())
}

fn statement(report: &ConformanceReport, results: &StatementResults<'_>) -> Value {
    let tests = results.tests.iter().map(|one| test(report, one));
    let details = results
        .statement
        .map(|statement| Value::from(Serde(statement)));
    context! {
        id => results.id,
        tests => tests.collect::<Vec<Value>>(),
        violations => violations(report, results),
        ..details.unwrap_or_default(),
    }
}

fn test(report: &ConformanceReport, test: &JudgedTest) -> Value {
    let violation = test.violation();
    let outcome = test.outcome();
    context! {
        class => format!("{}.{}", report.subject.name, test.result.statement),
        name => test.name(),
        test => test.result.test,
        outcome,
        section => test.suppressed.as_ref().map_or(outcome, |_| "suppressed"),
        level => test.level.as_str(),
        detail => test.detail(),
        source => test.source().to_owned(),
        sent => violation.map(|failure| failure.sent.clone()),
        got => violation.map(|failure| failure.got.clone()),
        expected => violation.map(|failure| failure.expected.clone()),
        suppression => test.suppressed.as_ref().map(|by| by.phrase()),
    }
}

/// Returns the violations of a statement, each with its revisions. Those that differ only in the revision are one.
fn violations(report: &ConformanceReport, results: &StatementResults<'_>) -> Vec<Value> {
    let mut found: Vec<(&JudgedTest, Vec<String>)> = Vec::new();
    for test in results
        .tests
        .iter()
        .filter(|test| test.violation().is_some())
    {
        let revision = test.result.revision.clone();
        match found.iter_mut().find(|(first, _)| is_alike(first, test)) {
            Some((_, revisions)) => revisions.extend(revision),
            None => found.push((test, revision.into_iter().collect())),
        }
    }
    let found = found.into_iter();
    found
        .map(|(one, revisions)| context! { revisions, ..test(report, one) })
        .collect()
}

/// Returns true if two results differ only in the revision.
fn is_alike(left: &JudgedTest, right: &JudgedTest) -> bool {
    left.result.test == right.result.test
        && left.result.outcome == right.result.outcome
        && left.suppressed == right.suppressed
}
