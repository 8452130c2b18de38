//! Y3 and Y4: Configure and Synchronize arrive once each, in this order, before the first event.

use super::Violation;
use crate::runtime::event::Hook;
use crate::runtime::sequence::{Arrival, Sequence};
use crate::runtime::shape::{Cause, Shape};

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
