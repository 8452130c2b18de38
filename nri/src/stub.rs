//! The plugin's side of the protocol: connects to a runtime, registers, and serves events.
//!
//! [`nri::run`](crate::run) works both for plugins that the runtime launches (put the executable
//! into the runtime's plugin directory as `10-pod-logger`) and for plugins that connect on their
//! own. [`Stub::builder`] changes the defaults.
//!
//! # What the stub does
//!
//! - **Runtime versions.** The stub subscribes to the events that the runtime knows. The others are
//!   named in one warning, or cause an error if they are listed in `#[nri(required(…))]`. A runtime
//!   that is older than `#[nri(protocol = "…")]`, or ignores one of `#[nri(required_fields(…))]`,
//!   is refused as well.
//! - **Split Synchronize**, which a runtime sends if a node has many pods: the handler gets all
//!   parts at once.
//! - **Deadlines.** If a runtime gets no answer in time (two seconds by default), it disconnects
//!   the plugin, which then gets no more events. After four fifths of the time, the stub logs a
//!   warning. Shortly before the time is up, it drops the handler at its current await point, as
//!   [`tokio::time::timeout`] does, and answers with an error, or with success if
//!   `#[nri(on_timeout(EVENT = "ok"))]` is set.
//!   [`EventContext::time_left`](crate::EventContext::time_left) returns the remaining time, and
//!   [`guide::concurrency`](crate::guide::concurrency) describes what a dropped handler leaves
//!   behind.
//! - **Panics** of a handler are errors of that one request.
//! - **Reconnecting** of external plugins, with a [`Backoff`] and the hooks of
//!   [`Connection`](crate::plugin::Connection).
//! - **Shutdown** on SIGTERM and SIGINT: requests in progress are finished.
//!
//! # Blocking handlers
//!
//! The task that reads from the runtime also polls the handlers, with nothing between socket and
//! handler, which keeps events cheap. Therefore a handler must not block its thread. A blocking
//! handler delays all other events, and its own answer before the deadline, which only this task
//! can send.
//!
//! | The handler | Solution |
//! | --- | --- |
//! | computes, looks something up, takes a lock briefly, reads a small file in `/proc` or `/sys` | none needed |
//! | waits for sockets, timers or channels through tokio | none needed |
//! | blocks in one place: a command, a file on disk or network, a library that waits | wrap that place in [`nri::blocking`](crate::blocking) |
//! | blocks throughout | `#[nri(blocking(EVENT))]` runs it on a separate thread for each event |
//!
//! The deadline is kept in each of these cases. A handler that blocks without this is named in a
//! warning after a tenth of a second, while it blocks.
//!
//! # Logs and counters
//!
//! The stub logs through [`tracing`], to the subscriber that the program installs, else to standard
//! error: see [`logging`](crate::logging). Each event has a span, `event`, with the name of the
//! event, the pod and the container. [`Metrics`] count calls, errors, timeouts and latencies.

mod aside;
mod check;
mod mask;
mod panic;
mod subscription;
pub(crate) mod synchronize;

// The connection to a runtime. A WebAssembly module has none: its host calls it.
#[cfg(not(target_family = "wasm"))]
mod answer;
#[cfg(not(target_family = "wasm"))]
mod backoff;
#[cfg(not(target_family = "wasm"))]
mod connect;
#[cfg(not(target_family = "wasm"))]
mod deadline;
#[cfg(all(feature = "in-process", not(target_family = "wasm")))]
pub(crate) mod direct;
#[cfg(not(target_family = "wasm"))]
mod inherit;
#[cfg(not(target_family = "wasm"))]
mod options;
#[cfg(not(target_family = "wasm"))]
mod run;
#[cfg(not(target_family = "wasm"))]
mod serve;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod session;
#[cfg(not(target_family = "wasm"))]
mod shared;
#[cfg(not(target_family = "wasm"))]
mod watchdog;

use crate::Result;
use crate::plugin::Plugin;

pub use crate::context::{
    CheckAnswers, EventMetrics, Latency, Metrics, OPEN_METRICS_CONTENT_TYPE, Runtime, Status,
    StatusWatch, UpdateError, Updater,
};
pub use aside::blocking;
#[cfg(not(target_family = "wasm"))]
pub use {
    backoff::{Attempts, Backoff},
    connect::{DEFAULT_SOCKET, connect, launched_socket},
    options::Builder,
    shared::RuntimeExit,
};
#[cfg(any(test, target_family = "wasm"))]
pub(crate) use {
    check::failed,
    subscription::subscription,
    synchronize::{Assembly, Part},
};

/// The plugin serves on the first connection and calls on the second.
#[cfg(not(target_family = "wasm"))]
const CHANNELS: crate::wire::Channels = crate::wire::Channels::PLUGIN;

/// A plugin that is ready to run.
#[cfg(not(target_family = "wasm"))]
pub struct Stub<P> {
    shared: std::sync::Arc<shared::Shared<P>>,
    endpoint: connect::Endpoint,
}

/// Runs a plugin until it is asked to stop or cannot continue: as a launched plugin if a runtime
/// launched it, else as an external one at the default socket.
///
/// Logs to standard error unless the program has installed a `tracing` subscriber, see
/// [`logging`](crate::logging).
///
/// # Errors
///
/// Returns the errors of [`Builder::build`] and [`Stub::run`].
///
/// # Panics
///
/// Panics under the same conditions as [`Stub::run`].
#[cfg(not(target_family = "wasm"))]
pub async fn run<P: Plugin>(plugin: P) -> Result<()> {
    Stub::builder(plugin).run().await
}

/// Fails: a WebAssembly module has no connection to a runtime. [`wasm_plugin!`](crate::wasm_plugin)
/// exports the functions that its host calls instead.
///
/// # Errors
///
/// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported).
#[cfg(target_family = "wasm")]
pub async fn run<P: Plugin>(_plugin: P) -> Result<()> {
    let message = "a WebAssembly module cannot connect to a runtime";
    Err(crate::Error::with_kind(crate::ErrorKind::Unsupported, message)
        .with_help("install the module in the runtime's plugin directory as NN-name"))
}

#[cfg(not(target_family = "wasm"))]
impl<P: Plugin> Stub<P> {
    /// Returns a builder for the settings of the plugin.
    ///
    /// ```
    /// # use nri::prelude::*;
    /// # #[derive(NriPlugin)]
    /// # struct PodLogger;
    /// # impl RunPodSandbox for PodLogger {
    /// #     async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> { Ok(()) }
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
        self.shared.tools.watch()
    }

    /// Returns the counters of each event.
    pub fn metrics(&self) -> Metrics {
        self.shared.tools.metrics.clone()
    }
}

#[cfg(not(target_family = "wasm"))]
impl<P> std::fmt::Debug for Stub<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stub").field("plugin", &self.shared.identity).finish_non_exhaustive()
    }
}
