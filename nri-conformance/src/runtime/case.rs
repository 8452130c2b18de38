//! The events and requests of one pod.

use std::sync::Arc;

use super::drive::{Call, Request};
use super::event::Hook;
use super::judgement::{Ended, skip};
use super::observer::{LAST, Record, RecordedEvent, View, WATCHING};
use crate::result::Outcome;

/// One pod, with everything that was recorded about it.
#[derive(Clone, Debug)]
pub(super) struct PodCase {
    pub(super) id: String,
    pub(super) record: Arc<Record>,
    /// The requests of the driver; empty for pods of others.
    pub(super) calls: Arc<Vec<Call>>,
}

impl PodCase {
    /// Returns the first event of a kind that the last plugin received.
    pub(super) fn event(&self, hook: Hook) -> Option<&RecordedEvent> {
        self.record.first(LAST.name, &self.id, hook)
    }

    /// Returns the first event of a kind that each plugin received.
    pub(super) fn events(&self, hook: Hook) -> impl Iterator<Item = &RecordedEvent> {
        WATCHING
            .into_iter()
            .filter_map(move |observer| self.record.first(observer, &self.id, hook))
    }

    /// Returns the state of the pod at the beginning of a hook.
    ///
    /// # Errors
    ///
    /// Returns a skip if the event did not arrive.
    pub(super) fn view(&self, hook: Hook) -> Ended<&View> {
        self.event(hook)
            .and_then(|entry| entry.views.first())
            .ok_or_else(|| absent(hook))
    }

    /// Returns the state of the pod at the beginning and at the end of a hook.
    ///
    /// # Errors
    ///
    /// Returns a skip if the event did not arrive, or if its hook was not held.
    pub(super) fn views(&self, hook: Hook) -> Ended<(&View, &View)> {
        let entry = self.event(hook).ok_or_else(|| absent(hook))?;
        match entry.views.as_slice() {
            [before, after] => Ok((before, after)),
            _ => skip(format!("the {hook} hooks of pods of others are not held")),
        }
    }

    /// Returns the first request of a kind about the pod.
    pub(super) fn request(&self, request: Request) -> Option<&Call> {
        let mut calls = self.calls.iter();
        calls.find(|call| call.request == request && call.subject() == self.id)
    }
}

/// Returns the skip of a test that needs an event which did not arrive.
pub(super) fn missing<T>(hook: Hook) -> Ended<T> {
    Err(absent(hook))
}

fn absent(hook: Hook) -> Outcome {
    let about = match hook {
        Hook::RUN_POD => "O1",
        Hook::STOP_POD => "O2",
        Hook::REMOVE_POD => "O3",
        Hook::UPDATE_POD => "O8",
        Hook::Configure => "Y4",
        Hook::Synchronize => "Y1",
        Hook::Event(_) if hook.follows().is_some() => "C5",
        Hook::Event(_) => "C1",
    };
    Outcome::Skip(format!("no {hook} event arrived, see {about}"))
}
