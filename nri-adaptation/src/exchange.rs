//! One request to one plugin, repeated as StateChange if the plugin lacks the RPC.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use tokio::time::timeout;

use nri::plugin::Body;
use nri::wire::{CallError, Code, Status};

use super::content::Content;
use super::core::Core;
use super::member::Member;
use super::message::Message;
use super::outcome::{Delivery, Outcome, OutcomeResult};
use super::revision::Via;

/// The way a plugin reports that it lacks an RPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MissingRpc {
    /// With UNIMPLEMENTED, as the protocol demands.
    Stated,
    /// With another code, which the reference takes for a failure.
    Misstated,
}

/// Sends a request to a plugin, waits for the answer, and counts both. A message without content must have been encoded.
pub(super) async fn exchange(
    core: &Core,
    member: &Member,
    message: &mut Message,
    content: Option<Content<'_>>,
) -> Delivery {
    let start = Instant::now();
    let remembered = message.can_fall_back() && member.lacks(message.event);
    let first = if remembered {
        Via::StateChange
    } else {
        message.carrier
    };
    let name = Arc::clone(&member.full_name);
    let mut outcome = Outcome::without_call(name, message.event, OutcomeResult::Answered);
    outcome.via = Some(first);
    let mut result = call(core, member, message, content, first).await;
    let lack = match &result {
        Err(CallError::Status(status)) if message.can_fall_back() && !remembered => lack_of(status),
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
    let method = message.method(via);
    let within = core.request_timeout;
    if let Some(direct) = &member.direct {
        let body = body(core, message, content, via);
        return match timeout(within, direct.call(method, body, within)).await {
            Ok(answer) => answer.map_err(CallError::Status),
            Err(_) => Err(CallError::Timeout(within)),
        };
    }
    let payload = payload(core, message, content, via);
    let answer = member.link.call(method, payload, within).await;
    answer.map(Body::Encoded)
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
    core.metrics.latency(name, rpc, outcome.duration);
    core.metrics.invocation(name, rpc, result.as_ref().err());
    let deprecated = outcome.via == Some(Via::StateChange) && message.can_fall_back();
    let handled = match result {
        Ok(_) => true,
        Err(CallError::Status(status)) => !is_unimplemented(status),
        Err(_) => false,
    };
    if deprecated && handled {
        let (event, breaks) = (message.event, member.breaks(message.event));
        core.ledger
            .state_change(&member.id, &member.nri_version, event, rpc, breaks);
    }
}

/// Returns whether a plugin says that it has no such RPC.
pub(super) fn is_unimplemented(status: &Status) -> bool {
    lack_of(status).is_some()
}

/// Recognizes a status that stands for an unknown RPC.
///
/// The Rust `ttrpc` crate answers NOT_FOUND from the default body of a generated trait, and INVALID_ARGUMENT from
/// its synchronous server and for unknown services. Handlers use these codes as well, so the message has to name
/// the service, as those do.
fn lack_of(status: &Status) -> Option<MissingRpc> {
    match status.code {
        Code::UNIMPLEMENTED => Some(MissingRpc::Stated),
        Code::NOT_FOUND | Code::INVALID_ARGUMENT => {
            let message = status.message.to_ascii_lowercase();
            let names = message.contains("nri.pkg.api.v1alpha1.plugin");
            let phrases = [
                "is not supported",
                "does not exist",
                "not found",
                "not implemented",
                "unimplemented",
                "unknown method",
                "unknown service",
                "invalid service",
                "can not find",
                "can't find",
            ];
            let missing = phrases.iter().any(|phrase| message.contains(phrase));
            (names && missing).then_some(MissingRpc::Misstated)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_rpc_is_recognized_by_code_or_message() {
        let path = "/nri.pkg.api.v1alpha1.Plugin/RunPodSandbox";
        let (stated, misstated) = (Some(MissingRpc::Stated), Some(MissingRpc::Misstated));
        for (code, message, lack) in [
            (Code::UNIMPLEMENTED, String::new(), stated),
            (
                Code::NOT_FOUND,
                format!("{path} is not supported"),
                misstated,
            ),
            (
                Code::NOT_FOUND,
                format!("{path}/is not supported"),
                misstated,
            ),
            (
                Code::INVALID_ARGUMENT,
                format!("{path} does not exist"),
                misstated,
            ),
            (Code::NOT_FOUND, "pod not found".to_owned(), None),
            (
                Code::INVALID_ARGUMENT,
                format!("{path}: bad annotation"),
                None,
            ),
            (Code::INTERNAL, format!("{path} is not supported"), None),
        ] {
            assert_eq!(
                lack_of(&Status::new(code, &*message)),
                lack,
                "{code} {message}"
            );
        }
    }
}
