//! The plugin's side of the protocol: connects to a runtime, registers, and serves events.
//!
//! ```no_run
//! use nri::prelude::*;
//!
//! #[derive(NriPlugin)]
//! #[nri(name = "pod-logger", index = "10")]
//! struct PodLogger;
//!
//! impl RunPodSandbox for PodLogger {
//!     async fn run_pod_sandbox(&self, _: &Context, pod: PodSandbox) -> nri::Result<()> {
//!         println!("{}/{}", pod.namespace, pod.name);
//!         Ok(())
//!     }
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> nri::Result<()> {
//!     nri::stub::run(PodLogger).await
//! }
//! ```
//!
//! That serves as plugin that the runtime launches (put it into the runtime's plugin directory, as `10-pod-logger`) and
//! as one that connects by itself. [`Stub::builder`] sets what is to be different.
//!
//! # What the stub takes care of
//!
//! - **The runtime's age.** It subscribes to events that this runtime knows; what it is too old for is named in one
//!   warning, or is an error if `#[nri(required(…))]` says so.
//! - **Synchronize in parts**, which a runtime sends where a node has many pods: the handler gets all at once.
//! - **Deadlines.** A runtime that gets no answer in time (two seconds, unless configured otherwise) disconnects the
//!   plugin: it gets no events any more. After four fifths of the time there is a warning. Shortly before its end the
//!   handler is dropped at the point where it waits, as with [`tokio::time::timeout`], and the runtime is told of an
//!   error, or of success if `#[nri(on_timeout(EVENT = "ok"))]` says so. [`Context::time_left`](crate::Context::time_left)
//!   tells a handler where it is.
//! - **Panics** of a handler: an error of that one request.
//! - **Reconnecting**, where the plugin is external, with a [`Backoff`]; [`Connection`](crate::plugin::Connection) is
//!   told.
//! - **Leaving** on SIGTERM and SIGINT: what is under way is finished.
//!
//! # Handlers that block
//!
//! Handlers are polled by the task that reads from the runtime, with nothing between socket and handler: that is
//! what makes events cheap. In return a handler must not block its thread. One that does holds up all other events, and
//! its own answer before the deadline, which only this task can send.
//!
//! | The handler | Do |
//! | --- | --- |
//! | computes, looks up, locks for a moment, reads a little of `/proc` or `/sys` | nothing |
//! | waits for sockets, timers, channels through tokio | nothing |
//! | blocks in one place: a command, a file on a disk or a network, a library that waits | wrap that place in [`nri::blocking`](crate::blocking) |
//! | blocks all over | `#[nri(blocking(EVENT))]`: it gets a thread of its own for each event |
//!
//! The deadline is kept in each of these cases. A handler that blocks without saying so is named in a warning while it
//! does, after a tenth of a second.
//!
//! # Logs and counters
//!
//! Everything is told through [`tracing`], to whatever subscriber the plugin installs. Each event has a span, `event`,
//! with the event's name, the pod and the container. [`Metrics`] count calls, errors, timeouts and latencies.

mod answer;
mod aside;
mod backoff;
mod check;
mod connect;
mod deadline;
mod identity;
mod inherit;
mod mask;
mod metrics;
mod options;
mod panic;
mod run;
mod runtime;
mod serve;
mod session;
mod shared;
mod signal;
mod skipped;
mod status;
mod synchronize;
mod update;
mod watchdog;

use std::fmt;

pub use aside::blocking;
pub use backoff::Backoff;
pub use check::CheckAnswers;
pub use connect::DEFAULT_SOCKET;
pub use metrics::{EventMetrics, Latency, Metrics, OPEN_METRICS_CONTENT_TYPE};
pub use options::{Builder, RuntimeExit};
pub use runtime::Runtime;
pub(crate) use shared::Tools;
pub use status::{Status, StatusWatch};
pub use update::{UpdateError, Updater};

use crate::Result;
use crate::plugin::Plugin;
use crate::wire::Channels;

/// The service that a plugin serves.
const PLUGIN_SERVICE: &str = "nri.pkg.api.v1alpha1.Plugin";
/// The service that a runtime serves.
const RUNTIME_SERVICE: &str = "nri.pkg.api.v1alpha1.Runtime";

/// The plugin serves on the first connection and calls on the second.
const CHANNELS: Channels = Channels { serve: 1, call: 2 };

/// A plugin that is ready to run.
pub struct Stub<P> {
    shared: shared::Shared<P>,
    endpoint: connect::Endpoint,
    reconnect: Option<Backoff>,
    wait_for_runtime: bool,
    runtime_exit: RuntimeExit,
}

/// Runs a plugin until it is asked to leave or cannot go on: as a launched plugin if a runtime launched it, else as an
/// external one at the default socket. Logs to standard error unless the program has installed a `tracing` subscriber, see
/// [`logging`](crate::logging).
///
/// # Errors
///
/// As [`Builder::build`] and [`Stub::run`].
///
/// # Panics
///
/// As [`Stub::run`].
pub async fn run<P: Plugin>(plugin: P) -> Result<()> {
    crate::logging::init_default();
    Stub::builder(plugin).run().await
}

impl<P: Plugin> Stub<P> {
    /// Says how the plugin is to run.
    ///
    /// ```
    /// # use nri::prelude::*;
    /// # #[derive(NriPlugin)]
    /// # struct PodLogger;
    /// # impl RunPodSandbox for PodLogger {
    /// #     async fn run_pod_sandbox(&self, _: &Context, _: PodSandbox) -> nri::Result<()> { Ok(()) }
    /// # }
    /// use nri::stub::Stub;
    ///
    /// let stub = Stub::builder(PodLogger).name("logger").index("10").socket("/run/test/nri.sock").build()?;
    /// let (updater, metrics) = (stub.updater(), stub.metrics());
    /// // stub.run().await, with updater and metrics in use elsewhere
    /// # Ok::<(), nri::Error>(())
    /// ```
    pub fn builder(plugin: P) -> Builder<P> {
        Builder::new(plugin)
    }

    /// Returns a handle for unsolicited updates. It works as soon as the plugin is synchronized.
    pub fn updater(&self) -> Updater {
        self.shared.tools.updater()
    }

    /// Returns the status of the connection, to be read and waited for.
    pub fn status(&self) -> StatusWatch {
        self.shared.tools.status.watch()
    }

    /// Returns the counters of each event.
    pub fn metrics(&self) -> Metrics {
        self.shared.tools.metrics()
    }
}

impl<P> fmt::Debug for Stub<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stub {
            shared, endpoint, ..
        } = self;
        f.debug_struct("Stub")
            .field("plugin", &shared.identity)
            .field("endpoint", endpoint)
            .finish_non_exhaustive()
    }
}
