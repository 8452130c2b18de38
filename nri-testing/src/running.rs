//! The runtime of a test with its plugins.

use std::time::Duration;

use tokio::io::{DuplexStream, duplex};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::settings::Runtime;
use super::world::World;
use nri::api::{Container, PodSandbox};
use nri::plugin::Plugin;
use nri::stub::{Backoff, Builder, Metrics, StatusWatch, Stub, Updater};
use nri::{Error, ErrorKind, Result};
use nri_adaptation::{Adaptation, Deprecated, DeprecationList, PluginId, Requested};

/// Bytes that one side of a connection may be ahead of the other.
const BUFFER: usize = 64 << 10;

/// Used for plugins whose `#[nri(…)]` has no name or index.
const DEFAULT_NAME: &str = "plugin";
const DEFAULT_INDEX: &str = "10";

/// The wait before a plugin connects again to a runtime that was restarted.
const RECONNECT: Duration = Duration::from_millis(1);

/// A runtime with the plugin under test, created by [`Runtime::start`].
///
/// Its pods and containers are those that the test creates; a plugin that synchronizes gets them.
/// When it is dropped, the plugin ends; [`stop`](Self::stop) shuts it down cleanly.
#[derive(Debug)]
pub struct RunningRuntime {
    settings: Runtime,
    pub(super) world: World,
    deprecations: DeprecationList,
    pub(super) adaptation: Adaptation,
    plugins: Vec<Subject>,
}

impl Runtime {
    /// Starts the runtime and the plugin. Returns when the plugin is registered, configured and
    /// synchronized.
    ///
    /// To inspect the plugin later, pass an `Arc` of it.
    ///
    /// # Errors
    ///
    /// Returns why the plugin ended or was refused, and
    /// [`ErrorKind::Config`](nri::ErrorKind::Config) if the release is not known.
    pub async fn start<P: Plugin>(self, plugin: P) -> Result<RunningRuntime> {
        self.start_with(plugin, |stub| stub).await
    }

    /// Does the same as [`start`](Self::start), with settings of the stub:
    /// `.start_with(plugin, |stub| stub.store(store))`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`start`](Self::start).
    pub async fn start_with<P: Plugin>(
        self,
        plugin: P,
        settings: impl FnOnce(Builder<P>) -> Builder<P>,
    ) -> Result<RunningRuntime> {
        let (world, deprecations) = (self.world(), DeprecationList::default());
        let mut runtime = RunningRuntime {
            adaptation: self.adaptation(&world, &deprecations).await?,
            settings: self,
            world,
            deprecations,
            plugins: Vec::new(),
        };
        runtime.add(Subject::start(plugin, settings, None)?).await?;
        Ok(runtime)
    }
}

impl RunningRuntime {
    /// Starts another plugin, to test plugins that work together, conflict, or validate what others
    /// do.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Runtime::start`].
    pub async fn add_plugin<P: Plugin>(&mut self, plugin: P) -> Result<PluginId> {
        self.add(Subject::start(plugin, |stub| stub, None)?).await
    }

    /// Starts another plugin, which registers with this index (two digits) instead of its own.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Runtime::start`], and
    /// [`ErrorKind::Config`](nri::ErrorKind::Config) if the index is invalid.
    pub async fn add_plugin_at<P: Plugin>(
        &mut self,
        index: impl Into<String>,
        plugin: P,
    ) -> Result<PluginId> {
        self.add(Subject::start(plugin, |stub| stub, Some(index.into()))?).await
    }

    async fn add(&mut self, plugin: Subject) -> Result<PluginId> {
        match self.connect(&plugin).await {
            Ok(id) => {
                self.plugins.push(plugin);
                Ok(id)
            }
            // The plugin has more details: it may have refused the runtime, or its configuration.
            Err(refused) => Err(plugin.ended().await.err().unwrap_or(refused)),
        }
    }

    /// Restarts the runtime: every plugin loses its connection, reconnects, and is synchronized
    /// with the existing pods and containers.
    ///
    /// # Errors
    ///
    /// Returns why a plugin ended or was refused.
    pub async fn restart(&mut self) -> Result<()> {
        self.adaptation.stop().await;
        self.adaptation = self.settings.adaptation(&self.world, &self.deprecations).await?;
        for plugin in &self.plugins {
            self.connect(plugin).await?;
        }
        Ok(())
    }

    /// Restarts the runtime as one that speaks this release of NRI, as an upgrade of the runtime
    /// does.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`restart`](Self::restart), and
    /// [`ErrorKind::Config`](nri::ErrorKind::Config) if the release is not known.
    pub async fn restart_speaking(&mut self, release: impl Into<String>) -> Result<()> {
        self.settings = self.settings.clone().speaking(release);
        self.restart().await
    }

