//! The judges: one function per test, from the evidence to an outcome.

mod case;
mod containers;
mod errors;
mod order;
mod remove;
mod run;
mod stop;
mod sync;
mod table;

use super::options::Options;
use super::scenario::{Evidence, Played, PodCase};
use crate::contract;
use crate::result::{Failure, Outcome, TestResult};

pub(super) use table::{Judge, TESTS};

/// Returns true if a selected test needs a certain kind of evidence.
pub(super) fn needs(options: &Options, kind: fn(&Judge) -> bool) -> bool {
    TESTS
        .iter()
        .any(|test| options.selects(test.statement) && kind(&test.judge))
}

/// Judges all selected tests.
pub(super) fn judge(evidence: &Evidence, options: &Options) -> Vec<TestResult> {
    TESTS
        .iter()
        .filter(|test| options.selects(test.statement))
        .map(|test| TestResult {
            statement: test.statement,
            test: test.name,
            revision: None,
            outcome: firm(test.statement, test.judge.outcome(evidence)),
        })
        .collect()
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

/// Judges each pod, and returns the first failure, else a pass, else the first reason for skipping.
fn over_pods(pods: &[PodCase], judge: fn(&PodCase) -> Outcome) -> Outcome {
    let mut best = skip("no pod was run from its beginning while plugins watched");
    let mut first = true;
    for outcome in pods.iter().map(judge) {
        match outcome {
            Outcome::Fail(_) | Outcome::Known { .. } => return outcome,
            Outcome::Pass => best = Outcome::Pass,
            Outcome::Skip(_) if first => best = outcome,
            Outcome::Skip(_) => {}
        }
        first = false;
    }
    best
}

/// Judges a scenario, if it was played.
fn over<T>(played: &Played<T>, judge: impl Fn(&T) -> Outcome) -> Outcome {
    match played {
        Played::No => skip("running pods needs the CRI socket of the runtime"),
        Played::Broken(reason) => skip(format!("an earlier step failed: {reason}")),
        Played::Yes(evidence) => judge(evidence),
    }
}

/// Returns the outcome of a skipped test.
fn skip(reason: impl Into<String>) -> Outcome {
    Outcome::Skip(reason.into())
}

/// Returns the outcome of a broken statement.
fn fail(sent: impl Into<String>, got: impl Into<String>, expected: impl Into<String>) -> Outcome {
    Outcome::Fail(Failure {
        sent: sent.into(),
        got: got.into(),
        expected: expected.into(),
    })
}
