//! The judges: one function per test, from the evidence to an outcome.

mod case;
mod containers;
mod errors;
mod order;
mod remove;
mod run;
mod sequence;
mod stop;
mod sync;
mod table;

use super::options::Options;
use super::scenario::{Evidence, Played, PodCase};
use super::sequence::Sequence;
use super::shape::Shape;
use crate::contract;
use crate::result::{Failure, Outcome, TestResult};

pub(super) use table::{Judge, TESTS, Test};

/// Returns true if a selected test needs a certain kind of evidence.
pub(super) fn needs(options: &Options, kind: fn(&Judge) -> bool) -> bool {
    TESTS
        .iter()
        .any(|test| options.selects(test.statement) && kind(&test.judge))
}

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
    fn new(statement: &'static str, test: &'static str, finding: Finding) -> Judged {
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

/// Judges all selected tests, and adds the violations of other statements that were seen. What was seen counts, whichever
/// statements are selected, unless they are skipped on request.
pub(super) fn judge(evidence: &Evidence, options: &Options) -> Vec<Judged> {
    let (selected, others): (Vec<&Test>, Vec<&Test>) = TESTS
        .iter()
        .partition(|test| options.selects(test.statement));
    let seen = others.into_iter().filter(|test| {
        matches!(test.judge, Judge::Sequences(_)) && !options.skip.contains(test.statement)
    });
    let judged = |test: &Test| Judged::new(test.statement, test.name, test.judge.finding(evidence));
    let broken = seen
        .map(judged)
        .filter(|judged| matches!(judged.result.outcome, Outcome::Fail(_)));
    selected.into_iter().map(judged).chain(broken).collect()
}

/// Judges the sequences of a recording by every test that needs nothing else.
pub(super) fn judge_sequences(
    sequences: &[Sequence],
    selects: impl Fn(&str) -> bool,
) -> Vec<Judged> {
    let selected = sequence::ALL.iter().filter(|test| selects(test.statement));
    selected
        .map(|test| Judged::new(test.statement, test.name, test.judge(sequences)))
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
fn over<T, F: From<Outcome>>(played: &Played<T>, judge: impl Fn(&T) -> F) -> F {
    match played {
        Played::No => skip("running pods needs the CRI socket of the runtime").into(),
        Played::Broken(reason) => skip(format!("an earlier step failed: {reason}")).into(),
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
