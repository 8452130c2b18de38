//! C5: the events after the fact.

use super::{passed, violation};
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Cause, Ended, Shape, Stop};
use crate::runtime::sequence::{Arrival, Sequence};

/// C5 for every pod and container.
pub(super) fn posts_in_order(sequence: &Sequence) -> Ended {
    let mut judged = false;
    let (pods, containers) = (sequence.by_pod(), sequence.by_container());
    for (subject, arrivals) in pods.iter().chain(&containers) {
        let posts = Hook::all().filter_map(|hook| Post::of(sequence, subject, hook));
        for post in posts {
            judged |= arrivals.iter().any(|arrival| arrival.hook == post.hook);
            let checked = post.check(arrivals);
            checked.map_err(|shape| broken(subject, arrivals, shape))?;
        }
    }
    passed(judged)
}

/// An event after the fact of one pod or container.
struct Post {
    hook: Hook,
    /// The event that it follows.
    follows: Hook,
    /// True if the plugin knows the pod or container from Synchronize, so that it may have missed the event.
    known: bool,
    /// True if all requests about the container succeeded, and it does not end by itself.
    undisturbed: bool,
}

impl Post {
    /// Returns `None` if the event does not follow another one, or if the plugin does not receive both.
    fn of(sequence: &Sequence, subject: &str, hook: Hook) -> Option<Post> {
        let follows = hook.follows()?;
        let both = sequence.receives(hook) && sequence.receives(follows);
        both.then(|| Post {
            hook,
            follows,
            known: sequence.known_containers.contains(subject)
                || sequence.known_pods.contains(subject),
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

    /// Returns true if the event happens once in the life of a container; C1 is broken if it is repeated.
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
            (false, false) => Err(Shape::caused(self.follows, 0, Cause::Nothing)),
        }
    }

    /// Checks one event, which comes first, and everything up to the next one.
    fn check_one(&self, arrivals: &[&Arrival]) -> Result<(), Shape> {
        let Some((event, rest)) = arrivals.split_first() else {
            return Ok(());
        };
        let posts = rest.iter().filter(|one| one.hook == self.hook).count();
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
        Shape::following(self.hook, times, earlier.map(|earlier| earlier.hook))
    }
}

fn broken(subject: &str, arrivals: &[&Arrival], shape: Shape) -> Stop {
    let names = arrivals.iter().take(12);
    let names: Vec<String> = names.map(|arrival| arrival.hook.to_string()).collect();
    violation(
        subject,
        format!("{shape}, in {}", names.join(", ")),
        "each Post event once, after the answers to its event and before the next event",
        shape,
    )
}
