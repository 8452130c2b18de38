//! The requests that a plugin answers before events: Configure hands it its configuration and takes its subscription,
//! Synchronize shows it what exists, in as many messages as it takes.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use bytes::Bytes;
use nri::codec::Message as _;

use nri::api::{
    ConfigureRequest, ConfigureResponse, ContainerUpdate, EventMask, FailurePolicy,
    SynchronizeResponse,
};
use nri::wire::{CallError, Code, MAX_MESSAGE};
use nri::{Error, ErrorKind, Result};

use super::core::Core;
use super::member::{Link, Member};
use super::state::{State, entries, mark, split};

/// A part of so few pods and containers is not split any further, as in the
/// [reference](https://github.com/containerd/nri/blob/v0.12.5/pkg/adaptation/plugin.go).
const MIN_ENTRIES: usize = 8;

const METHOD: &str = "Synchronize";

/// A plugin's answer to Configure.
#[derive(Debug)]
pub(super) struct Subscription {
    pub(super) events: EventMask,
    pub(super) failure_policy: FailurePolicy,
}

/// Configures a plugin.
///
/// # Errors
///
/// Returns an error if the plugin returns one or does not answer, and [`ErrorKind::Protocol`] if its event mask
/// has bits that the revision does not know.
pub(super) async fn configure(core: &Core, link: &Link, config: &str) -> Result<Subscription> {
    let request = request(core, config);
    let answer = link.call("Configure", request, core.request_timeout).await;
    let answer = answer.map_err(|error| {
        let message = format!("failed to configure plugin: {error}");
        Error::with_kind(ErrorKind::Connection, message).with_source(error)
    })?;
    let answer = ConfigureResponse::decode(answer).map_err(|error| {
        let message = format!("failed to configure plugin: unreadable answer: {error}");
        Error::with_kind(ErrorKind::Malformed, message)
    })?;
    let policy = answer
        .failure_policy
        .filter(|_| core.revision.has_failure_policy());
    Ok(Subscription {
        events: subscribed(answer.events, core.revision.events())?,
        failure_policy: policy.unwrap_or_default(),
    })
}

fn request(core: &Core, config: &str) -> Bytes {
    let millis = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    let request = ConfigureRequest {
        config: config.to_owned(),
        runtime_name: core.name.clone(),
        runtime_version: core.version.clone(),
        registration_timeout: millis(core.registration_timeout),
        request_timeout: millis(core.request_timeout),
        nri_version: core.revision.release().to_owned(),
    };
    core.revision
        .without_newer("ConfigureRequest", &request.encode_to_vec())
}

/// Checks an event mask; 0 stands for all events.
fn subscribed(mask: i32, known: EventMask) -> Result<EventMask> {
    if mask == 0 {
        return Ok(known);
    }
    let extra = mask & !known.bits();
    if extra != 0 {
        let message = format!("invalid plugin events: 0x{extra:x}");
        return Err(Error::with_kind(ErrorKind::Protocol, message));
    }
    Ok(EventMask::from_bits_truncate(mask))
}

/// Sends the state to a plugin. Returns the updates that the plugin asks for.
///
/// # Errors
///
/// Returns an error if the plugin returns one or does not answer, or if it does not understand parts.
pub(super) async fn synchronize(
    core: &Core,
    member: &Member,
    state: State,
) -> Result<Vec<ContainerUpdate>> {
    tracing::info!(
        pods = state.pods(),
        containers = state.containers(),
        "synchronizing plugin {}",
        member.full_name
    );
    let mut parts = parts(core, state);
    let splits = core.revision.splits_synchronize();
    let mut limit = MAX_MESSAGE;
    while let Some(mut part) = parts.pop_front() {
        if splits && part.len() > limit && entries(&part) > MIN_ENTRIES {
            halve(part, &mut parts);
            continue;
        }
        let more = !parts.is_empty();
        let unmarked = part.len();
        if more {
            mark(&mut part);
        }
        let message = Bytes::from(part);
        match send(core, member, message.clone()).await {
            Ok(answer) if !more && answer.more => {
                return Err(failed(
                    "plugin waits for more pods and containers after the last part of Synchronize"
                        .to_owned(),
                ));
            }
            Ok(answer) if !more => return Ok(answer.update),
            Ok(answer) if answer.more && answer.update.is_empty() => {}
            Ok(_) => {
                return Err(failed(
                    "plugin does not handle split sync requests".to_owned(),
                ));
            }
            Err(error) if splits && is_too_large(&error) => {
                if entries(&message[..unmarked]) <= MIN_ENTRIES {
                    let message =
                        format!("failed to synchronize plugin with split messages: {error}");
                    return Err(failed(message).with_source(error));
                }
                let mut part = Vec::from(message);
                part.truncate(unmarked);
                tracing::debug!("oversized message, retrying in smaller parts");
                limit = part.len() / 2 + 1;
                halve(part, &mut parts);
            }
            Err(error) => {
                let message = format!("failed to synchronize plugin: {error}");
                return Err(failed(message).with_source(error));
            }
        }
    }
    Ok(Vec::new())
}

/// Returns the parts to send: those of the state, or all in one if the revision knows no parts.
fn parts(core: &Core, state: State) -> VecDeque<Vec<u8>> {
    let parts = state.into_parts();
    if !core.revision.lacks_fields() {
        return parts.into();
    }
    let older = |part: Vec<u8>| Vec::from(core.revision.without_newer("SynchronizeRequest", &part));
    let parts: Vec<_> = parts.into_iter().map(older).collect();
    if core.revision.splits_synchronize() {
        parts.into()
    } else {
        [parts.concat()].into()
    }
}

fn halve(part: Vec<u8>, parts: &mut VecDeque<Vec<u8>>) {
    let (first, second) = split(part);
    if !second.is_empty() {
        parts.push_front(second);
    }
    parts.push_front(first);
}

async fn send(
    core: &Core,
    member: &Member,
    part: Bytes,
) -> std::result::Result<SynchronizeResponse, CallError> {
    let start = Instant::now();
    let within = core.request_timeout;
    let sent = member.link.call(METHOD, part, within).await;
    let answer = sent.and_then(|answer| {
        SynchronizeResponse::decode(answer)
            .map_err(|error| CallError::Unreadable(error.to_string()))
    });
    let name = &*member.full_name;
    core.metrics.latency(name, METHOD, start.elapsed());
    core.metrics.invocation(name, METHOD, answer.as_ref().err());
    if let Ok(answer) = &answer {
        core.metrics
            .adjustments(name, METHOD, None, answer.update.len(), 0);
    }
    answer
}

fn is_too_large(error: &CallError) -> bool {
    error.code() == Code::RESOURCE_EXHAUSTED
}

fn failed(message: String) -> Error {
    Error::with_kind(ErrorKind::Protocol, message)
}
