//! The statements about the order of events: O1, O4, O8, C1, C5, R3, Y3 and Y4, from the sequences
//! of plugins.
//!
//! Observers and recordings are judged by the same functions. Requests can fail for reasons that no
//! plugin sees, so a missing event counts only if a later one shows that the request succeeded.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::event::Hook;
use super::judgement::{After, Ended, Judge, Shape, Stop, Test, passed, tests};
use super::sequence::{Arrival, Groups, Sequence};

/// Every test, in the order of the contract.
pub(super) const TESTS: &[(Test, Judge<Sequence>)] = tests! {
    "R3" "removed-pod-does-not-run-again" "all requests about a pod"
        => "a new id for every sandbox", ids_are_not_reused;
    "O1" "run-comes-first" "all requests about a pod"
        => "RunPodSandbox before every other event of the pod", run_comes_first;
    "O4" "pod-events-in-order" "all requests about a pod"
        => "RunPodSandbox once, then StopPodSandbox, then RemovePodSandbox once", pod_events_in_order;
    "O8" "nothing-after-removal" "all requests about a pod"
        => "no event of a pod or its containers after RemovePodSandbox", nothing_after_removal;
    "C1" "every-container-in-order" "all requests about a container"
        => "CreateContainer, StartContainer, StopContainer, RemoveContainer, once each, with the same pod",
        container_events_in_order;
    "C5" "post-events-in-order" "all requests about a pod or container"
        => "each Post event once, after the answers to its event and before the next event", posts_in_order;
    "Y3" "synchronized-once" "a registration"
        => "Synchronize once, before the first event", synchronized_once;
    "Y4" "configured-once" "a registration"
        => "Configure once, before Synchronize and the first event", configured_once;
};

/// Judges the events of each pod or container. `check` returns false if there was nothing to judge.
fn judge<'a>(
    groups: Groups<'a>,
    check: impl Fn(&'a str, &[&'a Arrival]) -> Result<bool, Shape>,
) -> Ended {
    let mut judged = false;
    for ((kind, id), arrivals) in groups {
        judged |= check(id, &arrivals).map_err(|shape| {
            let events =
                arrivals.iter().take(12).map(ToString::to_string).collect::<Vec<_>>().join(", ");
            Stop::Fail(format!("{kind} {id}: {shape}, in {events}"), Some(shape))
        })?;
    }
    passed(judged)
}

/// Returns the number of times that an event arrived.
fn times(arrivals: &[&Arrival], hook: Hook) -> usize {
    arrivals.iter().filter(|arrival| arrival.hook == hook).count()
}

/// Y4: Configure is the first request.
pub(super) fn configured_once(sequence: &Sequence) -> Ended {
    once(sequence.arrivals.iter().collect(), Hook::Configure)
}

/// Y3: Synchronize is the first request after Configure, whose place Y4 judges.
pub(super) fn synchronized_once(sequence: &Sequence) -> Ended {
    let arrivals = sequence.arrivals.iter().filter(|arrival| arrival.hook != Hook::Configure);
    once(arrivals.collect(), Hook::Synchronize)
}

/// Returns a violation unless the first request, and no other, is this one.
fn once(arrivals: Vec<&Arrival>, hook: Hook) -> Ended {
    let Some(first) = arrivals.first() else {
        return passed(false);
    };
    let shape = match times(&arrivals, hook) {
        1 if first.hook == hook => return Ok(()),
        1 => Shape::new(hook, 1, first.hook),
        times => Shape::new(hook, times, After::Registration),
    };
    Err(Stop::Fail(shape.to_string(), Some(shape)))
}

/// O1: CreateContainer shows that RunPodSandbox has succeeded, so that its event arrived before.
fn run_comes_first(sequence: &Sequence) -> Ended {
    if !sequence.receives(Hook::RUN_POD) {
        return passed(false);
    }
    judge(sequence.pods_with_containers(), |pod, arrivals| {
        let first = |hook| arrivals.iter().position(|arrival| arrival.hook == hook);
        let (run, create) = (first(Hook::RUN_POD), first(Hook::CREATE));
        let is_early = create.is_some_and(|create| run.is_none_or(|run| create < run));
        if is_early && !sequence.known.contains(pod) {
            return Err(Shape::new(Hook::CREATE, 1, After::Nothing));
        }
        Ok(run.is_some())
    })
}

/// O4: RunPodSandbox once, then StopPodSandbox, then RemovePodSandbox once.
fn pod_events_in_order(sequence: &Sequence) -> Ended {
    let stops = sequence.receives(Hook::STOP_POD);
    judge(sequence.pods(), |_, arrivals| {
        let hooks = life_of_pod(arrivals.iter().copied());
        lives(&hooks).try_for_each(|hooks| in_order(hooks, stops))?;
        Ok(hooks.len() > 1)
    })
}

