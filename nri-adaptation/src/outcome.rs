//! The outcome of a request at each plugin.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::revision::Via;
use nri::api::Event;
use nri::plugin::Body;
use nri::wire::CallError;

/// The part of a plugin in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OutcomeResult {
    /// The plugin answered.
    Answered,
    /// The plugin returned an error, or its answer could not be used, and the request failed
    /// because of it.
    Failed,
    /// The plugin returned an error, or its answer could not be used, and the request continued.
    Ignored,
    /// The plugin did not answer within the request timeout.
    TimedOut,
    /// The connection was lost before the plugin answered, or the plugin broke the protocol.
    Disconnected,
    /// The plugin did not subscribe to the event.
    NotSubscribed,
    /// The plugin is still synchronizing. The event will be delivered to it afterwards.
    Queued,
}

impl OutcomeResult {
    /// Returns the result of a plugin that returned an error, or an answer that cannot be used.
    pub(super) fn of_error(fails_request: bool) -> Self {
        if fails_request { Self::Failed } else { Self::Ignored }
    }

    /// Returns the name, in lower case and with hyphens, such as `timed-out`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Failed => "failed",
            Self::Ignored => "ignored",
            Self::TimedOut => "timed-out",
            Self::Disconnected => "disconnected",
            Self::NotSubscribed => "not-subscribed",
            Self::Queued => "queued",
        }
    }

    /// Returns true if the plugin did not handle the event as it should have: it failed, was too
    /// late, or is gone.
    pub fn is_error(self) -> bool {
        match self {
            Self::Failed | Self::Ignored | Self::TimedOut | Self::Disconnected => true,
            Self::Answered | Self::NotSubscribed | Self::Queued => false,
        }
    }
}

impl fmt::Display for OutcomeResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The outcome of a request at one plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// Index and name of the plugin, such as `10-logger`.
    pub plugin: Arc<str>,
    /// The event. It differs from that of the request for validators, which take part in
    /// CreateContainer.
    pub event: Event,
    /// The result of the plugin.
    pub result: OutcomeResult,
    /// The RPC that carried the event; `None` if nothing was sent.
    pub via: Option<Via>,
    /// True if the dedicated RPC was tried first and the plugin turned out not to implement it.
    pub fell_back: bool,
    /// The error, if any.
    pub error: Option<String>,
    /// The time from sending the request to the answer.
    pub duration: Duration,
    /// The fields of the answer that the release does not know, such as `adjust.CDI_devices`: they
    /// have no effect.
    pub ignored_fields: Vec<String>,
}

impl Outcome {
    /// Returns the outcome of a plugin that was not called, or is about to be.
    pub(super) fn without_call(plugin: Arc<str>, event: Event, result: OutcomeResult) -> Self {
        Outcome {
            plugin,
            event,
            result,
            via: None,
            fell_back: false,
            error: None,
            duration: Duration::ZERO,
            ignored_fields: Vec::new(),
        }
    }
}

/// The end of a request to a plugin: its outcome, as far as it does not depend on the result, and
/// the result.
pub(super) type Delivery = (Outcome, Result<Body, CallError>);

/// The result of a request that succeeded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Relayed<T = ()> {
    /// The merged answers of the plugins; `()` for events that have no answer.
    pub answer: T,
    /// One outcome per plugin, in the order of the calls.
    pub outcomes: Vec<Outcome>,
}

impl<T> Relayed<T> {
    /// Converts the answer.
    #[must_use]
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Relayed<U> {
        Relayed { answer: convert(self.answer), outcomes: self.outcomes }
    }
}

/// Why a request failed, with the outcomes up to then.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .0.message)]
pub struct RequestError(Box<Failure>);

#[derive(Clone, Debug)]
struct Failure {
    reason: Reason,
    plugin: Option<Arc<str>>,
    message: String,
    outcomes: Vec<Outcome>,
    rollback: Vec<Outcome>,
}

/// The kind of a [`RequestError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// A plugin returned an error.
    PluginError,
    /// A plugin did not answer, and its failure policy or the error policy fails the request then.
    NoAnswer,
    /// A required plugin is not connected.
    MissingPlugin,
    /// The adjustments or updates of two plugins contradict each other.
    Conflict,
    /// A validator rejected the adjustment.
    Rejected,
    /// The request does not fit into a message, by itself or with what a plugin asked for.
    TooLarge,
}

impl RequestError {
    pub(super) fn new(reason: Reason, plugin: Option<Arc<str>>, message: String) -> Self {
        RequestError(Box::new(Failure {
            reason,
            plugin,
            message,
            outcomes: Vec::new(),
            rollback: Vec::new(),
        }))
    }

    /// Returns the error for an answer that cannot be read.
    pub(super) fn unreadable(plugin: &Arc<str>, error: &dyn fmt::Display) -> Self {
        let message = format!("plugin {plugin} sent an unreadable answer: {error}");
        Self::new(Reason::PluginError, Some(Arc::clone(plugin)), message)
    }

    pub(super) fn with_outcomes(mut self, outcomes: Vec<Outcome>) -> Self {
        self.0.outcomes = outcomes;
        self
    }

    pub(super) fn with_rollback(mut self, rollback: Vec<Outcome>) -> Self {
        self.0.rollback = rollback;
        self
    }

    /// Returns the kind of failure.
    pub fn reason(&self) -> Reason {
        self.0.reason
    }

    /// Returns the plugin that failed the request, such as `10-logger`, if it was a plugin.
    pub fn plugin(&self) -> Option<&str> {
        self.0.plugin.as_deref()
    }

    /// Returns the outcomes of the plugins that were called, the failing one included.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.0.outcomes
    }

    /// Returns the outcomes of Stop and Remove at the plugins that had accepted the pod, if
    /// [rollback](super::ErrorPolicy::rollback) is on.
    pub fn rollback(&self) -> &[Outcome] {
        &self.0.rollback
    }
}
