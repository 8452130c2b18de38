//! The values that templates see of conformance, probe and replay.

use nri_conformance::contract::{self, Part, Statement};

use super::*;
use crate::report::conformance::{ConformanceReport, JudgedTest, StatementsReport};
use crate::report::probe::ProbeReport;
use crate::report::replay::ReplayReport;

plain! {
    ReplayReport<'_> => "replay",
}

impl Templated for &ProbeReport {
    const NAME: &'static str = "probe";

    fn context(self) -> Value {
        context! { place => self.place.clone(), ..Serde(self) }
    }
}

impl Templated for &Statement {
    const NAME: &'static str = "statement";

    fn context(self) -> Value {
        context! { status_about => self.status.about(), ..Serde(self) }
    }
}

impl Templated for &StatementsReport<'_> {
    const NAME: &'static str = "statements";

    /// Returns the statements by part of the contract.
    fn context(self) -> Value {
        let of_part = |part: Part| {
            let statements: Vec<_> =
                self.statements.iter().filter(|statement| statement.part() == part).collect();
            let (letter, title) = (part.letter.to_string(), part.title);
            (!statements.is_empty())
                .then(|| context! { letter, title, statements => Value::from(Serde(statements)) })
        };
        let parts: Vec<Value> = Part::ALL.iter().copied().filter_map(of_part).collect();
        context! { parts }
    }
}

impl Templated for &ConformanceReport {
    const NAME: &'static str = "conformance";

    fn context(self) -> Value {
        let statements = contract::all().iter().filter_map(|one| statement(self, one));
        context! {
            place => &self.place,
            statements => statements.collect::<Vec<Value>>(),
            ..Serde(self),
        }
    }
}

/// Returns a statement with its tests; `None` without tests.
fn statement(report: &ConformanceReport, statement: &Statement) -> Option<Value> {
    let tests: Vec<Value> =
        report.results.iter().filter(|test| test.statement == statement.id).map(test).collect();
    (!tests.is_empty()).then(|| context! { tests, ..Serde(statement) })
}

fn test(test: &JudgedTest) -> Value {
    let violation = test.violation.as_ref();
    let section = match test.suppressed {
        Some(_) => "suppressed".into(),
        None => Value::from(Serde(test.result)),
    };
    context! {
        level => test.level.as_str(),
        section,
        // Equal for violations that differ only in the revision.
        key => format!("{} {}", test.test, test.detail),
        sent => violation.map(|failure| &failure.sent),
        got => violation.map(|failure| &failure.got),
        expected => violation.map(|failure| &failure.expected),
        ..Serde(test),
    }
}
