//! Adds a plugin without losing an event: synchronizes it, then delivers the events that occurred
//! meanwhile.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use nri::api::{ContainerUpdate, PLUGIN_SERVICE, SynchronizeResponse};
use nri::wire::{CallError, Code, MAX_MESSAGE};
use nri::{Error, ErrorKind, Result};

use super::callbacks::{Origin, Requested};
use super::core::Core;
use super::exchange::{assess, exchange};
use super::intake;
use super::member::{Member, Queued};
use super::outcome::{Delivery, Outcome};
use super::state::{State, entries, mark, split};

/// A part with this number of pods and containers or fewer is not split any further, as in the
/// [reference](https://github.com/containerd/nri/blob/v0.12.5/pkg/adaptation/plugin.go).
const MIN_ENTRIES: usize = 8;

const METHOD: &str = "Synchronize";

/// The time to wait for relays that began before the plugin joined. They end on their own, unless a
/// caller stops polling one.
const MAX_DRAIN: Duration = Duration::from_secs(60);

/// Synchronizes a plugin.
///
/// The order of the steps ensures that every event is either in the state or reaches the plugin:
///
/// 1. No [`SyncGuard`](super::SyncGuard) is held, and none is given out.
/// 2. The plugin is in the roster: events that begin now are queued for it.
/// 3. Events that began before are done.
/// 4. The runtime is asked for its state. Then guards are given out again.
/// 5. The plugin gets the state.
/// 6. The plugin gets the queued events. After the last one, events reach it directly.
///
/// # Errors
///
/// Returns an error of the runtime or the plugin. The plugin is disconnected then.
pub(super) async fn join(core: &Arc<Core>, member: &Arc<Member>) -> Result<()> {
    let leave = LeaveOnDrop(core, member);
    let state = core.sync.alone(collect(core, member)).await?;
    let updates = synchronize(core, member, state).await?;
    while let Some(queued) = member.next_queued() {
        deliver(core, member, queued).await;
    }
    if !member.is_ready() {
        let message = "connection closed after Synchronize";
        return Err(Error::with_kind(ErrorKind::Connection, message));
    }
    std::mem::forget(leave);
    core.metrics.plugin_count(core.roster.ready());
    if !updates.is_empty() {
        apply(core, member, updates).await;
    }
    Ok(())
}

/// Adds a plugin to the roster, and returns what exists.
async fn collect(core: &Core, member: &Arc<Member>) -> Result<State> {
    if !core.roster.add(member).done(MAX_DRAIN).await {
        tracing::warn!("a request has been in progress for more than {MAX_DRAIN:?}");
    }
    let mut state = State::default();
    core.callbacks.synchronize(&mut state).await?;
    Ok(state)
}

/// Takes a plugin out of the roster if joining fails or is abandoned.
struct LeaveOnDrop<'a>(&'a Core, &'a Member);

impl Drop for LeaveOnDrop<'_> {
    fn drop(&mut self) {
        self.0.disconnect(self.1);
    }
}

/// Sends a queued event.
async fn deliver(core: &Core, member: &Member, queued: Queued) {
    let Queued { mut message, waiting } = queued;
    let delivery = exchange(core, member, &mut message, None).await;
    let unheard = match waiting {
        Some(waiting) => waiting.send(delivery).err(),
        None => Some(delivery),
    };
    if let Some(unheard) = unheard {
        let outcome = late(core, member, unheard);
        core.callbacks.delivered_late(message.event, outcome);
    }
}

/// Returns the outcome of an event whose caller no longer waits.
fn late(core: &Core, member: &Member, (mut outcome, result): Delivery) -> Outcome {
    match result {
        Err(error) => drop(assess(core, member, &error, &mut outcome)),
        Ok(answer) if !answer.is_empty() => {
            let (plugin, event) = (&member.full_name, outcome.event.as_str_name());
            let reason = "the answer came too late to be used";
            tracing::warn!("plugin {plugin}, {event}: {reason}");
            outcome.error = Some(reason.to_owned());
        }
        Ok(_) => member.reset_timeouts(),
    }
    outcome
}

/// Passes the updates that a plugin requested in Synchronize to the runtime.
async fn apply(core: &Core, member: &Member, updates: Vec<ContainerUpdate>) {
    let plugin = &member.full_name;
    let requested = Requested {
        plugin: member.id.clone(),
        origin: Origin::Synchronize,
        updates,
        evictions: Vec::new(),
    };
    match core.callbacks.update_containers(requested).await {
        Ok(failed) if failed.is_empty() => {}
        Ok(failed) => tracing::warn!(
            "{} updates that plugin {plugin} asked for in Synchronize failed",
            failed.len()
        ),
        Err(error) => {
            tracing::warn!(
                "the updates that plugin {plugin} asked for in Synchronize failed: {error}"
            );
        }
    }
}

/// Sends the state to a plugin. Returns the updates that the plugin asks for.
///
/// # Errors
///
/// Returns an error if the plugin returns one or does not answer, or if it does not understand
/// parts.
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
                return Err(failed("plugin does not handle split sync requests".to_owned()));
            }
            Err(error) if splits && is_too_large(&error) => {
                if entries(&message[..unmarked]) <= MIN_ENTRIES {
                    let reason =
                        format!("failed to synchronize plugin with split messages: {error}");
                    return Err(failed(reason).with_source(error));
                }
                let mut oversized = Vec::from(message);
                oversized.truncate(unmarked);
                tracing::debug!("oversized message, retrying in smaller parts");
                limit = oversized.len() / 2 + 1;
                halve(oversized, &mut parts);
            }
            Err(error) => {
                let reason = format!("failed to synchronize plugin: {error}");
                return Err(failed(reason).with_source(error));
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
    let older: Vec<_> = parts
        .into_iter()
        .map(|part| Vec::from(core.revision.without_newer("SynchronizeRequest", &part)))
        .collect();
    if core.revision.splits_synchronize() { older.into() } else { [older.concat()].into() }
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
    let (caller, within) = (&member.caller, Some(core.request_timeout));
    let sent = caller.call(PLUGIN_SERVICE, METHOD, part, within);
    let answer = match sent.await {
        Ok(answer) => {
            let _share = core.intake.answer(&answer).await;
            let read = intake::decode::<SynchronizeResponse>(METHOD, answer).await;
            read.map_err(|status| CallError::Unreadable(status.message))
        }
        Err(error) => Err(error),
    };
    let name = &*member.full_name;
    let error = answer.as_ref().err();
    core.metrics.invocation(name, METHOD, start.elapsed(), error);
    if let Ok(answer) = &answer {
        core.metrics.adjustments(name, METHOD, None, answer.update.len(), 0);
    }
    answer
}

fn is_too_large(error: &CallError) -> bool {
    error.code() == Code::RESOURCE_EXHAUSTED
}

fn failed(message: String) -> Error {
    Error::with_kind(ErrorKind::Protocol, message)
}
