//! Y3: Synchronize arrives once, before the first event.

use super::Violation;
use crate::runtime::event::Hook;
use crate::runtime::sequence::Sequence;
use crate::runtime::shape::{Cause, Shape};

/// Y3.
pub(super) fn once(sequence: &Sequence) -> Option<Result<(), Violation>> {
    let first = sequence.arrivals.first()?;
    let arrivals = sequence.arrivals.iter();
    let times = arrivals
        .filter(|arrival| arrival.hook == Hook::Synchronize)
        .count();
    if times != 1 {
        let shape = Shape::caused(Hook::Synchronize, times, Cause::Registration);
        return Some(Err(violation(shape)));
    }
    if first.hook != Hook::Synchronize {
        let shape = Shape::after(Hook::Synchronize, 1, first.hook);
        return Some(Err(violation(shape)));
    }
    Some(Ok(()))
}

fn violation(shape: Shape) -> Violation {
    Violation {
        sent: "a registration".to_owned(),
        got: shape.to_string(),
        expected: "Synchronize once, before the first event",
        shape,
    }
}
