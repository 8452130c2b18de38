//! A plugin that is registered and configured, its connection, and the events that occur while it
//! synchronizes.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as AsyncMutex, MutexGuard as AsyncMutexGuard, oneshot};
use tokio::task::AbortHandle;

use nri::__private::Direct;
use nri::api::{Event, EventMask, FailurePolicy};
use nri::wire::Caller;

use nri::PluginId;

use super::identity::Registration;
use super::message::{Content, Message};
use super::outcome::Delivery;

/// A plugin that takes part in requests.
pub(super) struct Member {
    pub(super) id: PluginId,
    /// Index and name, such as `10-logger`.
    pub(super) full_name: Arc<str>,
    /// The release that it was built with, or empty.
    pub(super) nri_version: String,
    pub(super) events: EventMask,
    pub(super) failure_policy: FailurePolicy,
    /// Calls the plugin. Every call fails when the connection has ended.
    pub(super) caller: Caller,
    /// The task that serves the connection.
    task: AbortHandle,
    /// A plugin in this process, which gets requests without the connection.
    pub(super) direct: Option<Arc<dyn Direct>>,
    turn: AsyncMutex<()>,
    /// The number of events that are queued at most.
    queue_limit: usize,
    stage: Mutex<Stage>,
    /// True if the stage is [`Stage::Ready`], readable without the lock.
    ready: AtomicBool,
    lacking: AtomicI32,
    breaking: AtomicI32,
    timeouts: AtomicU32,
}

/// An event, and the caller that waits for its answer.
#[derive(Debug)]
pub(super) struct Queued {
    pub(super) message: Message,
    pub(super) waiting: Option<oneshot::Sender<Delivery>>,
}

/// The way in which an event reaches a plugin.
#[derive(Debug)]
pub(super) enum Admission {
    /// The caller sends it.
    Direct,
    /// It is queued, and the answer arrives here.
    Waiting(oneshot::Receiver<Delivery>),
    /// It is queued, and no caller waits.
    Queued,
    /// The queue is full: the plugin cannot get a complete picture any more.
    Full(usize),
    /// The plugin is gone.
    Closed,
}

enum Stage {
    /// The plugin synchronizes, or gets the events that occurred meanwhile, in order.
    Synchronizing(VecDeque<Queued>),
    /// The plugin gets requests directly.
    Ready,
    /// The connection is closed.
    Closed,
}

impl Member {
    pub(super) fn new(
        Registration { id, nri_version }: Registration,
        events: EventMask,
        failure_policy: FailurePolicy,
        caller: Caller,
        task: AbortHandle,
        direct: Option<Arc<dyn Direct>>,
        queue_limit: usize,
    ) -> Self {
        Member {
            full_name: id.to_string().into(),
            id,
            nri_version,
            events,
            failure_policy,
            caller,
            task,
            direct,
            turn: AsyncMutex::default(),
            queue_limit,
            stage: Mutex::new(Stage::Synchronizing(VecDeque::new())),
            ready: AtomicBool::new(false),
            lacking: AtomicI32::new(0),
            breaking: AtomicI32::new(0),
            timeouts: AtomicU32::new(0),
        }
    }

    /// Returns true if both are the same connection of a plugin.
    pub(super) fn is(&self, other: &Member) -> bool {
        std::ptr::eq(self, other)
    }

    /// Waits until the plugin has no other request.
    pub(super) async fn turn(&self) -> AsyncMutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// Decides how an event gets to the plugin now. `waits` says whether the caller needs the
    /// answer.
    pub(super) fn admit(
        &self,
        message: &mut Message,
        content: &Content<'_>,
        waits: bool,
    ) -> Admission {
        if self.is_ready() && !self.caller.is_closed() {
            return Admission::Direct;
        }
        match &mut *self.stage() {
            Stage::Ready if self.caller.is_closed() => Admission::Closed,
            Stage::Ready => Admission::Direct,
            Stage::Closed => Admission::Closed,
            Stage::Synchronizing(queue) if queue.len() >= self.queue_limit => {
                Admission::Full(self.queue_limit)
            }
            Stage::Synchronizing(queue) => {
                message.encode(content);
                let (sender, receiver) = oneshot::channel();
                queue.push_back(Queued {
                    message: message.clone(),
                    waiting: waits.then_some(sender),
                });
                if waits { Admission::Waiting(receiver) } else { Admission::Queued }
            }
        }
    }

    /// Returns the oldest event that came up while the plugin synchronized. When there is none
    /// left, requests reach the plugin directly from then on.
    pub(super) fn next_queued(&self) -> Option<Queued> {
        let mut stage = self.stage();
        let Stage::Synchronizing(queue) = &mut *stage else {
            return None;
        };
        let next = queue.pop_front();
        if next.is_none() {
            *stage = Stage::Ready;
            self.ready.store(true, Ordering::Release);
        }
        next
    }

    pub(super) fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }

    /// Closes the connection. Queued events are dropped.
    pub(super) fn close(&self) {
        *self.stage() = Stage::Closed;
        self.ready.store(false, Ordering::Release);
        self.task.abort();
    }

    /// Remembers that the plugin answered UNIMPLEMENTED to a dedicated RPC. Like the reference
    /// runtime, this one takes it for an old plugin then, and sends all events that StateChange
    /// carries as StateChange.
    pub(super) fn set_old(&self) {
        self.lacking.store(!0, Ordering::Relaxed);
    }

    /// Remembers that the plugin lacks the dedicated RPC of an event, but does not say so in a way
    /// that the reference runtime understands.
    pub(super) fn set_breaking(&self, event: Event) {
        let bit = EventMask::from_event(event).bits();
        self.lacking.fetch_or(bit, Ordering::Relaxed);
        self.breaking.fetch_or(bit, Ordering::Relaxed);
    }

    pub(super) fn lacks(&self, event: Event) -> bool {
        self.lacking.load(Ordering::Relaxed) & EventMask::from_event(event).bits() != 0
    }

    pub(super) fn breaks(&self, event: Event) -> bool {
        self.breaking.load(Ordering::Relaxed) & EventMask::from_event(event).bits() != 0
    }

    /// Counts a request without an answer in time. Returns how many there were in a row.
    pub(super) fn count_timeout(&self) -> u32 {
        self.timeouts.fetch_add(1, Ordering::Relaxed).saturating_add(1)
    }

    /// Notes that the plugin answers.
    pub(super) fn reset_timeouts(&self) {
        self.timeouts.store(0, Ordering::Relaxed);
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Member").field(&self.full_name).finish()
    }
}
