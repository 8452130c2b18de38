//! Decides how a failing plugin affects a request.

use nri::__private::EventKind;
use nri::api::Event;
use nri::wire::CallError;

use super::core::Core;
use super::exchange::is_unimplemented;
use super::member::Member;
use super::outcome::OutcomeResult;
use super::policy::OnError;

/// The consequences of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) result: OutcomeResult,
    /// True if the request fails.
    pub(super) fails: bool,
    /// True if the plugin is disconnected.
    pub(super) disconnects: bool,
}

impl Core {
    /// Judges an error in an exchange with a plugin.
    pub(super) fn judge(&self, member: &Member, event: Event, error: &CallError) -> Verdict {
        match error {
            CallError::Status(status) if is_unimplemented(status) => {
                let required = self.rule(member, event) == Some(OnError::Required);
                self.returned(required && !EventKind::of(event).is_teardown())
            }
            CallError::Status(_) | CallError::TooLarge { .. } | CallError::Unreadable(_) => {
                self.returned(self.error_fails(member, event))
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

    fn returned(&self, fails: bool) -> Verdict {
        Verdict {
            result: if fails {
                OutcomeResult::Failed
            } else {
                OutcomeResult::Ignored
            },
            fails,
            disconnects: false,
        }
    }
}
