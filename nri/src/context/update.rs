//! Unsolicited updates and evictions.

use std::cell::Cell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::codec::Message;

use super::requested::{Described, Ids};
use crate::Error;
use crate::adjust::Updates;
use crate::api::{
    ContainerEviction, ContainerUpdate, UpdateContainersRequest, UpdateContainersResponse,
};
use crate::runtime_calls::{self, RuntimeRpc};
use crate::wire::{CallError, Caller, Code, TooLarge};

/// The default time to wait for the runtime. It updates one container after the other, and not
/// while it creates or stops one.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// A handle for asking the runtime to update or evict containers outside of any event, from any
/// task.
///
/// It survives reconnects: clones made before a reconnect work after it. A plugin gets it from
/// [`Stub::updater`](crate::stub::Stub::updater) or
/// [`EventContext::updater`](crate::EventContext::updater).
///
/// Do not await it in a handler: runtimes such as containerd take updates only after the event, so
/// both would wait for each other. The request fails with [`UpdateError::WithinHandler`] then. Do
/// not wait in a handler for a task that awaits it either: the handler times out, and its error
/// says that an update was waiting.
/// [`EventContext::update_later`](crate::EventContext::update_later) spawns a task that logs the
/// outcome. A plugin that needs the outcome spawns its own:
///
/// ```
/// use nri::adjust::Updates;
/// use nri::prelude::*;
/// use nri::stub::UpdateError;
///
/// fn later(cx: &EventContext, updates: Updates) {
///     let updater = cx.updater();
///     tokio::spawn(async move {
///         match updater.update(updates).await {
///             Ok(()) => {}
///             Err(UpdateError::Failed(containers)) => eprintln!("{} were not updated", containers.len()),
///             Err(error) => eprintln!("{error}"),
///         }
///     });
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # later(&EventContext::default(), Updates::default());
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Updater {
    link: Arc<Link>,
    timeout: Duration,
}

/// The current connection.
#[derive(Debug, Default)]
pub(crate) struct Link {
    caller: Mutex<Option<Caller>>,
    /// Shared with each update that the runtime has not answered.
    unanswered: Arc<()>,
}

/// The reason why containers were not updated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateError {
    /// The plugin is not connected, or lost the connection meanwhile. In the second case it is
    /// unknown whether anything was updated.
    #[error("not connected to a runtime")]
    NotConnected,
    /// The request was awaited within the handler of this event, and the runtime takes updates only
    /// after the event. Nothing was sent.
    #[error(
        "awaited within the handler of {0}, while the runtime takes updates only after the event: await it in a task of its own"
    )]
    WithinHandler(&'static str),
    /// The runtime did not answer in time, and may still update the containers.
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    /// The request is larger than the protocol allows. Nothing was sent.
    #[error(transparent)]
    TooLarge(TooLarge),
    /// The runtime rejected the whole request.
    #[error("the runtime refused: {message}")]
    Refused {
        /// The status code.
        code: Code,
        /// The reason.
        message: String,
    },
    /// The runtime did not update these containers, but updated all others.
    #[error("{} containers were not updated", .0.len())]
    Failed(Vec<ContainerUpdate>),
    /// The answer cannot be read.
    #[error("unreadable answer: {0}")]
    Unreadable(String),
}

impl Updater {
    pub(crate) fn new(link: Arc<Link>) -> Self {
        Updater { link, timeout: DEFAULT_TIMEOUT }
    }

    /// Returns the same updater with another timeout; 10 s by default.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Updates and evicts containers.
    ///
    /// # Errors
    ///
    /// Returns [`UpdateError`]. [`Failed`](UpdateError::Failed) does not list updates that have
    /// `ignore_failure` set.
    pub async fn update(&self, updates: impl Into<Updates>) -> Result<(), UpdateError> {
        let Updates { update, evict } = updates.into();
        let request = UpdateContainersRequest { update, evict }.encode_to_vec();
        if let Some(handler) = HANDLER.get() {
            return Err(UpdateError::WithinHandler(handler));
        }
        let caller = self.link.caller().ok_or(UpdateError::NotConnected)?;
        let _unanswered = Arc::clone(&self.link.unanswered);
        let answer =
            runtime_calls::call(&caller, RuntimeRpc::UpdateContainers, request, Some(self.timeout))
                .await?;
        let failed = UpdateContainersResponse::decode(answer)
            .map_err(|error| UpdateError::Unreadable(error.to_string()))?
            .failed;
        if failed.is_empty() { Ok(()) } else { Err(UpdateError::Failed(failed)) }
    }

    /// Updates and evicts containers, and logs the outcome with the containers and the event whose
    /// handler asked for it.
    pub(crate) async fn update_and_log(&self, updates: Updates, event: Option<&'static str>) {
        let described = Described::new(&updates, event);
        let count = described.count();
        match self.update(updates).await {
            Ok(()) => tracing::info!(event, count, "the runtime took the {described}"),
            Err(UpdateError::Failed(failed)) => {
                let failed = Ids::new(failed.iter().map(|it| it.container_id.as_str()));
                tracing::warn!(event, count, "not updated: {failed}, of the {described}");
            }
            Err(error) => {
                tracing::warn!(event, count, "the runtime did not take the {described}: {error}");
            }
        }
    }

    /// Evicts one container for this reason.
    ///
    /// The reference runtime (up to NRI v0.12.5) accepts the request but ignores
    /// [evictions](https://github.com/containerd/nri/blob/v0.12.5/pkg/adaptation/plugin.go).
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`update`](Self::update).
    pub async fn evict(
        &self,
        container_id: impl Into<String>,
        reason: impl Into<String>,
    ) -> Result<(), UpdateError> {
        let eviction =
            ContainerEviction { container_id: container_id.into(), reason: reason.into() };
        self.update(Updates { update: Vec::new(), evict: vec![eviction] }).await
    }
}

impl From<UpdateError> for Error {
    fn from(error: UpdateError) -> Self {
        Self::other(error)
    }
}

impl From<CallError> for UpdateError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Status(status) => {
                Self::Refused { code: status.code, message: status.message }
            }
            CallError::Closed => Self::NotConnected,
            CallError::Timeout(timeout) => Self::Timeout(timeout),
            CallError::TooLarge(error) => Self::TooLarge(error),
            CallError::Protocol(reason) | CallError::Unreadable(reason) => Self::Unreadable(reason),
        }
    }
}

impl Link {
    /// Sets the connection of a runtime that accepts calls.
    pub(crate) fn up(&self, caller: Caller) {
        *self.lock() = Some(caller);
    }

    /// Clears the connection.
    pub(crate) fn down(&self) {
        *self.lock() = None;
    }

    /// Returns true if the runtime has not answered an update.
    pub(crate) fn has_unanswered(&self) -> bool {
        Arc::strong_count(&self.unanswered) > 1
    }

    fn caller(&self) -> Option<Caller> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Caller>> {
        self.caller.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

thread_local! {
    /// The handler that this thread is polling, to detect calls that wait for the end of its event.
    static HANDLER: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Returns the event whose handler this thread runs.
pub(super) fn current_event() -> Option<&'static str> {
    HANDLER.get()
}

/// Runs work as part of the handler of an event.
pub(crate) fn within_handler<T>(event: &'static str, work: impl FnOnce() -> T) -> T {
    let _outer = Outer(HANDLER.replace(Some(event)));
    work()
}

/// The handler around this one, which the thread returns to, also after a panic.
struct Outer(Option<&'static str>);

impl Drop for Outer {
    fn drop(&mut self) {
        HANDLER.set(self.0);
    }
}
