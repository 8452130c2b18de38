//! The settings of a plugin before it runs.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::{io::DuplexStream, sync::mpsc::UnboundedReceiver};

use super::Stub;
use super::backoff::Backoff;
use super::connect::{Endpoint, dialer};
use super::shared::{RuntimeExit, Settings, Shared};
use crate::Result;
use crate::context::CheckAnswers;
use crate::context::identity::PartialIdentity;
use crate::plugin::Plugin;
use crate::store::PodStore;

/// The default time for registration. Runtimes wait 5 s for a plugin to register and 5 s for each
/// following step; this is twice as long.
const REGISTRATION_TIMEOUT: Duration = Duration::from_secs(10);

/// 64 MiB: sixteen messages of the maximum size, more than the pods of any node need.
const MAX_SYNCHRONIZE: usize = 64 << 20;

/// The settings of a plugin, created by [`Stub::builder`].
pub struct Builder<P> {
    plugin: P,
    given: PartialIdentity,
    endpoint: Option<Endpoint>,
    settings: Settings,
}

impl<P> fmt::Debug for Builder<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("given", &self.given).finish_non_exhaustive()
    }
}

impl<P: Plugin> Builder<P> {
    pub(super) fn new(plugin: P) -> Self {
        Builder {
            plugin,
            given: PartialIdentity::default(),
            endpoint: None,
            settings: Settings {
                reconnect: Some(Backoff::default()),
                wait_for_runtime: false,
                runtime_exit: RuntimeExit::Success,
                registration_timeout: REGISTRATION_TIMEOUT,
                max_synchronize: MAX_SYNCHRONIZE,
                check_answers: CheckAnswers::default(),
                record: None,
                logs: true,
            },
        }
    }