/// Returns false if the events of a pod break O4.
pub(super) fn is_in_order<'a>(arrivals: impl Iterator<Item = &'a Arrival>) -> bool {
    let hooks = life_of_pod(arrivals);
    lives(&hooks).all(|hooks| in_order(hooks, true).is_ok())
}

/// R3: a pod that was removed does not run again.
fn ids_are_not_reused(sequence: &Sequence) -> Ended {
    judge(sequence.pods(), |_, arrivals| {
        let hooks = life_of_pod(arrivals.iter().copied());
        if lives(&hooks).count() > 1 {
            return Err(Shape::new(Hook::RUN_POD, 1, Hook::REMOVE_POD));
        }
        Ok(hooks.contains(&Hook::REMOVE_POD))
    })
}

/// O8: no event of a container, and no update, after RemovePodSandbox.
fn nothing_after_removal(sequence: &Sequence) -> Ended {
    judge(sequence.pods_with_containers(), |_, arrivals| {
        let mut removed = false;
        for arrival in arrivals {
            if arrival.hook == Hook::REMOVE_POD {
                removed = true;
            } else if arrival.hook == Hook::RUN_POD {
                // R3 is broken: the id is used again.
                removed = false;
            } else if arrival.hook != Hook::STOP_POD && removed {
                return Err(Shape::new(arrival.hook, 1, Hook::REMOVE_POD));
            }
        }
        Ok(times(arrivals, Hook::REMOVE_POD) > 0)
    })
}

fn life_of_pod<'a>(arrivals: impl Iterator<Item = &'a Arrival>) -> Vec<Hook> {
    arrivals.map(|arrival| arrival.hook).filter(|hook| hook.is_life_of_pod()).collect()
}

/// Splits the events of a pod where RunPodSandbox follows RemovePodSandbox: R3 forbids that, and
/// the rest is another life.
fn lives(hooks: &[Hook]) -> impl Iterator<Item = &[Hook]> {
    hooks.chunk_by(|earlier, later| (*earlier, *later) != (Hook::REMOVE_POD, Hook::RUN_POD))
}

/// Checks one life, of which the beginning or the end may be missing.
fn in_order(hooks: &[Hook], stops: bool) -> Result<(), Shape> {
    let times = |wanted: Hook| hooks.iter().filter(|hook| **hook == wanted).count();
    for (&earlier, &later) in hooks.iter().zip(hooks.iter().skip(1)) {
        if later == Hook::RUN_POD || earlier == Hook::REMOVE_POD {
            return Err(Shape::new(later, times(later), earlier));
        }
        if stops && (earlier, later) == (Hook::RUN_POD, Hook::REMOVE_POD) {
            return Err(Shape::new(Hook::STOP_POD, 0, Hook::RUN_POD));
        }
    }
    Ok(())
}

/// C1 for every container.
fn container_events_in_order(sequence: &Sequence) -> Ended {
    let removed: BTreeSet<&str> = sequence
        .arrivals
        .iter()
        .filter(|event| event.hook == Hook::REMOVE_POD)
        .map(|event| event.pod.as_str())
        .collect();
    judge(sequence.containers(), |container, arrivals| {
        let known = sequence.known.contains(container);
        one_pod(arrivals)?;
        stages_in_order(arrivals)?;
        complete(sequence, arrivals, known)?;
        let mut pods = arrivals.iter().map(|arrival| arrival.pod.as_str());
        if pods.any(|pod| removed.contains(pod)) {
            is_removed(sequence, arrivals)?;
        }
        Ok(true)
    })
}