    /// Advances time, for timers in the tasks of the plugin, and gives these tasks the time to run.
    ///
    /// # Panics
    ///
    /// Panics unless time is paused, as in `#[tokio::test(start_paused = true)]`.
    pub async fn advance(&mut self, time: Duration) {
        // A task that wakes up needs a separate turn; one that waits longer is not woken.
        tokio::time::advance(time).await;
        tokio::time::sleep(Duration::from_millis(1)).await;
    }

    /// Returns the updates and evictions that plugins requested outside of events: with
    /// [`Updater`], or in the answer to Synchronize. All are granted.
    pub fn requested(&self) -> Vec<Requested> {
        self.world.lock().requested.clone()
    }

    /// Returns the deprecated interfaces that plugins used.
    pub fn deprecations(&self) -> Vec<Deprecated> {
        self.deprecations.records()
    }

    /// Returns the plugins that are connected and synchronized, in the order in which they get
    /// events.
    pub fn plugins(&self) -> Vec<PluginId> {
        self.adaptation.plugins()
    }

    /// Returns the pods that run, oldest first.
    pub fn pods(&self) -> Vec<PodSandbox> {
        self.world.lock().pods.clone()
    }

    /// Returns the containers that exist, oldest first.
    pub fn containers(&self) -> Vec<Container> {
        self.world.lock().containers.clone()
    }

    /// Returns the status of the first plugin's connection.
    pub fn status(&self) -> Option<StatusWatch> {
        self.plugins.first().map(|plugin| plugin.status.clone())
    }

    /// Returns the counters of the first plugin.
    pub fn metrics(&self) -> Option<Metrics> {
        self.plugins.first().map(|plugin| plugin.metrics.clone())
    }

    /// Returns a handle with which the first plugin sends unsolicited updates.
    pub fn updater(&self) -> Option<Updater> {
        self.plugins.first().map(|plugin| plugin.updater.clone())
    }

    /// Stops the plugins, as SIGTERM does, and the runtime.
    ///
    /// # Errors
    ///
    /// Returns the error that a plugin ended with.
    pub async fn stop(self) -> Result<()> {
        let mut outcome = Ok(());
        for plugin in self.plugins {
            outcome = outcome.and(plugin.stop().await);
        }
        self.adaptation.stop().await;
        outcome
    }

    async fn connect(&self, plugin: &Subject) -> Result<PluginId> {
        let stream = plugin.connect()?;
        let config = self.settings.config.clone();
        let connected = self.adaptation.connect_with_config(stream, config);
        self.world.during(connected).await
    }
}

/// A plugin that runs on its stub.
#[derive(Debug)]
struct Subject {
    streams: mpsc::UnboundedSender<DuplexStream>,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<Result<()>>,
    updater: Updater,
    status: StatusWatch,
    metrics: Metrics,
}

impl Subject {
    /// Starts the plugin with these settings, and with another index if one is given. It waits for
    /// a connection.
    fn start<P: Plugin>(
        plugin: P,
        settings: impl FnOnce(Builder<P>) -> Builder<P>,
        index: Option<String>,
    ) -> Result<Self> {
        let index = index.unwrap_or_else(|| P::INDEX.unwrap_or(DEFAULT_INDEX).to_owned());
        let (streams, connections) = mpsc::unbounded_channel();
        let stub = settings(Stub::builder(plugin))
            .name(P::NAME.unwrap_or(DEFAULT_NAME))
            .index(index)
            .connections(connections)
            .no_logging()
            .reconnect(Backoff::default().first(RECONNECT).longest(RECONNECT))
            .build()?;
        let (stop, stopped) = oneshot::channel();
        let (updater, status, metrics) = (stub.updater(), stub.status(), stub.metrics());
        let running = tokio::spawn(stub.run_until(async move {
            let _ = stopped.await;
        }));
        Ok(Subject { streams, stop: Some(stop), running, updater, status, metrics })
    }

    /// Connects the plugin. Returns the runtime's end of the connection.
    fn connect(&self) -> Result<DuplexStream> {
        let (ours, theirs) = duplex(BUFFER);
        let sent = self.streams.send(theirs);
        sent.map_err(|_| Error::with_kind(ErrorKind::Connection, "the plugin has ended"))?;
        Ok(ours)
    }

    /// Waits for the plugin to end after it was refused, and returns the result of its stub.
    async fn ended(mut self) -> Result<()> {
        (&mut self.running).await.map_err(Error::other)?
    }

    /// Stops the plugin like SIGTERM, and returns the result of its stub.
    async fn stop(mut self) -> Result<()> {
        // Dropping the sender completes the request to stop.
        self.stop = None;
        self.ended().await
    }
}

/// Ends the plugin even if the test failed.
impl Drop for Subject {
    fn drop(&mut self) {
        self.running.abort();
    }
}
