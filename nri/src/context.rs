//! The surroundings of a request.

pub(crate) mod identity;
mod later;
pub(crate) mod metrics;
mod requested;
pub(crate) mod runtime;
pub(crate) mod status;
pub(crate) mod tools;
pub(crate) mod update;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::PluginId;
use crate::adjust::Updates;
pub use metrics::{EventMetrics, Latency, Metrics, OPEN_METRICS_CONTENT_TYPE};
pub use runtime::Runtime;
pub use status::{Status, StatusWatch};
pub use tools::CheckAnswers;
pub(crate) use tools::Tools;
pub use update::{UpdateError, Updater};

/// The surroundings of one request, passed to every handler.
///
/// `EventContext::default()` is for unit tests: it has no deadline, runtime or connection, but each
/// can be added.
///
/// ```
/// use std::time::Duration;
///
/// use nri::prelude::*;
///
/// #[derive(NriPlugin)]
/// #[nri(name = "careful", index = "10")]
/// struct Careful;
///
/// impl CreateContainer for Careful {
///     async fn create_container(
///         &self,
///         cx: &EventContext,
///         _pod: PodSandbox,
///         _container: Container,
///     ) -> nri::Result<Adjustment> {
///         if cx.time_left().is_some_and(|left| left < Duration::from_millis(500)) {
///             return Err(nri::Error::new("no time for this"));
///         }
///         Ok(Adjustment::new())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let cx = EventContext::default()
///     .with_runtime("containerd", "v2.2.1", "v0.11.0")
///     .with_time_left(Duration::from_millis(100));
/// let answer = Careful.create_container(&cx, PodSandbox::default(), Container::default()).await;
/// assert_eq!(answer.unwrap_err().to_string(), "no time for this");
/// # }
/// ```
///
/// # With anyhow
///
/// ```
/// use anyhow::Context;
/// use nri::prelude::*;
///
/// #[derive(NriPlugin)]
/// #[nri(name = "reader", index = "10")]
/// struct Reader;
///
/// impl RunPodSandbox for Reader {
///     async fn run_pod_sandbox(&self, _cx: &EventContext, _pod: PodSandbox) -> nri::Result<()> {
///         let list = std::fs::read_to_string("/nonexistent/list").context("cannot read the list");
///         list.map(drop).map_err(nri::Error::other)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let failed = Reader.run_pod_sandbox(&EventContext::default(), PodSandbox::default()).await;
/// let error = format!("{:#}", failed.unwrap_err());
/// assert_eq!(error, "cannot read the list: No such file or directory (os error 2)");
/// # }
/// ```
///
/// Plugins that do not use anyhow get the same methods from [`ResultExt`](crate::ResultExt).
#[derive(Clone, Debug, Default)]
pub struct EventContext {
    pub(crate) deadline: Option<Instant>,
    pub(crate) tools: Arc<Tools>,
    /// True if the runtime is in the same process: the response is not encoded then.
    pub(crate) in_process: bool,
    /// The fields of the request that are not arguments of its handler.
    later: later::LaterFields,
}

impl EventContext {
    /// Creates the context of a hook, outside any request.
    pub(crate) fn of_stub(tools: Arc<Tools>) -> Self {
        EventContext { tools, ..Default::default() }
    }

    /// Creates the context of a request.
    pub(crate) fn of_request(deadline: Instant, tools: Arc<Tools>, in_process: bool) -> Self {
        EventContext { in_process, ..EventContext::of_stub(tools).with_deadline(deadline) }
    }

    /// Returns a handle for sending unsolicited updates, for tasks that need the outcome and for
    /// the hooks of [`Connection`](crate::plugin::Connection). A handler calls
    /// [`update_later`](Self::update_later) instead: awaiting the handle in it is an error.
    pub fn updater(&self) -> Updater {
        self.tools.updater()
    }