    /// Sets the name to register with. The default is the environment variable `NRI_PLUGIN_NAME`,
    /// which is set by a runtime that launches the plugin, else the name of the executable if that
    /// is `NN-name`, else `#[nri(name = "…")]`. An empty variable counts as unset.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.given.name = Some(name.into());
        self
    }

    /// Sets the index to register with, two digits. Plugins are called in the order of their
    /// indexes. The default is the environment variable `NRI_PLUGIN_IDX`, and so on as for the
    /// [name](Self::name).
    #[must_use]
    pub fn index(mut self, index: impl Into<String>) -> Self {
        self.given.index = Some(index.into());
        self
    }

    /// Sets the socket to connect to, as an external plugin. The default, unless there is a
    /// [stream](Self::stream), is the socket passed by a runtime that launches the plugin, else the
    /// path in the environment variable `NRI_SOCKET`, else
    /// [`DEFAULT_SOCKET`](super::DEFAULT_SOCKET).
    #[must_use]
    pub fn socket(mut self, path: impl Into<PathBuf>) -> Self {
        self.endpoint = Some(Endpoint::Socket(path.into()));
        self
    }

    /// Sets a stream that is already connected to a runtime. The plugin ends when it is lost. With
    /// a [dialer](Self::dialer), it reconnects.
    #[must_use]
    pub fn stream(mut self, stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Self {
        self.endpoint = Some(Endpoint::Given(Some(Box::new(stream))));
        self
    }

    /// Sets a function that connects to a runtime, for a plugin that does not reach it through a
    /// Unix socket in a file. An external plugin: the function is called again when the connection
    /// is lost.
    ///
    /// ```no_run
    /// use nri::prelude::*;
    /// use nri::stub::Stub;
    /// use tokio::net::TcpStream;
    ///
    /// # struct Noop;
    /// # #[nri::plugin(name = "noop", index = "10")]
    /// # impl Noop {
    /// #     async fn run_pod_sandbox(&self, _: PodSandbox) -> nri::Result<()> { Ok(()) }
    /// # }
    /// # fn main() -> nri::Result<()> {
    /// // A tunnel to the socket of the runtime in a virtual machine.
    /// nri::block_on(Stub::builder(Noop).dialer(|| TcpStream::connect("127.0.0.1:7000")).run())
    /// # }
    /// ```
    #[must_use]
    pub fn dialer<S, F>(mut self, dial: impl FnMut() -> F + Send + 'static) -> Self
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
        F: Future<Output = io::Result<S>> + Send + 'static,
    {
        self.endpoint = Some(Endpoint::Dialed(dialer(dial)));
        self
    }

    /// Takes connections from a channel, one after the other.
    #[doc(hidden)]
    pub fn connections(mut self, connections: UnboundedReceiver<DuplexStream>) -> Self {
        self.endpoint = Some(Endpoint::Handed(connections));
        self
    }

    /// Sets the waits between attempts of an external plugin to reconnect.
    #[must_use]
    pub fn reconnect(mut self, backoff: Backoff) -> Self {
        self.settings.reconnect = Some(backoff);
        self
    }

    /// Disables reconnecting, so that the plugin ends with the runtime, for example to be restarted
    /// by systemd.
    ///
    /// By default, a runtime that stops or dies is not a failure: the program exits with code 0,
    /// and a systemd unit with `Restart=on-failure` stays down.
    /// [`on_runtime_exit`](Self::on_runtime_exit) makes it a failure.
    #[must_use]
    pub fn no_reconnect(mut self) -> Self {
        self.settings.reconnect = None;
        self
    }

    /// Sets what [`run`](Stub::run) returns when the runtime closes the connection in an orderly
    /// way and the plugin does not reconnect, because it was launched by the runtime, was given a
    /// [stream](Self::stream), or has [`no_reconnect`](Self::no_reconnect). A broken connection is
    /// always an error.
    #[must_use]
    pub fn on_runtime_exit(mut self, exit: RuntimeExit) -> Self {
        self.settings.runtime_exit = exit;
        self
    }

    /// Retries the first connection too, so that an external plugin may start before the runtime.
    /// By default the first attempt has to succeed.
    #[must_use]
    pub fn wait_for_runtime(mut self) -> Self {
        self.settings.wait_for_runtime = true;
        self
    }

    /// Sets how long registration and Configure may take; 10 s by default.
    #[must_use]
    pub fn registration_timeout(mut self, timeout: Duration) -> Self {
        self.settings.registration_timeout = timeout;
        self
    }

    /// Sets the maximum size of all parts of Synchronize together in bytes; 64 MiB by default. They
    /// are held in memory until the last part arrives.
    #[must_use]
    pub fn max_synchronize(mut self, bytes: usize) -> Self {
        self.settings.max_synchronize = bytes;
        self
    }

    /// Sets the reaction to an answer that the runtime would reject, or that conflicts with itself.
    /// By default, every problem is logged as a warning.
    #[must_use]
    pub fn check_answers(mut self, check: CheckAnswers) -> Self {
        self.settings.check_answers = check;
        self
    }

    /// Keeps this store complete: records each list of Synchronize and each event before its
    /// handler gets it.
    ///
    /// The plugin also subscribes to the creation and removal of pods and containers. If it handles
    /// them, the handlers are called even if Configure chose fewer events. What the runtime sends
    /// is decoded twice.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    ///
    /// use nri::prelude::*;
    /// use nri::store::PodStore;
    /// use nri::stub::Stub;
    ///
    /// struct Counts(Arc<PodStore>);
    ///
    /// #[nri::plugin(name = "counts", index = "10")]
    /// impl Counts {
    ///     async fn stop_container(&self, pod: PodSandbox, _: Container) -> nri::Result<Updates> {
    ///         println!("{} has {} containers", pod.full_name(), self.0.containers_of(&pod.id).len());
    ///         Ok(Updates::new())
    ///     }
    /// }
    ///
    /// fn main() -> nri::Result<()> {
    ///     let store = Arc::new(PodStore::new());
    ///     nri::block_on(Stub::builder(Counts(Arc::clone(&store))).store(store).run())
    /// }
    /// ```
    #[must_use]
    pub fn store(mut self, store: Arc<PodStore>) -> Self {
        self.settings.record = Some(Box::new(move |method, request| store.record(method, request)));
        self
    }

    /// Logs nothing unless the program has installed a `tracing` subscriber, for a stub that is
    /// part of a larger program such as a test. By default, the stub logs to standard error then,
    /// see [`logging`](crate::logging).
    #[must_use]
    pub fn no_logging(mut self) -> Self {
        self.settings.logs = false;
        self
    }

    /// Checks the settings and returns the plugin, ready to run.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Config`](crate::ErrorKind::Config) if the name or index is missing or
    /// invalid.
    pub fn build(self) -> Result<Stub<P>> {
        let written = PartialIdentity {
            name: P::NAME.map(str::to_owned),
            index: P::INDEX.map(str::to_owned),
        };
        let given = self
            .given
            .or(PartialIdentity::by_environment())
            .or(PartialIdentity::by_program())
            .or(written);
        let endpoint = self.endpoint.or_else(Endpoint::launched);
        Ok(Stub {
            shared: Arc::new(Shared::new(self.plugin, given.check()?, self.settings)),
            endpoint: endpoint.unwrap_or_else(Endpoint::external),
        })
    }

    /// Runs the plugin until it is asked to stop or cannot continue: [`build`](Self::build)
    /// followed by [`Stub::run`].
    ///
    /// # Errors
    ///
    /// Returns the errors of both.
    pub async fn run(self) -> Result<()> {
        self.build()?.run().await
    }
}
