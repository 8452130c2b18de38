//! The answer to Configure: the subscription and the failure policy of a plugin.

use super::mask::{Wanted, subscribe};
use super::oldest;
use crate::Result;
use crate::api::fields::FIELDS;
use crate::api::{ConfigureResponse, FailurePolicy};
use crate::context::Runtime;
use crate::plugin::Plugin;

/// Returns the answer to Configure under this runtime, and warnings about events that the runtime does not know. `chosen` is
/// the mask that the handler of Configure returned.
///
/// # Errors
///
/// Returns the errors of [`subscribe`], and of a runtime that is too old.
pub(crate) fn subscription<P: Plugin>(
    runtime: &Runtime,
    chosen: i32,
) -> Result<(ConfigureResponse, Vec<String>)> {
    let may_be_too_old = oldest::require::<P>(runtime)?;
    let wanted = Wanted {
        handled: P::EVENTS,
        required: P::POLICIES.required,
        chosen,
    };
    let subscription = subscribe(wanted, runtime)?;
    let policy = P::POLICIES.failure_policy;
    let policy_warning = policy.and_then(|policy| failure_policy_warning(policy, runtime));
    let warnings = [may_be_too_old, subscription.warning, policy_warning];
    let warnings = warnings.into_iter().flatten();
    let response = ConfigureResponse {
        events: subscription.events.bits(),
        failure_policy: policy,
    };
    Ok((response, warnings.collect()))
}

fn failure_policy_warning(policy: FailurePolicy, runtime: &Runtime) -> Option<String> {
    let since = FIELDS
        .iter()
        .find(|field| field.message == "ConfigureResponse" && field.name == "failure_policy");
    let since = since.map_or("", |field| field.since);
    let verb = match runtime.is_at_least(since) {
        Some(true) => return None,
        Some(false) => "does not know",
        None => "may not know",
    };
    let asked = [
        (policy.fail_request, "fail_request"),
        (policy.keep_connected, "keep_connected"),
    ];
    let asked: Vec<_> = asked
        .iter()
        .filter(|(asked, _)| *asked)
        .map(|(_, name)| *name)
        .collect();
    let asked = asked.join(", ");
    Some(format!(
        "{runtime} {verb} the failure policy ({asked}; since NRI {since}): a plugin that does not answer in time is \
         disconnected there, and the request goes on without it"
    ))
}
