//! The statements about the order of events: O1, O4, O8, C1, C5, R3, Y3 and Y4, from the sequences of plugins.
//!
//! Observers and recordings are judged by the same functions. Requests can fail for reasons that no plugin sees, so a missing
//! event counts only if a later one shows that the request succeeded.

mod containers;
mod pods;
mod posts;
#[cfg(test)]
mod tests;

use crate::result::Failure;
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Cause, Ended, Shape, Stop, Test, fail, shaped, skip, tests};
use crate::runtime::sequence::{Arrival, Sequence};

pub(super) use pods::is_in_order;

/// A function that judges what one plugin received. Skips if nothing was received to judge by.
pub(super) type Check = fn(&Sequence) -> Ended;

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
pub(super) fn each(sequences: &[Sequence], check: Check) -> Ended {
    let mut judged = false;
    for sequence in sequences {
        match check(sequence) {
            Err(Stop::Skip(_)) => {}
            Ok(()) => judged = true,
            Err(Stop::Fail(mut failure, shape)) => {
                failure.got = format!("plugin {}: {}", sequence.plugin, failure.got);
                return Err(Stop::Fail(failure, shape));
            }
        }
    }
    passed(judged)
}

/// Passes if there was something to judge.
fn passed(judged: bool) -> Ended {
    if judged {
        Ok(())
    } else {
        skip("no event arrived that it applies to")
    }
}

/// Returns the violation in all requests about a pod or container.
fn violation(subject: &str, got: String, expected: &str, shape: Shape) -> Stop {
    let sent = format!("all requests about {subject}");
    Stop::Fail(Failure::new(sent, got, expected), Some(shape))
}

/// Y4: Configure is the first request.
pub(crate) fn configured_once(sequence: &Sequence) -> Ended {
    let expected = "Configure once, before Synchronize and the first event";
    once(sequence.arrivals.iter(), Hook::Configure, expected)
}

/// Y3: Synchronize is the first request after Configure, whose place Y4 judges.
pub(crate) fn synchronized_once(sequence: &Sequence) -> Ended {
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
) -> Ended {
    let Some(first) = arrivals.clone().next() else {
        return passed(false);
    };
    let of_kind = arrivals.filter(|arrival| arrival.hook == hook);
    let shape = match of_kind.count() {
        1 if first.hook == hook => return Ok(()),
        1 => Shape::after(hook, 1, first.hook),
        times => Shape::caused(hook, times, Cause::Registration),
    };
    shaped(
        fail("a registration", shape.to_string(), expected),
        Some(shape),
    )
}
