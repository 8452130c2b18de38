//! The statements about the order of events: O1, O4, O8, C1, C5, R3, Y3 and Y4, from the sequences of plugins.
//!
//! Observers and recordings are judged by the same functions. Requests can fail for reasons that no plugin sees, so a missing
//! event counts only if a later one shows that the request succeeded.

mod containers;
mod pods;
mod posts;
#[cfg(test)]
mod tests;

use crate::result::{Failure, Outcome};
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Cause, Finding, Shape, Test, tests};
use crate::runtime::sequence::{Arrival, Sequence};

pub(super) use pods::is_in_order;

/// A function that judges what one plugin received. Returns `None` if nothing was received to judge by.
pub(super) type Check = fn(&Sequence) -> Option<Result<(), Violation>>;

/// The violation of a statement in a sequence.
#[derive(Debug)]
pub(super) struct Violation {
    sent: String,
    got: String,
    expected: &'static str,
    shape: Shape,
}

/// Every test, in the order of the contract.
pub(super) const TESTS: &[Test<Vec<Sequence>>] = tests! {
    "R3" "removed-pod-does-not-run-again" each(pods::ids_are_not_reused);
    "O1" "run-comes-first" each(pods::run_comes_first);
    "O4" "pod-events-in-order" each(pods::events_in_order);
    "O8" "nothing-after-removal" each(pods::nothing_after_removal);
    "C1" "every-container-in-order" each(containers::events_in_order);
    "C5" "post-events-in-order" each(posts::posts_in_order);
    "Y3" "synchronized-once" each(synchronized_once);
    "Y4" "configured-once" each(configured_once);
};

/// Judges every sequence: the first violation, else a pass if there was something to judge.
pub(super) fn each(sequences: &[Sequence], check: Check) -> Finding {
    let mut judged = false;
    for sequence in sequences {
        match check(sequence) {
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

impl Violation {
    fn of(self, plugin: &str) -> Finding {
        let got = format!("plugin {plugin}: {}", self.got);
        Finding {
            outcome: Outcome::Fail(Failure::new(self.sent, got, self.expected)),
            shape: Some(self.shape),
        }
    }
}

/// Y4: Configure is the first request.
pub(crate) fn configured_once(sequence: &Sequence) -> Option<Result<(), Violation>> {
    let expected = "Configure once, before Synchronize and the first event";
    once(sequence.arrivals.iter(), Hook::Configure, expected)
}

/// Y3: Synchronize is the first request after Configure, whose place Y4 judges.
pub(crate) fn synchronized_once(sequence: &Sequence) -> Option<Result<(), Violation>> {
    let arrivals = sequence.arrivals.iter();
    let arrivals = arrivals.filter(|arrival| arrival.hook != Hook::Configure);
    let expected = "Synchronize once, before the first event";
    once(arrivals, Hook::Synchronize, expected)
}

/// Returns a violation unless the first request, and no other, is this one.
fn once<'a>(
    arrivals: impl Iterator<Item = &'a Arrival> + Clone,
    hook: Hook,
    expected: &'static str,
) -> Option<Result<(), Violation>> {
    let first = arrivals.clone().next()?;
    let of_kind = arrivals.filter(|arrival| arrival.hook == hook);
    let shape = match of_kind.count() {
        1 if first.hook == hook => return Some(Ok(())),
        1 => Shape::after(hook, 1, first.hook),
        times => Shape::caused(hook, times, Cause::Registration),
    };
    Some(Err(Violation {
        sent: "a registration".to_owned(),
        got: shape.to_string(),
        expected,
        shape,
    }))
}
