//! C1: the events that every container has once.

use super::{passed, violation};
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Cause, Ended, Shape, Stop};
use crate::runtime::sequence::{Arrival, Sequence};

/// C1 for every container.
pub(super) fn events_in_order(sequence: &Sequence) -> Ended {
    let mut judged = false;
    for (container, arrivals) in sequence.by_container() {
        judged = true;
        let known = sequence.known_containers.contains(container);
        let checked = one_pod(&arrivals)
            .and_then(|()| in_order(&arrivals))
            .and_then(|()| complete(sequence, &arrivals, known))
            .and_then(|()| removed(sequence, &arrivals));
        checked.map_err(|shape| broken(container, &arrivals, shape))?;
    }
    passed(judged)
}

/// Returns the shape of an event that names another pod than the container does, or than earlier events do.
fn one_pod(arrivals: &[&Arrival]) -> Result<(), Shape> {
    let mut earlier: Option<&Arrival> = None;
    for arrival in arrivals {
        let claimed = arrival.container.as_ref().map(|container| &container.pod);
        let first = earlier.map_or(&arrival.pod, |first| &first.pod);
        if claimed != Some(&arrival.pod) || arrival.pod != *first {
            return Err(Shape::following(
                arrival.hook,
                1,
                earlier.map(|one| one.hook),
            ));
        }
        earlier.get_or_insert(arrival);
    }
    Ok(())
}

/// Returns the shape of an event that arrived twice, or after a later stage of the container.
fn in_order(arrivals: &[&Arrival]) -> Result<(), Shape> {
    let mut latest: Option<&Arrival> = None;
    for arrival in arrivals
        .iter()
        .filter(|one| one.hook.is_life_of_container())
    {
        if latest.is_some_and(|latest| stage(arrival.hook) <= stage(latest.hook)) {
            return Err(Shape::following(
                arrival.hook,
                times(arrivals, arrival.hook),
                latest.map(|one| one.hook),
            ));
        }
        latest = Some(arrival);
    }
    Ok(())
}

/// Returns the shape of a missing event, of which a later one shows that it was due.
fn complete(sequence: &Sequence, arrivals: &[&Arrival], known: bool) -> Result<(), Shape> {
    let has = |hook| times(arrivals, hook) > 0;
    let lacks = |hook| sequence.receives(hook) && !has(hook);
    if !known && lacks(Hook::CREATE) && (has(Hook::POST_CREATE) || has(Hook::START)) {
        return Err(Shape::caused(Hook::CREATE, 0, Cause::Nothing));
    }
    if !known && lacks(Hook::START) && has(Hook::POST_START) {
        return Err(Shape::after(Hook::START, 0, Hook::CREATE));
    }
    if lacks(Hook::STOP) && has(Hook::POST_START) && has(Hook::REMOVE) {
        return Err(Shape::after(Hook::STOP, 0, Hook::START));
    }
    Ok(())
}

/// Returns the shape of a container that was created and is not removed although its pod is.
fn removed(sequence: &Sequence, arrivals: &[&Arrival]) -> Result<(), Shape> {
    let created = times(arrivals, Hook::POST_CREATE) > 0;
    if !created || !sequence.receives(Hook::REMOVE) || times(arrivals, Hook::REMOVE) > 0 {
        return Ok(());
    }
    let pod_removed = sequence.events().any(|event| {
        event.hook == Hook::REMOVE_POD
            && arrivals.first().is_some_and(|first| first.pod == event.pod)
    });
    if pod_removed {
        return Err(Shape::after(Hook::REMOVE, 0, Hook::REMOVE_POD));
    }
    Ok(())
}

fn times(arrivals: &[&Arrival], hook: Hook) -> usize {
    arrivals.iter().filter(|one| one.hook == hook).count()
}

/// Returns the position of an event in the life of a container.
fn stage(hook: Hook) -> usize {
    let stages = [Hook::CREATE, Hook::START, Hook::STOP, Hook::REMOVE];
    let position = stages.iter().position(|stage| *stage == hook);
    // Only called for these events.
    position.unwrap_or(stages.len())
}

fn broken(container: &str, arrivals: &[&Arrival], shape: Shape) -> Stop {
    let names = arrivals.iter().take(12).map(|arrival| {
        let claimed = arrival.container.as_ref().map(|found| found.pod.as_str());
        if claimed == Some(&arrival.pod) {
            format!("{} (pod {})", arrival.hook, arrival.pod)
        } else {
            let claimed = claimed.unwrap_or_default();
            format!(
                "{} (pod {}, container of pod {claimed})",
                arrival.hook, arrival.pod
            )
        }
    });
    let names: Vec<String> = names.collect();
    violation(
        &format!("container {container}"),
        format!("{shape}, in {}", names.join(", ")),
        "CreateContainer, StartContainer, StopContainer, RemoveContainer, once each, with the same pod",
        shape,
    )
}
