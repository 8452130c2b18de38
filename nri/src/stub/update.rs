//! Updates and evictions that the plugin asks for by itself.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prost::Message;

use super::RUNTIME_SERVICE;
use crate::adjust::Changes;
use crate::api::{
    ContainerEviction, ContainerUpdate, UpdateContainersRequest, UpdateContainersResponse,
};
use crate::wire::{CallError, Caller, Code};

/// How long to wait for the runtime unless told otherwise. It updates one container after the other, and not while it
/// creates or stops one.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// Asks the runtime to update or evict containers, outside of any event, from any task.
///
/// Survives reconnects: clones made before serve after. A plugin gets it from
/// [`Stub::updater`](super::Stub::updater) or [`Context::updater`](crate::Context::updater).
///
/// Do not wait for it in a handler: runtimes answer when the event is over, so that both would wait for each other.
/// Spawn a task instead:
///
/// ```
/// use nri::adjust::Changes;
/// use nri::prelude::*;
/// use nri::stub::UpdateError;
///
/// fn later(cx: &Context, changes: Changes) {
///     let updater = cx.updater();
///     tokio::spawn(async move {
///         match updater.update(changes).await {
///             Ok(()) => {}
///             Err(UpdateError::Failed(containers)) => eprintln!("{} were not updated", containers.len()),
///             Err(error) => eprintln!("{error}"),
///         }
///     });
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # later(&Context::default(), Changes::default());
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Updater {
    link: Link,
    timeout: Duration,
}

/// The connection of the moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Link(Arc<Mutex<Option<Caller>>>);

/// Why containers were not updated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateError {
    /// The plugin is not connected, or lost the connection meanwhile: whether anything was updated is not known then.
    #[error("not connected to a runtime")]
    NotConnected,
    /// The runtime did not answer in time, and may still update the containers.
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    /// The request is larger than the protocol allows. Nothing was sent.
    #[error("request of {size} bytes, at most {max} can be sent")]
    TooLarge {
        /// Its size in bytes.
        size: usize,
        /// The most, in bytes.
        max: usize,
    },
    /// The runtime refused the request as a whole.
    #[error("the runtime refused: {message}")]
    Refused {
        /// Its status code.
        code: Code,
        /// Its reason.
        message: String,
    },
    /// The runtime did not update these; all others it did.
    #[error("{} containers were not updated", .0.len())]
    Failed(Vec<ContainerUpdate>),
    /// The answer cannot be read.
    #[error("unreadable answer: {0}")]
    Unreadable(String),
}

impl Updater {
    pub(crate) fn new(link: Link) -> Self {
        Updater {
            link,
            timeout: DEFAULT_TIMEOUT,
        }
    }

    /// The same updater with another time to wait for the runtime; 10 s unless set.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Updates and evicts containers.
    ///
    /// # Errors
    ///
    /// [`UpdateError`]; the one for single containers, [`Failed`](UpdateError::Failed), does not name those whose
    /// update has `ignore_failure` set.
    pub async fn update(&self, changes: impl Into<Changes>) -> Result<(), UpdateError> {
        let Changes { update, evict } = changes.into();
        let request = UpdateContainersRequest { update, evict }.encode_to_vec();
        let caller = self.link.caller().ok_or(UpdateError::NotConnected)?;
        let answer = caller
            .call(
                RUNTIME_SERVICE,
                "UpdateContainers",
                request,
                Some(self.timeout),
            )
            .await?;
        let answer = UpdateContainersResponse::decode(answer);
        let failed = answer
            .map_err(|error| UpdateError::Unreadable(error.to_string()))?
            .failed;
        if failed.is_empty() {
            Ok(())
        } else {
            Err(UpdateError::Failed(failed))
        }
    }

    /// Evicts one container, for this reason.
    ///
    /// The reference runtime takes the request and, up to NRI v0.12.5, does nothing about
    /// [evictions](https://github.com/containerd/nri/blob/v0.12.5/pkg/adaptation/plugin.go).
    ///
    /// # Errors
    ///
    /// As [`update`](Self::update).
    pub async fn evict(
        &self,
        container_id: impl Into<String>,
        reason: impl Into<String>,
    ) -> Result<(), UpdateError> {
        let eviction = ContainerEviction {
            container_id: container_id.into(),
            reason: reason.into(),
        };
        self.update(Changes {
            update: Vec::new(),
            evict: vec![eviction],
        })
        .await
    }
}

impl From<CallError> for UpdateError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Status(status) => Self::Refused {
                code: status.code,
                message: status.message,
            },
            CallError::Closed => Self::NotConnected,
            CallError::Timeout(timeout) => Self::Timeout(timeout),
            CallError::TooLarge { size, max } => Self::TooLarge { size, max },
            CallError::Protocol(reason) | CallError::Unreadable(reason) => Self::Unreadable(reason),
        }
    }
}

impl Link {
    /// The runtime takes calls here from now on.
    pub(super) fn up(&self, caller: Caller) {
        *self.lock() = Some(caller);
    }

    /// The runtime takes no calls any more.
    pub(super) fn down(&self) {
        *self.lock() = None;
    }

    fn caller(&self) -> Option<Caller> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Caller>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn without_a_connection_there_is_an_error_and_no_waiting() {
        let updater = Updater::new(Link::default());
        assert_eq!(
            updater.evict("c0", "why").await,
            Err(UpdateError::NotConnected)
        );
    }

    #[test]
    fn each_failure_of_a_call_has_its_own_error() {
        let timeout = UpdateError::from(CallError::Timeout(DEFAULT_TIMEOUT));
        assert_eq!(timeout.to_string(), "no answer within 10s");
        let status = crate::wire::Status::new(Code::NOT_FOUND, "no such container");
        assert_eq!(
            UpdateError::from(CallError::Status(status)).to_string(),
            "the runtime refused: no such container"
        );
    }
}
