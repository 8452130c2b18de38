//! The misbehaviour of an observer.

use std::time::Duration;

use crate::runtime::event::Hook;

/// The actions of an observer, by hook.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    actions: Vec<(Hook, Action)>,
}

/// An action during a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Inspects the pod.
    Look,
    /// Inspects the pod, waits, and inspects it again.
    Watch(Duration),
    /// Waits.
    Hold(Duration),
    /// Tries to start a container in the pod before the hook returns.
    StartWorkload,
    /// Returns an error, the first time only.
    FailOnce,
    /// Returns an error.
    Fail,
    /// Does not answer until some time after the deadline of the runtime.
    Hang,
}

impl Script {
    /// Adds an action.
    pub(crate) fn on(mut self, hook: Hook, action: Action) -> Script {
        self.actions.push((hook, action));
        self
    }

    /// Returns the action during a hook.
    pub(super) fn action(&self, hook: Hook) -> Option<Action> {
        let mut actions = self.actions.iter();
        actions
            .find(|(scripted, _)| *scripted == hook)
            .map(|(_, action)| *action)
    }
}
