//! The tests, in the order of the contract.

use super::{order, over, over_pods, skip};
use crate::result::Outcome;
use crate::runtime::scenario::{Evidence, Life, PodCase};

/// A test.
#[derive(Clone, Copy, Debug)]
pub(in crate::runtime) struct Test {
    /// The statement that it judges.
    pub(in crate::runtime) statement: &'static str,
    /// Its name.
    pub(in crate::runtime) name: &'static str,
    /// The function that judges it, by the evidence that it needs.
    pub(in crate::runtime) judge: Judge,
}

/// The ways of judging.
#[derive(Clone, Copy, Debug)]
pub(in crate::runtime) enum Judge {
    /// Each pod on its own.
    Pods(fn(&PodCase) -> Outcome),
    /// The life of pods without misbehaviour.
    Life(fn(&Life) -> Outcome),
    /// Not from inside, for this reason.
    Never(&'static str),
}

impl Judge {
    pub(super) fn outcome(self, evidence: &Evidence) -> Outcome {
        match self {
            Judge::Pods(judge) => over_pods(&evidence.pods, judge),
            Judge::Life(judge) => over(&evidence.life, judge),
            Judge::Never(reason) => skip(reason),
        }
    }
}

const fn test(statement: &'static str, name: &'static str, judge: Judge) -> Test {
    Test {
        statement,
        name,
        judge,
    }
}

/// All tests.
pub(in crate::runtime) const TESTS: &[Test] = &[test(
    "O4",
    "pod-events-in-order",
    Judge::Pods(order::pod_events_in_order),
)];
