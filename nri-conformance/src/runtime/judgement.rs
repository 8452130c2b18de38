//! The tests of runtimes, and their outcomes.

use super::shape::Shape;
use crate::contract;
use crate::result::{Failure, Outcome, TestResult};

/// A test of evidence of some kind.
#[derive(Debug)]
pub(super) struct Test<E: 'static> {
    /// The statement that it tests.
    pub(super) statement: &'static str,
    /// Its name.
    pub(super) name: &'static str,
    pub(super) judge: fn(&E) -> Finding,
}

/// Lists tests, each with its statement, its name and its function.
macro_rules! tests {
    ($($statement:literal $name:literal $judge:ident;)*) => {
        &[$($crate::runtime::judgement::Test {
            statement: $statement,
            name: $name,
            judge: |evidence| $judge(evidence).into(),
        }),*]
    };
}
pub(super) use tests;

/// The outcome of a test, with the shape of what was seen if a deviation can name it.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    pub(super) outcome: Outcome,
    pub(super) shape: Option<Shape>,
}

impl From<Outcome> for Finding {
    fn from(outcome: Outcome) -> Finding {
        Finding {
            outcome,
            shape: None,
        }
    }
}

/// The result of a test, with the shape of what was seen if a deviation can name it.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) result: TestResult,
    pub(super) shape: Option<Shape>,
}

impl Judged {
    pub(super) fn new(statement: &'static str, test: &'static str, finding: Finding) -> Judged {
        Judged {
            result: TestResult {
                statement,
                test,
                revision: None,
                outcome: firm(statement, finding.outcome),
            },
            shape: finding.shape,
        }
    }
}

/// Turns the failure of an ambiguous statement into a skip, because it never fails a run.
fn firm(statement: &str, outcome: Outcome) -> Outcome {
    let ambiguous = contract::get(statement).is_some_and(|found| !found.is_firm());
    match outcome {
        Outcome::Fail(failure) if ambiguous => {
            skip(format!("the statement is ambiguous; observed: {failure}"))
        }
        Outcome::Pass | Outcome::Fail(_) | Outcome::Skip(_) | Outcome::Known { .. } => outcome,
    }
}

/// Returns the outcome of a skipped test.
pub(super) fn skip(reason: impl Into<String>) -> Outcome {
    Outcome::Skip(reason.into())
}

/// Returns the outcome of a broken statement.
pub(super) fn fail(
    sent: impl Into<String>,
    got: impl Into<String>,
    expected: impl Into<String>,
) -> Outcome {
    Outcome::Fail(Failure {
        sent: sent.into(),
        got: got.into(),
        expected: expected.into(),
    })
}
