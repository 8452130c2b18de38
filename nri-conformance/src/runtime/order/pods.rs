//! O1, O4, O8 and R3: the events of pods.

use std::collections::BTreeSet;

use super::{passed, violation};
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Cause, Ended, Shape, Stop};
use crate::runtime::sequence::{Arrival, Sequence};

/// O1: CreateContainer shows that RunPodSandbox has succeeded, so that its event arrived before.
pub(super) fn run_comes_first(sequence: &Sequence) -> Ended {
    if !sequence.receives(Hook::RUN_POD) {
        return passed(false);
    }
    let mut ran: BTreeSet<&str> = BTreeSet::new();
    for arrival in sequence.events() {
        let pod = arrival.pod.as_str();
        let unknown = !ran.contains(pod) && !sequence.known_pods.contains(pod);
        if arrival.hook == Hook::RUN_POD {
            ran.insert(pod);
        } else if arrival.hook == Hook::CREATE && unknown {
            return Err(broken(
                pod,
                "RunPodSandbox before every other event of the pod",
                Shape::caused(Hook::CREATE, 1, Cause::Nothing),
            ));
        }
    }
    passed(!ran.is_empty())
}

/// O4: RunPodSandbox once, then StopPodSandbox, then RemovePodSandbox once.
pub(super) fn events_in_order(sequence: &Sequence) -> Ended {
    let mut judged = false;
    for (pod, arrivals) in sequence.by_pod() {
        let hooks = life(&arrivals);
        judged |= hooks.len() > 1;
        for hooks in lives(&hooks) {
            let stops = sequence.receives(Hook::STOP_POD);
            in_order(hooks, stops).map_err(|shape| out_of_order(pod, hooks, shape))?;
        }
    }
    passed(judged)
}

/// Returns false if the events of a pod break O4.
pub(crate) fn is_in_order(hooks: &[Hook]) -> bool {
    lives(hooks).all(|hooks| in_order(hooks, true).is_ok())
}

/// R3: a pod that was removed does not run again.
pub(super) fn ids_are_not_reused(sequence: &Sequence) -> Ended {
    let mut judged = false;
    for (pod, arrivals) in sequence.by_pod() {
        let hooks = life(&arrivals);
        judged |= hooks.contains(&Hook::REMOVE_POD);
        if lives(&hooks).count() > 1 {
            return Err(broken(
                pod,
                "a new id for every sandbox",
                Shape::after(Hook::RUN_POD, 1, Hook::REMOVE_POD),
            ));
        }
    }
    passed(judged)
}

/// O8: no event of a container, and no update, after RemovePodSandbox.
pub(super) fn nothing_after_removal(sequence: &Sequence) -> Ended {
    let mut removed: BTreeSet<&str> = BTreeSet::new();
    let mut judged = false;
    for arrival in sequence.events() {
        let pod = arrival.pod.as_str();
        if arrival.hook == Hook::REMOVE_POD {
            judged = true;
            removed.insert(pod);
        } else if arrival.hook == Hook::RUN_POD {
            // R3 is broken: the id is used again.
            removed.remove(pod);
        } else if arrival.hook != Hook::STOP_POD && removed.contains(pod) {
            return Err(broken(
                pod,
                "no event of a pod or its containers after RemovePodSandbox",
                Shape::after(arrival.hook, 1, Hook::REMOVE_POD),
            ));
        }
    }
    passed(judged)
}

fn life(arrivals: &[&Arrival]) -> Vec<Hook> {
    let hooks = arrivals.iter().map(|arrival| arrival.hook);
    hooks.filter(|hook| hook.is_life_of_pod()).collect()
}

/// Splits the events of a pod where RunPodSandbox follows RemovePodSandbox: R3 forbids that, and the rest is another life.
fn lives(hooks: &[Hook]) -> impl Iterator<Item = &[Hook]> {
    hooks.chunk_by(|earlier, later| (*earlier, *later) != (Hook::REMOVE_POD, Hook::RUN_POD))
}

/// Checks one life, of which the beginning or the end may be missing.
fn in_order(hooks: &[Hook], stops: bool) -> Result<(), Shape> {
    let times = |wanted: Hook| hooks.iter().filter(|hook| **hook == wanted).count();
    for (&earlier, &later) in hooks.iter().zip(hooks.iter().skip(1)) {
        if later == Hook::RUN_POD || earlier == Hook::REMOVE_POD {
            return Err(Shape::after(later, times(later), earlier));
        }
        if stops && (earlier, later) == (Hook::RUN_POD, Hook::REMOVE_POD) {
            return Err(Shape::after(Hook::STOP_POD, 0, Hook::RUN_POD));
        }
    }
    Ok(())
}

fn out_of_order(pod: &str, hooks: &[Hook], shape: Shape) -> Stop {
    let names: Vec<String> = hooks.iter().take(10).map(ToString::to_string).collect();
    let expected = "RunPodSandbox once, then StopPodSandbox, then RemovePodSandbox once";
    violation(&format!("pod {pod}"), names.join(", "), expected, shape)
}

fn broken(pod: &str, expected: &str, shape: Shape) -> Stop {
    violation(&format!("pod {pod}"), shape.to_string(), expected, shape)
}
