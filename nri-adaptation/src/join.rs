//! Adds a plugin without losing an event: synchronizes it, then delivers the events that occurred meanwhile.

use std::sync::Arc;
use std::time::Duration;

use nri::api::ContainerUpdate;
use nri::{Error, ErrorKind, Result};

use super::callbacks::{Origin, Requested};
use super::core::Core;
use super::exchange::exchange;
use super::handshake::synchronize;
use super::judge::assess;
use super::member::{Member, Queued};
use super::outcome::{Delivery, Outcome};
use super::state::State;

/// The time to wait for relays that began before the plugin joined. They end on their own, unless a caller
/// stops polling one.
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
    let Queued {
        mut message,
        waiting,
    } = queued;
    let delivery = exchange(core, member, &mut message, None).await;
    let unheard = match waiting {
        Some(waiting) => waiting.send(delivery).err(),
        None => Some(delivery),
    };
    if let Some(delivery) = unheard {
        let outcome = late(core, member, delivery);
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
    let requested = Requested::new(member.id.clone(), Origin::Synchronize, updates, Vec::new());
    match Arc::clone(&core.callbacks)
        .update_containers(requested)
        .await
    {
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
