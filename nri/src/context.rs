//! The surroundings of a request.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::stub::{Metrics, Runtime, StatusWatch, Tools, Updater};

/// The surroundings of one request, passed to every handler.
///
/// `Context::default()` is for unit tests: it has no deadline, runtime or connection, but each can
/// be added.
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
///         cx: &Context,
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
/// let cx = Context::default()
///     .with_runtime("containerd", "v2.2.1", "v0.11.0")
///     .with_time_left(Duration::from_millis(100));
/// let answer = Careful.create_container(&cx, PodSandbox::default(), Container::default()).await;
/// assert_eq!(answer.unwrap_err().to_string(), "no time for this");
/// # }
/// ```
///
/// # With anyhow
///
/// `use anyhow::Context;` would hide this type of the prelude. Only the methods of the trait are needed, so import it
/// without its name:
///
/// ```
/// use anyhow::Context as _;
/// use nri::prelude::*;
///
/// #[derive(NriPlugin)]
/// #[nri(name = "reader", index = "10")]
/// struct Reader;
///
/// impl RunPodSandbox for Reader {
///     async fn run_pod_sandbox(&self, _cx: &Context, _pod: PodSandbox) -> nri::Result<()> {
///         let list = std::fs::read_to_string("/nonexistent/list").context("cannot read the list");
///         list.map(drop).map_err(nri::Error::other)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let failed = Reader.run_pod_sandbox(&Context::default(), PodSandbox::default()).await;
/// let error = format!("{:#}", failed.unwrap_err());
/// assert_eq!(error, "cannot read the list: No such file or directory (os error 2)");
/// # }
/// ```
///
/// Plugins that do not use anyhow get the same methods from [`ResultExt`](crate::ResultExt).
#[derive(Clone, Debug, Default)]
pub struct Context {
    deadline: Option<Instant>,
    tools: Arc<Tools>,
    in_process: bool,
}

impl Context {
    /// Creates the context of a request that the stub serves. The response to a request from a runtime in the same
    /// process is not encoded.
    pub(crate) fn of_request(deadline: Instant, tools: Arc<Tools>, in_process: bool) -> Self {
        Context {
            deadline: Some(deadline),
            tools,
            in_process,
        }
    }

    /// Creates the context of a hook, outside any request.
    pub(crate) fn of_stub(tools: Arc<Tools>) -> Self {
        Context {
            deadline: None,
            tools,
            in_process: false,
        }
    }

    /// Returns a handle for sending unsolicited updates. Use it from a spawned task that the handler does not wait for: the
    /// runtime takes updates only after the event.
    pub fn updater(&self) -> Updater {
        self.tools.updater()
    }

    /// Returns the runtime at the other end, with the NRI release that it speaks; `None` before
    /// Configure.
    pub fn runtime(&self) -> Option<Arc<Runtime>> {
        self.tools.runtime()
    }

    /// Returns the counters of each event.
    pub fn metrics(&self) -> Metrics {
        self.tools.metrics()
    }

    /// Returns the status of the connection, to be read and waited for.
    pub fn status(&self) -> StatusWatch {
        self.tools.status()
    }

    /// Returns true if answers of handlers are checked before they are sent.
    pub(crate) fn checks_answers(&self) -> bool {
        self.tools.checks_answers()
    }

    /// Returns true if the response is not to be encoded.
    pub(crate) fn is_in_process(&self) -> bool {
        self.in_process
    }

    /// Returns the index and name that the plugin registers with.
    pub(crate) fn identity(&self) -> Option<(&str, &str)> {
        self.tools.identity()
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

    /// Sets the name and index of the plugin, for unit tests.
    #[must_use]
    pub fn with_identity(self, name: &str, index: &str) -> Self {
        self.with_tools(|tools| tools.set_identity(name, index))
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
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_ends_at_zero() {
        let cx = Context::default().with_deadline(Instant::now());
        assert_eq!(cx.time_left(), Some(Duration::ZERO));
        assert_eq!(Context::default().time_left(), None);
    }

    #[test]
    fn a_test_sets_runtime_identity_and_time() {
        let cx = Context::default()
            .with_runtime("containerd", "v2.2.1", "")
            .with_identity("logger", "10")
            .with_time_left(Duration::from_secs(2));
        let runtime = cx.runtime().unwrap();
        assert_eq!(
            (runtime.name(), runtime.version()),
            ("containerd", "v2.2.1")
        );
        assert_eq!(runtime.nri_version().as_deref(), Some("0.11.0"));
        assert_eq!(cx.identity(), Some(("10", "logger")));
        assert!(cx.time_left() <= Some(Duration::from_secs(2)));
    }
}
