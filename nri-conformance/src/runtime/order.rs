//! The statements about the order of events: O1, O4, O8, C1, C5, R3, Y3 and Y4, from the sequences of plugins.
//!
//! Observers and recordings are judged by the same functions. Requests can fail for reasons that no plugin sees, so a missing
//! event counts only if a later one shows that the request succeeded.

mod containers;
mod handshake;
mod pods;
mod posts;
#[cfg(test)]
mod tests;

use super::judgement::{Finding, Judged};
use super::sequence::Sequence;
use super::shape::Shape;
use crate::result::{Failure, Outcome};

pub(super) use pods::is_in_order;

/// A function that judges what one plugin received. Returns `None` if nothing was received to judge by.
type Check = fn(&Sequence) -> Option<Result<(), Violation>>;

/// The violation of a statement in a sequence.
#[derive(Debug)]
struct Violation {
    sent: String,
    got: String,
    expected: &'static str,
    shape: Shape,
}

/// A test of sequences.
#[derive(Clone, Copy, Debug)]
pub(super) struct SequenceTest {
    /// The statement that it judges.
    pub(super) statement: &'static str,
    /// The name of the test, as reports show it.
    pub(super) name: &'static str,
    check: Check,
}

/// Every test, in the order of the contract.
pub(super) const TESTS: &[SequenceTest] = &[
    test(
        "R3",
        "removed-pod-does-not-run-again",
        pods::ids_are_not_reused,
    ),
    test("O1", "run-comes-first", pods::run_comes_first),
    test("O4", "pod-events-in-order", pods::events_in_order),
    test("O8", "nothing-after-removal", pods::nothing_after_removal),
    test(
        "C1",
        "every-container-in-order",
        containers::events_in_order,
    ),
    test("C5", "post-events-in-order", posts::posts_in_order),
    SYNCHRONIZED_ONCE,
    CONFIGURED_ONCE,
];

/// The test of Y3, which also applies to plugins that connect late.
pub(super) const SYNCHRONIZED_ONCE: SequenceTest =
    test("Y3", "synchronized-once", handshake::synchronized_once);

/// The test of Y4, which also applies to plugins that connect late.
pub(super) const CONFIGURED_ONCE: SequenceTest =
    test("Y4", "configured-once", handshake::configured_once);

const fn test(statement: &'static str, name: &'static str, check: Check) -> SequenceTest {
    SequenceTest {
        statement,
        name,
        check,
    }
}

/// Judges sequences by every test that is selected.
pub(super) fn judge(sequences: &[Sequence], selects: impl Fn(&str) -> bool) -> Vec<Judged> {
    let selected = TESTS.iter().filter(|test| selects(test.statement));
    selected
        .map(|test| Judged::new(test.statement, test.name, test.judge(sequences)))
        .collect()
}

impl SequenceTest {
    /// Judges every sequence: the first violation, else a pass if there was something to judge.
    pub(super) fn judge(self, sequences: &[Sequence]) -> Finding {
        let mut judged = false;
        for sequence in sequences {
            match (self.check)(sequence) {
                None => {}
                Some(Ok(())) => judged = true,
                Some(Err(violation)) => return violation.of(&sequence.plugin),
            }
        }
        if judged {
            Ok(()).into()
        } else {
            Finding::skipped("no event arrived that it applies to")
        }
    }
}

impl Violation {
    fn of(self, plugin: &str) -> Finding {
        Finding {
            outcome: Outcome::Fail(Failure {
                sent: self.sent,
                got: format!("plugin {plugin}: {}", self.got),
                expected: self.expected.to_owned(),
            }),
            shape: Some(self.shape),
        }
    }
}
