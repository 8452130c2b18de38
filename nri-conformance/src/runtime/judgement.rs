//! The tests of runtimes, and their outcomes.

use super::shape::Shape;
use crate::contract;
use crate::result::{Failure, Outcome, TestResult};

/// A test of evidence of some kind.
#[derive(Debug)]
pub(super) struct Test<E: 'static> {
    /// The statement that it tests.
    pub(super) statement: &'static str,
    /// The name of the test, as reports show it.
    pub(super) name: &'static str,
    pub(super) judge: fn(&E) -> Finding,
}

/// The end of a test: a value or success, or else the outcome that ended it.
pub(super) type Ended<T = ()> = Result<T, Outcome>;

/// Lists tests, each with its statement, its name and its function, which may have more arguments.
macro_rules! tests {
    ($($statement:literal $name:literal $judge:ident $(($($argument:expr),+))?;)*) => {
        &[$($crate::runtime::judgement::Test {
            statement: $statement,
            name: $name,
            judge: |evidence| $judge(evidence $(, $($argument),+)?).into(),
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

impl From<Ended> for Finding {
    fn from(ended: Ended) -> Finding {
        Finding {
            outcome: ended.err().unwrap_or(Outcome::Pass),
            shape: None,
        }
    }
}

impl Finding {
    /// Returns the finding of a test that was not made, for this reason.
    pub(super) fn skipped(reason: impl Into<String>) -> Finding {
        Ended::Err(Outcome::Skip(reason.into())).into()
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

/// Judges evidence by the selected tests, or skips them for the reason for which there is none.
pub(super) fn judged<E>(
    tests: &[Test<E>],
    selects: impl Fn(&str) -> bool,
    evidence: Result<&E, &str>,
) -> Vec<Judged> {
    let selected = tests.iter().filter(|test| selects(test.statement));
    let judged = selected.map(|test| {
        let finding = evidence.map_or_else(Finding::skipped, test.judge);
        Judged::new(test.statement, test.name, finding)
    });
    judged.collect()
}

/// Turns the failure of an ambiguous statement into a skip, because it never fails a run.
fn firm(statement: &str, outcome: Outcome) -> Outcome {
    let ambiguous = contract::get(statement).is_some_and(|found| !found.is_firm());
    match outcome {
        Outcome::Fail(failure) if ambiguous => {
            Outcome::Skip(format!("the statement is ambiguous; observed: {failure}"))
        }
        Outcome::Pass | Outcome::Fail(_) | Outcome::Skip(_) | Outcome::Known { .. } => outcome,
    }
}

/// Ends a test as skipped.
pub(super) fn skip<T>(reason: impl Into<String>) -> Ended<T> {
    Err(Outcome::Skip(reason.into()))
}

/// Ends a test with a violation.
pub(super) fn fail<T>(
    sent: impl Into<String>,
    got: impl Into<String>,
    expected: impl Into<String>,
) -> Ended<T> {
    Err(Outcome::Fail(Failure::new(sent, got, expected)))
}
