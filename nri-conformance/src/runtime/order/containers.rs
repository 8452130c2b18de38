//! C1: the events that every container has once.

use super::{judge, times};
use crate::runtime::event::Hook;
use crate::runtime::judgement::{After, Ended, Shape};
use crate::runtime::sequence::{Arrival, Sequence};

/// C1 for every container.
pub(super) fn events_in_order(sequence: &Sequence) -> Ended {
    judge(sequence.containers(), |container, arrivals| {
        let known = sequence.known.contains(container);
        one_pod(arrivals)?;
        in_order(arrivals)?;
        complete(sequence, arrivals, known)?;
        removed(sequence, arrivals)?;
        Ok(true)
    })
}

/// Returns the shape of an event that names another pod than the container does, or than earlier events do.
fn one_pod(arrivals: &[&Arrival]) -> Result<(), Shape> {
    let mut earlier: Option<&Arrival> = None;
    for arrival in arrivals {
        let claimed = arrival.container.as_ref().map(|container| &container.pod);
        let first = earlier.map_or(&arrival.pod, |first| &first.pod);
        if claimed != Some(&arrival.pod) || arrival.pod != *first {
            let earlier = earlier.map(|one| one.hook);
            return Err(Shape::new(arrival.hook, 1, earlier));
        }
        earlier.get_or_insert(arrival);
    }
    Ok(())
}

/// Returns the shape of an event that arrived twice, or after a later stage of the container.
fn in_order(arrivals: &[&Arrival]) -> Result<(), Shape> {
    let stages = [Hook::CREATE, Hook::START, Hook::STOP, Hook::REMOVE];
    let mut latest: Option<(usize, Hook)> = None;
    for hook in arrivals.iter().map(|arrival| arrival.hook) {
        let Some(stage) = stages.iter().position(|stage| *stage == hook) else {
            continue;
        };
        if latest.is_some_and(|(latest, _)| stage <= latest) {
            let earlier = latest.map(|(_, hook)| hook);
            return Err(Shape::new(hook, times(arrivals, hook), earlier));
        }
        latest = Some((stage, hook));
    }
    Ok(())
}

/// Returns the shape of a missing event, of which a later one shows that it was due.
fn complete(sequence: &Sequence, arrivals: &[&Arrival], known: bool) -> Result<(), Shape> {
    let has = |hook| times(arrivals, hook) > 0;
    let lacks = |hook| sequence.receives(hook) && !has(hook);
    if !known && lacks(Hook::CREATE) && (has(Hook::POST_CREATE) || has(Hook::START)) {
        return Err(Shape::new(Hook::CREATE, 0, After::Nothing));
    }
    if !known && lacks(Hook::START) && has(Hook::POST_START) {
        return Err(Shape::new(Hook::START, 0, Hook::CREATE));
    }
    if lacks(Hook::STOP) && has(Hook::POST_START) && has(Hook::REMOVE) {
        return Err(Shape::new(Hook::STOP, 0, Hook::START));
    }
    Ok(())
}

/// Returns the shape of a container that was created and is not removed although its pod is.
fn removed(sequence: &Sequence, arrivals: &[&Arrival]) -> Result<(), Shape> {
    let created = times(arrivals, Hook::POST_CREATE) > 0;
    if !created || !sequence.receives(Hook::REMOVE) || times(arrivals, Hook::REMOVE) > 0 {
        return Ok(());
    }
    let pod_removed = sequence.arrivals.iter().any(|event| {
        event.hook == Hook::REMOVE_POD
            && arrivals.first().is_some_and(|first| first.pod == event.pod)
    });
    if pod_removed {
        return Err(Shape::new(Hook::REMOVE, 0, Hook::REMOVE_POD));
    }
    Ok(())
}
