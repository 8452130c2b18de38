//! The statements about the order of events: O1, O4, O8, C1, C5, R3 and Y3, from the sequences of plugins.
//!
//! Observers and recordings are judged by the same functions. Requests can fail for reasons that no plugin sees, so a missing
//! event counts only if a later one shows that the request succeeded.

mod containers;
mod pods;
mod posts;
mod synchronize;
#[cfg(test)]
mod tests;

use super::{Finding, skip};
use crate::result::Failure;
use crate::runtime::sequence::Sequence;
use crate::runtime::shape::Shape;

pub(in crate::runtime) use pods::is_in_order;

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
pub(in crate::runtime) struct SequenceTest {
    /// The statement that it judges.
    pub(in crate::runtime) statement: &'static str,
    /// Its name.
    pub(in crate::runtime) name: &'static str,
    check: Check,
}

/// The tests, in the order of the contract.
pub(in crate::runtime) const RUN_COMES_FIRST: SequenceTest =
    test("O1", "run-comes-first", pods::run_comes_first);
pub(in crate::runtime) const POD_EVENTS_IN_ORDER: SequenceTest =
    test("O4", "pod-events-in-order", pods::events_in_order);
pub(in crate::runtime) const IDS_ARE_NOT_REUSED: SequenceTest = test(
    "R3",
    "removed-pod-does-not-run-again",
    pods::ids_are_not_reused,
);
pub(in crate::runtime) const NOTHING_AFTER_REMOVAL: SequenceTest =
    test("O8", "nothing-after-removal", pods::nothing_after_removal);
pub(in crate::runtime) const EVERY_CONTAINER_IN_ORDER: SequenceTest = test(
    "C1",
    "every-container-in-order",
    containers::events_in_order,
);
pub(in crate::runtime) const POST_EVENTS_IN_ORDER: SequenceTest =
    test("C5", "post-events-in-order", posts::posts_in_order);
pub(in crate::runtime) const SYNCHRONIZED_ONCE: SequenceTest =
    test("Y3", "synchronized-once", synchronize::once);

/// Every test of sequences, in the order of the contract.
pub(in crate::runtime) const ALL: [SequenceTest; 7] = [
    IDS_ARE_NOT_REUSED,
    RUN_COMES_FIRST,
    POD_EVENTS_IN_ORDER,
    NOTHING_AFTER_REMOVAL,
    EVERY_CONTAINER_IN_ORDER,
    POST_EVENTS_IN_ORDER,
    SYNCHRONIZED_ONCE,
];

const fn test(statement: &'static str, name: &'static str, check: Check) -> SequenceTest {
    SequenceTest {
        statement,
        name,
        check,
    }
}

impl SequenceTest {
    /// Judges every sequence: the first violation, else a pass if there was something to judge.
    pub(in crate::runtime) fn judge<'a>(
        self,
        sequences: impl IntoIterator<Item = &'a Sequence>,
    ) -> Finding {
        let mut judged = false;
        for sequence in sequences {
            match (self.check)(sequence) {
                None => {}
                Some(Ok(())) => judged = true,
                Some(Err(violation)) => return violation.of(&sequence.plugin),
            }
        }
        if judged {
            Finding::from(crate::result::Outcome::Pass)
        } else {
            Finding::from(skip("no event arrived that it applies to"))
        }
    }
}

impl Violation {
    fn of(self, plugin: &str) -> Finding {
        Finding {
            outcome: crate::result::Outcome::Fail(Failure {
                sent: self.sent,
                got: format!("plugin {plugin}: {}", self.got),
                expected: self.expected.to_owned(),
            }),
            shape: Some(self.shape),
        }
    }
}