    /// Updates and evicts containers after this event, in a task of its own: the runtime takes
    /// updates only after the event. Logs the outcome with the event and the ids of the containers.
    ///
    /// ```
    /// use nri::prelude::*;
    /// use nri_testing as testing;
    ///
    /// #[derive(NriPlugin)]
    /// #[nri(name = "reaper", index = "10")]
    /// struct Reaper;
    ///
    /// impl StopPodSandbox for Reaper {
    ///     async fn stop_pod_sandbox(&self, cx: &EventContext, pod: PodSandbox) -> nri::Result<()> {
    ///         if let Some(helper) = pod.annotation("example.org/helper") {
    ///             cx.update_later(ContainerUpdate::new(helper).cpu_shares(2));
    ///         }
    ///         Ok(())
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut runtime = testing::Runtime::new().start(Reaper).await?;
    /// let pod = testing::pod("web").annotation("example.org/helper", "f00d");
    /// let pod = runtime.run_pod(pod).await?;
    /// runtime.stop_pod(&pod).await?;
    /// runtime.advance(std::time::Duration::from_millis(1)).await;
    /// assert_eq!(runtime.requested()[0].updates[0].container_id, "f00d");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A WebAssembly module cannot request updates: it logs a warning.
    pub fn update_later(&self, updates: impl Into<Updates>) {
        let (updater, updates, event) = (self.updater(), updates.into(), update::current_event());
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => {
                drop(runtime.spawn(async move { updater.update_and_log(updates, event).await }))
            }
            Err(_) => tracing::warn!(
                "containers were not updated: only a stub on a tokio runtime can request updates"
            ),
        }
    }

    /// Returns the runtime at the other end, with the NRI release that it speaks; `None` before
    /// Configure.
    pub fn runtime(&self) -> Option<Arc<Runtime>> {
        self.tools.runtime()
    }

    /// Returns the counters of each event.
    pub fn metrics(&self) -> Metrics {
        self.tools.metrics.clone()
    }

    /// Returns the status of the connection, to be read and waited for.
    pub fn status(&self) -> StatusWatch {
        self.tools.watch()
    }

    /// Returns true if answers of handlers are checked before they are sent.
    pub(crate) fn checks_answers(&self) -> bool {
        self.tools.check_answers != CheckAnswers::Off
    }

    /// Returns true if the response is not to be encoded.
    pub(crate) fn is_in_process(&self) -> bool {
        self.in_process
    }

    /// Returns the index and name that the plugin registers with.
    pub(crate) fn identity(&self) -> Option<&PluginId> {
        self.tools.identity.as_ref()
    }

    /// Sets the deadline: the moment at which the runtime gives up on the request.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets the deadline to a time from now, for unit tests.
    #[must_use]
    pub fn with_time_left(self, time: Duration) -> Self {
        self.with_deadline(tokio::time::Instant::now().into_std() + time)
    }

    /// Sets the name, version and NRI version of the runtime, as Configure has them; an empty
    /// string means that the runtime does not send it. For unit tests.
    #[must_use]
    pub fn with_runtime(self, name: &str, version: &str, nri_version: &str) -> Self {
        let runtime = Runtime::new(name, version, nri_version);
        self.with_tools(|tools| tools.set_runtime(Arc::new(runtime)))
    }

    /// Sets the index and name of the plugin, for unit tests.
    #[must_use]
    pub fn with_identity(self, id: PluginId) -> Self {
        self.with_tools(|tools| tools.identity = Some(id))
    }

    fn with_tools(mut self, set: impl FnOnce(&mut Tools)) -> Self {
        let mut tools = Tools::like(&self.tools);
        set(&mut tools);
        self.tools = Arc::new(tools);
        self
    }

    /// Returns the moment at which the runtime gives up on this request, if known.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Returns how long the runtime will wait for the answer: zero if it has given up, `None` if
    /// unknown.
    pub fn time_left(&self) -> Option<Duration> {
        // Tokio's clock, which tests can pause. A WebAssembly module has no clock, and no deadline.
        let now = || tokio::time::Instant::now().into_std();
        self.deadline.map(|deadline| deadline.saturating_duration_since(now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_ends_at_zero() {
        let cx = EventContext::default().with_deadline(Instant::now());
        assert_eq!(cx.time_left(), Some(Duration::ZERO));
        assert_eq!(EventContext::default().time_left(), None);
    }

    #[test]
    fn a_test_sets_runtime_identity_and_time() {
        let cx = EventContext::default()
            .with_runtime("containerd", "v2.2.1", "")
            .with_identity("10-logger".parse().unwrap())
            .with_time_left(Duration::from_secs(2));
        let runtime = cx.runtime().unwrap();
        assert_eq!((runtime.name(), runtime.version()), ("containerd", "v2.2.1"));
        assert_eq!(runtime.nri_version().as_deref(), Some("0.11.0"));
        assert_eq!(cx.identity().unwrap().to_string(), "10-logger");
        assert!(cx.time_left() <= Some(Duration::from_secs(2)));
    }
}