/// Returns the shape of an event that names another pod than the container does, or than earlier
/// events do.
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
fn stages_in_order(arrivals: &[&Arrival]) -> Result<(), Shape> {
    let stages = [Hook::CREATE, Hook::START, Hook::STOP, Hook::REMOVE];
    let stage = |hook: &Hook| stages.iter().position(|stage| stage == hook);
    let hooks: Vec<Hook> =
        arrivals.iter().map(|arrival| arrival.hook).filter(|hook| stage(hook).is_some()).collect();
    for (earlier, later) in hooks.iter().zip(hooks.iter().skip(1)) {
        if stage(later) <= stage(earlier) {
            return Err(Shape::new(*later, times(arrivals, *later), *earlier));
        }
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

/// Returns the shape of a container that remains after its pod was removed.
fn is_removed(sequence: &Sequence, arrivals: &[&Arrival]) -> Result<(), Shape> {
    let has = |hook| times(arrivals, hook) > 0;
    if sequence.receives(Hook::REMOVE) && has(Hook::POST_CREATE) && !has(Hook::REMOVE) {
        return Err(Shape::new(Hook::REMOVE, 0, Hook::REMOVE_POD));
    }
    Ok(())
}

/// C5 for every pod and container.
fn posts_in_order(sequence: &Sequence) -> Ended {
    let mut subjects = sequence.pods();
    subjects.append(&mut sequence.containers());
    judge(subjects, |subject, arrivals| {
        let mut judged = false;
        for post in Hook::all().filter_map(|hook| Post::of(sequence, subject, hook)) {
            judged |= times(arrivals, post.hook) > 0;
            post.check(arrivals)?;
        }
        Ok(judged)
    })
}

/// An event after the fact of one pod or container.
struct Post {
    hook: Hook,
    /// The event that it follows.
    follows: Hook,
    /// True if the plugin knows the pod or container from Synchronize, so that it may have missed
    /// the event.
    known: bool,
    /// True if all requests about the container succeeded, and it does not end by itself.
    undisturbed: bool,
}

impl Post {
    /// Returns `None` if the event does not follow another one, or if the plugin does not receive
    /// both.
    fn of(sequence: &Sequence, subject: &str, hook: Hook) -> Option<Post> {
        let follows = hook.follows()?;
        let both = sequence.receives(hook) && sequence.receives(follows);
        both.then(|| Post {
            hook,
            follows,
            known: sequence.known.contains(subject),
            undisturbed: sequence.undisturbed.contains(subject),
        })
    }

    fn check(&self, arrivals: &[&Arrival]) -> Result<(), Shape> {
        let first = arrivals.iter().position(|one| one.hook == self.follows);
        let (before, after) = arrivals.split_at(first.unwrap_or(arrivals.len()));
        self.check_before(before, first.is_some())?;
        if self.is_once() {
            return self.check_one(after);
        }
        let mut events = after.chunk_by(|_, later| later.hook != self.follows);
        events.try_for_each(|event| self.check_one(event))
    }

    /// Returns true if the event happens once in the life of a container; C1 is broken if it is
    /// repeated.
    fn is_once(&self) -> bool {
        self.follows.is_life_of_container()
    }

    /// Checks what arrived before the first event that has a Post event.
    fn check_before(&self, before: &[&Arrival], comes: bool) -> Result<(), Shape> {
        let Some(position) = before.iter().position(|one| one.hook == self.hook) else {
            return Ok(());
        };
        match (self.known, comes) {
            (true, _) => Ok(()),
            (false, true) => Err(self.shape(1, before[..position].last())),
            // C1 is broken: the event is missing.
            (false, false) if self.is_once() => Ok(()),
            (false, false) => Err(Shape::new(self.follows, 0, After::Nothing)),
        }
    }

    /// Checks one event, which comes first, and everything up to the next one.
    fn check_one(&self, arrivals: &[&Arrival]) -> Result<(), Shape> {
        let Some((event, rest)) = arrivals.split_first() else {
            return Ok(());
        };
        let posts = times(rest, self.hook);
        let position = rest.iter().position(|one| one.hook == self.hook);
        match position {
            None if self.is_due(rest) => Err(self.shape(0, Some(event))),
            None => Ok(()),
            Some(_) if posts > 1 => Err(self.shape(posts, Some(event))),
            Some(position) => self.check_post(event, &rest[..position], rest[position]),
        }
    }

    /// Returns true if a Post event must have arrived, because its request has succeeded.
    fn is_due(&self, later: &[&Arrival]) -> bool {
        let used = later
            .iter()
            .any(|one| matches!(one.hook, Hook::START | Hook::POST_START | Hook::UPDATE));
        self.undisturbed || (self.hook == Hook::POST_CREATE && used)
    }

    fn check_post(
        &self,
        event: &Arrival,
        between: &[&Arrival],
        post: &Arrival,
    ) -> Result<(), Shape> {
        let overtaken = between.iter().find(|one| !self.may_overtake(one.hook));
        if overtaken.is_some() {
            return Err(self.shape(1, overtaken));
        }
        match event.answered {
            Some(answered) if answered > post.at => Err(self.shape(1, Some(&event))),
            Some(_) | None => Ok(()),
        }
    }

    /// Returns true for an event that may arrive between the event and its Post event.
    fn may_overtake(&self, hook: Hook) -> bool {
        let ended_by_itself = hook == Hook::STOP && !self.undisturbed;
        ended_by_itself || (hook == self.follows && self.is_once())
    }

    fn shape(&self, times: usize, earlier: Option<&&Arrival>) -> Shape {
        Shape::new(self.hook, times, earlier.map(|earlier| earlier.hook))
    }
}
