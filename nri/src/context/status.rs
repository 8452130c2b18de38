//! The state of the connection to the runtime, to be read and waited for.

use std::fmt;
use std::time::Instant;

use tokio::sync::watch;

/// The state of the connection to the runtime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// Not connected yet, or connected and not registered yet.
    #[default]
    Connecting,
    /// Registered; the runtime has not sent Synchronize yet.
    Registered,
    /// Synchronized: events are handled.
    Serving,
    /// The connection was lost at this time. An external plugin connects again.
    Disconnected {
        /// The time at which it was lost.
        since: Instant,
    },
}

impl Status {
    /// Returns true if events are handled.
    pub fn is_serving(self) -> bool {
        self == Status::Serving
    }
}

/// Formats the status, for example as `disconnected for 2.3s`.
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Status::Connecting => f.write_str("connecting"),
            Status::Registered => f.write_str("registered"),
            Status::Serving => f.write_str("serving"),
            Status::Disconnected { since } => write!(f, "disconnected for {:.1?}", since.elapsed()),
        }
    }
}

/// A handle that follows the [`Status`] of a stub. Clones follow the same stub.
///
/// ```
/// use nri::prelude::*;
/// use nri::stub::{Status, Stub};
///
/// # #[derive(NriPlugin)]
/// # #[nri(name = "pod-logger", index = "10")]
/// # struct PodLogger;
/// # impl RunPodSandbox for PodLogger {
/// #     async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> { Ok(()) }
/// # }
/// let stub = Stub::builder(PodLogger).build()?;
/// let mut status = stub.status();
/// assert_eq!(status.get(), Status::Connecting);
/// let log_changes = async move {
///     while let Some(status) = status.changed().await {
///         println!("{status}");
///     }
/// };
/// // tokio::spawn(log_changes); stub.run().await
/// # drop((stub, log_changes));
/// # Ok::<(), nri::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct StatusWatch(pub(super) watch::Receiver<Status>);

impl StatusWatch {
    /// Returns the current status.
    pub fn get(&self) -> Status {
        *self.0.borrow()
    }

    /// Waits for the next change and returns the new status; `None` once the stub is gone. Of
    /// several changes at once, only the last is returned.
    pub async fn changed(&mut self) -> Option<Status> {
        self.0.changed().await.ok()?;
        Some(*self.0.borrow_and_update())
    }

    /// Waits until events are handled. Returns `false` if the stub is gone before that.
    pub async fn serving(&mut self) -> bool {
        self.0.wait_for(|status| status.is_serving()).await.is_ok()
    }
}
