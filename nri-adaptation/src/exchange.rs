//! One request to one plugin, repeated as StateChange if the plugin lacks the RPC, and the
//! consequences of its failure.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use tokio::time::timeout;

use nri::__private::EventKind;
use nri::api::{Event, PLUGIN_SERVICE};
use nri::plugin::{Body, MissingRpc, missing_rpc};
use nri::wire::CallError;

use super::core::Core;
use super::member::Member;
use super::message::{Content, Message};
use super::outcome::{Delivery, Outcome, OutcomeResult, Reason, RequestError};
use super::policy::OnError;
use super::revision::{Via, rpc_of};

/// Sends a request to a plugin, waits for the answer, and counts both. A message without content
/// must have been encoded.
pub(super) async fn exchange(
    core: &Core,
    member: &Member,
    message: &mut Message,
    content: Option<Content<'_>>,
) -> Delivery {
    let start = Instant::now();
    let remembered = message.can_fall_back() && member.lacks(message.event);
    let first = if remembered { Via::StateChange } else { message.carrier };
    let name = Arc::clone(&member.full_name);
    let mut outcome = Outcome::without_call(name, message.event, OutcomeResult::Answered);
    outcome.via = Some(first);
    let mut result = call(core, member, message, content, first).await;
    let lack = match &result {
        Err(CallError::Status(status)) if message.can_fall_back() && !remembered => {
            missing_rpc(status)
        }
        Ok(_) | Err(_) => None,
    };
    if let Some(lack) = lack {
        match lack {
            MissingRpc::Stated => member.set_old(),
            MissingRpc::Misstated => member.set_breaking(message.event),
        }
        outcome.via = Some(Via::StateChange);
        outcome.fell_back = true;
        result = call(core, member, message, content, Via::StateChange).await;
    }
    outcome.duration = start.elapsed();
    count(core, member, message, &outcome, &result);
    (outcome, result)
}

async fn call(
    core: &Core,
    member: &Member,
    message: &mut Message,
    content: Option<Content<'_>>,
    via: Via,
) -> Result<Body, CallError> {
    let method = via.method(message.rpc);
    let within = core.request_timeout;
    if let Some(direct) = &member.direct {
        let body = body(core, message, content, via);
        return match timeout(within, direct.call(method, body, within)).await {
            Ok(answer) => answer.map_err(CallError::Status),
            Err(_) => Err(CallError::Timeout(within)),
        };
    }
    let payload = payload(core, message, content, via);
    let caller = &member.caller;
    let answer = caller.call(PLUGIN_SERVICE, method, payload, Some(within));
    answer.await.map(Body::Encoded)
}

/// Returns a request for a plugin in the process. It is encoded if fields have to be left out.
fn body(core: &Core, message: &mut Message, content: Option<Content<'_>>, via: Via) -> Body {
    let content_as_it_is = content
        .filter(|_| via == Via::Dedicated && !core.revision.lacks_fields())
        .and_then(|content| content.message(message.event));
    match content_as_it_is {
        Some(request) => Body::Message(request),
        None => Body::Encoded(payload(core, message, content, via)),
    }
}

fn payload(core: &Core, message: &mut Message, content: Option<Content<'_>>, via: Via) -> Bytes {
    if let Some(content) = content {
        message.encode(&content);
    }
    message.payload(&core.revision, via)
}

fn count(
    core: &Core,
    member: &Member,
    message: &Message,
    outcome: &Outcome,
    result: &Result<Body, CallError>,
) {
    let (name, rpc) = (&*member.full_name, message.rpc.name);
    let error = result.as_ref().err();
    core.metrics.invocation(name, rpc, outcome.duration, error);
    let deprecated = outcome.via == Some(Via::StateChange) && message.can_fall_back();
    let handled = match result {
        Ok(_) => true,
        Err(CallError::Status(status)) => missing_rpc(status).is_none(),
        Err(_) => false,
    };
    if deprecated && handled {
        let (event, breaks) = (message.event, member.breaks(message.event));
        core.ledger.state_change(&member.id, &member.nri_version, event, rpc, breaks);
    }
}

/// The consequences of an error.
struct Verdict {
    result: OutcomeResult,
    /// True if the request fails.
    fails: bool,
    /// True if the plugin is disconnected.
    disconnects: bool,
}

/// Applies the policies to an error of an exchange: logs it, completes the outcome, disconnects the
/// plugin. Returns the error of the request if it fails.
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
            CallError::Status(status) if missing_rpc(status).is_some() => {
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

    /// Returns true if an error that a plugin returns, or an answer that cannot be used, fails the
    /// request.
    pub(super) fn error_fails(&self, member: &Member, event: Event) -> bool {
        let by_default = match EventKind::of(event) {
            EventKind::Consent => OnError::Fail,
            EventKind::Report => OnError::Ignore,
            EventKind::Stop | EventKind::Removal => return false,
        };
        self.rule(member, event).unwrap_or(by_default) != OnError::Ignore
    }

    /// Returns true if a plugin that is gone before the request reaches it fails the request.
    pub(super) fn absence_fails(&self, member: &Member, event: Event) -> bool {
        let required = self.rule(member, event) == Some(OnError::Required);
        required && !EventKind::of(event).is_teardown()
    }

    /// Returns true if a plugin that does not answer fails the request.
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

    /// Counts a timeout. Returns true if the plugin stays connected nevertheless.
    fn is_kept(&self, member: &Member) -> bool {
        let timeouts = member.count_timeout();
        member.failure_policy.keep_connected || timeouts <= self.policy.kept_timeouts
    }

    fn rule(&self, member: &Member, event: Event) -> Option<OnError> {
        self.policy.of(&member.id, event)
    }
}

fn returned(fails: bool) -> Verdict {
    Verdict { result: OutcomeResult::of_error(fails), fails, disconnects: false }
}
