//! Decides how a failing plugin affects a request.

use std::sync::Arc;

use nri::__private::EventKind;
use nri::api::Event;
use nri::wire::CallError;

use super::core::Core;
use super::exchange::is_unimplemented;
use super::member::Member;
use super::outcome::{Outcome, OutcomeResult, Reason, RequestError};
use super::policy::OnError;
use super::revision::rpc_of;

/// The consequences of an error.
struct Verdict {
    result: OutcomeResult,
    /// True if the request fails.
    fails: bool,
    /// True if the plugin is disconnected.
    disconnects: bool,
}

/// Applies the policies to an error of an exchange: logs it, completes the outcome, disconnects the plugin.
/// Returns the error of the request if it fails.
pub(super) fn assess(
    core: &Core,
    member: &Member,
    error: &CallError,
    outcome: &mut Outcome,
) -> Option<RequestError> {
    let event = outcome.event;
    let verdict = core.judge(member, event, error);
    let plugin = &member.full_name;
    let rpc = rpc_of(event).map_or("unknown", |rpc| rpc.name);
    outcome.result = verdict.result;
    outcome.error = Some(error.to_string());
    let duration = outcome.duration;
    if verdict.disconnects {
        tracing::error!(
            ?duration,
            "closing plugin {plugin}, failed to handle {rpc} request: {error}"
        );
        core.disconnect(member);
    } else if !verdict.fails {
        tracing::warn!(
            ?duration,
            "plugin {plugin} failed to handle {rpc} request, proceeding without it: {error}"
        );
    }
    verdict.fails.then(|| {
        let is_too_large = matches!(error, CallError::TooLarge { .. });
        let reason = if is_too_large {
            Reason::TooLarge
        } else if verdict.result == OutcomeResult::Failed {
            Reason::PluginError
        } else {
            Reason::NoAnswer
        };
        let message = format!("plugin {plugin} failed to handle {rpc} request: {error}");
        RequestError::new(reason, Some(Arc::clone(plugin)), message)
    })
}

impl Core {
    /// Judges an error in an exchange with a plugin.
    fn judge(&self, member: &Member, event: Event, error: &CallError) -> Verdict {
        match error {
            CallError::Status(status) if is_unimplemented(status) => {
                returned(self.absence_fails(member, event))
            }
            CallError::Status(_) | CallError::TooLarge { .. } | CallError::Unreadable(_) => {
                returned(self.error_fails(member, event))
            }
            CallError::Timeout(_) => Verdict {
                result: OutcomeResult::TimedOut,
                fails: self.silence_fails(member, event),
                disconnects: !self.is_kept(member),
            },
            CallError::Closed | CallError::Protocol(_) => Verdict {
                result: OutcomeResult::Disconnected,
                fails: self.silence_fails(member, event),
                disconnects: true,
            },
        }
    }

    /// Returns whether an error that a plugin returns, or an answer that cannot be used, fails the request.
    pub(super) fn error_fails(&self, member: &Member, event: Event) -> bool {
        let by_default = match EventKind::of(event) {
            EventKind::Consent => OnError::Fail,
            EventKind::Report => OnError::Ignore,
            EventKind::Stop | EventKind::Removal => return false,
        };
        self.rule(member, event).unwrap_or(by_default) != OnError::Ignore
    }

    /// Returns whether a plugin that is gone before the request reaches it fails the request.
    pub(super) fn absence_fails(&self, member: &Member, event: Event) -> bool {
        let required = self.rule(member, event) == Some(OnError::Required);
        required && !EventKind::of(event).is_teardown()
    }

    /// Returns whether a plugin that does not answer fails the request.
    fn silence_fails(&self, member: &Member, event: Event) -> bool {
        if EventKind::of(event).is_teardown() {
            return false;
        }
        match self.rule(member, event) {
            Some(OnError::Required) => true,
            Some(OnError::Ignore) => false,
            // A validator that does not answer has not accepted.
            Some(OnError::Fail) | None => {
                event == Event::ValidateContainerAdjustment || member.failure_policy.fail_request
            }
        }
    }

    /// Counts a timeout. Returns whether the plugin stays connected nevertheless.
    fn is_kept(&self, member: &Member) -> bool {
        let timeouts = member.count_timeout();
        member.failure_policy.keep_connected || timeouts <= self.policy.kept_timeouts
    }

    fn rule(&self, member: &Member, event: Event) -> Option<OnError> {
        self.policy.of(&member.id, event)
    }
}

fn returned(fails: bool) -> Verdict {
    Verdict {
        result: OutcomeResult::of_error(fails),
        fails,
        disconnects: false,
    }
}
