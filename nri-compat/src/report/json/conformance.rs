//! The JSON report of `conformance`, described by `schema/conformance.schema.json`.

use nri_conformance::result::Subject;
use serde::Serialize;

use super::{SCHEMA, print};
use crate::report::conformance::{ConformanceReport, JudgedTest, kind_name, outcome_name};
use crate::report::finding::Level;

#[derive(Serialize)]
struct JsonConformance<'r> {
    schema: u32,
    subject: JsonSubject<'r>,
    results: Vec<JsonResult<'r>>,
    summary: JsonSummary<'r>,
}

#[derive(Serialize)]
pub(super) struct JsonSubject<'r> {
    kind: &'static str,
    name: &'r str,
    index: &'r str,
    version: &'r str,
}

#[derive(Serialize)]
struct JsonResult<'r> {
    id: &'r str,
    test: &'r str,
    revision: Option<&'r str>,
    result: &'static str,
    detail: String,
    source: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<String>,
}

#[derive(Serialize)]
struct JsonSummary<'r> {
    pass: usize,
    fail: usize,
    skip: usize,
    known: usize,
    suppressed: usize,
    ambiguous: usize,
    seed: Option<u64>,
    millis: u64,
    policy: &'r [String],
}

/// Renders the answer of `conformance` as JSON.
pub fn conformance(report: &ConformanceReport) -> String {
    print(&json(report))
}

fn json(report: &ConformanceReport) -> JsonConformance<'_> {
    JsonConformance {
        schema: SCHEMA,
        subject: subject(&report.subject),
        results: report.results.iter().map(result).collect(),
        summary: summary(report),
    }
}

pub(super) fn subject(subject: &Subject) -> JsonSubject<'_> {
    JsonSubject {
        kind: kind_name(subject.kind),
        name: &subject.name,
        index: &subject.index,
        version: &subject.version,
    }
}

fn result(test: &JudgedTest) -> JsonResult<'_> {
    JsonResult {
        id: test.result.statement,
        test: test.result.test,
        revision: test.result.revision.as_deref(),
        result: outcome_name(&test.result.outcome),
        detail: test.detail(),
        source: test.source(),
        suppressed: test.suppressed.as_ref().map(|by| by.phrase()),
    }
}

fn summary(report: &ConformanceReport) -> JsonSummary<'_> {
    let counts = report.summary();
    let violations = || report.violations();
    JsonSummary {
        pass: counts.pass,
        fail: counts.fail,
        skip: counts.skip,
        known: counts.known,
        suppressed: violations()
            .filter(|test| test.suppressed.is_some())
            .count(),
        ambiguous: violations()
            .filter(|test| test.level == Level::Note)
            .count(),
        seed: report.seed,
        millis: report.millis,
        policy: &report.policy,
    }
}
