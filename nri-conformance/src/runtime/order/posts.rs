//! C5: the events after the fact.

use super::{judge, times};
use crate::runtime::event::Hook;
use crate::runtime::judgement::{After, Ended, Shape};
use crate::runtime::sequence::{Arrival, Sequence};

/// C5 for every pod and container.
pub(super) fn in_order(sequence: &Sequence) -> Ended {
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
