//! The values that templates of `conformance` see: the JSON document, and the tests of each statement.

use minijinja::context;
use minijinja::value::{Serde, Value};
use nri_conformance::contract::{self, Statement};

use super::Templated;
use crate::report::conformance::{ConformanceReport, JudgedTest};

impl Templated for &ConformanceReport {
    const NAME: &'static str = "conformance";

    fn context(self) -> Value {
        let statements = contract::all().iter();
        let statements = statements.filter_map(|one| statement(self, one));
        context! {
            place => &self.place,
            statements => statements.collect::<Vec<Value>>(),
            ..Serde(self),
        }
    }
}

/// Returns a statement with its tests; `None` without tests.
fn statement(report: &ConformanceReport, statement: &Statement) -> Option<Value> {
    let tests = report.results.iter();
    let tests = tests.filter(|test| test.result.statement == statement.id);
    let tests: Vec<Value> = tests.map(test).collect();
    (!tests.is_empty()).then(|| context! { tests, ..Serde(statement) })
}

fn test(test: &JudgedTest) -> Value {
    let violation = test.violation();
    context! {
        level => test.level.as_str(),
        section => test.suppressed.as_ref().map_or(test.outcome(), |_| "suppressed"),
        // Equal for violations that differ only in the revision.
        key => format!("{} {}", test.result.test, test.detail()),
        sent => violation.map(|failure| &failure.sent),
        got => violation.map(|failure| &failure.got),
        expected => violation.map(|failure| &failure.expected),
        ..Serde(test),
    }
}
