//! The settings of an adaptation.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

use nri::Result;

use super::callbacks::{Callbacks, NoCallbacks, RuntimeCallbacks, Validator};
use super::core::{Core, MAX_UPDATES, Timeouts};
use super::deprecation::{Deprecations, Ledger, LogDeprecations};
use super::launch::{PluginFile, Processes, discover, spawn};
use super::listen::PluginSocket;
use super::metrics::{Metrics, NoMetrics};
use super::order::PodOrder;
use super::policy::ErrorPolicy;
use super::revision::Revision;
use super::roster::Roster;
use super::session::{Origin, attach};
use super::sync_guard::SyncLock;
#[cfg(feature = "wasm")]
use super::wasm;
use super::{Adaptation, Inner};

/// The default number of events that are queued for a plugin while it synchronizes.
const QUEUE_LIMIT: usize = 4096;

/// The settings of an [`Adaptation`], created by [`Adaptation::builder`].
pub struct Builder {
    name: String,
    version: String,
    socket: Option<PathBuf>,
    plugins: Option<PathBuf>,
    configs: PathBuf,
    release: Option<String>,
    timeouts: Timeouts,
    queue_limit: usize,
    policy: ErrorPolicy,
    callbacks: Arc<dyn Callbacks>,
    deprecations: Vec<Box<dyn Deprecations>>,
    metrics: Box<dyn Metrics>,
    validators: Vec<Box<dyn Validator>>,
    #[cfg(feature = "wasm")]
    module_memory: usize,
}

impl Builder {
    pub(super) fn new(name: String, version: String) -> Self {
        Builder {
            name,
            version,
            socket: None,
            plugins: None,
            configs: PathBuf::from("/etc/nri/conf.d"),
            release: None,
            timeouts: Timeouts::default(),
            queue_limit: QUEUE_LIMIT,
            policy: ErrorPolicy::default(),
            callbacks: Arc::new(NoCallbacks),
            deprecations: Vec::new(),
            metrics: Box::new(NoMetrics),
            validators: Vec::new(),
            #[cfg(feature = "wasm")]
            module_memory: wasm::DEFAULT_MEMORY,
        }
    }

    /// Listens for external plugins on this Unix socket; runtimes use `/var/run/nri/nri.sock`. Without it, no
    /// external plugins connect.
    #[must_use]
    pub fn listen(mut self, path: impl Into<PathBuf>) -> Self {
        self.socket = Some(path.into());
        self
    }

    /// Launches the executables and WebAssembly modules `NN-name` in this directory; runtimes use
    /// `/opt/nri/plugins`. Without it, no plugins are launched. Modules need the feature `wasm`, and the executable bit
    /// like programs.
    #[must_use]
    pub fn plugin_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.plugins = Some(directory.into());
        self
    }

    /// Reads the configuration of launched plugins from this directory: `NN-name.conf`, else `name.conf`. The
    /// default is `/etc/nri/conf.d`.
    #[must_use]
    pub fn config_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.configs = directory.into();
        self
    }

    /// Behaves like this NRI release, such as `v0.11.0`: in the events known, the RPCs used, the fields sent, and
    /// the masks accepted. The default is the newest release.
    #[must_use]
    pub fn speaking(mut self, release: impl Into<String>) -> Self {
        self.release = Some(release.into());
        self
    }

    /// Sets how long a plugin that has connected may take to register. The default is 5 s.
    #[must_use]
    pub fn registration_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.registration = timeout;
        self
    }

    /// Sets how long a plugin may take to answer a request. The default is 2 s.
    #[must_use]
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.request = timeout;
        self
    }

    /// Sets how much memory a WebAssembly module may use, in bytes; 256 MiB by default.
    #[cfg(feature = "wasm")]
    #[must_use]
    pub fn module_memory(mut self, bytes: usize) -> Self {
        self.module_memory = bytes;
        self
    }

    /// Sets how many events are queued for a plugin while it synchronizes; 4096 by default. A plugin that misses
    /// more is disconnected, so that it synchronizes again.
    #[must_use]
    pub fn sync_queue(mut self, events: usize) -> Self {
        self.queue_limit = events;
        self
    }

    /// Sets the callbacks that list the runtime's pods and containers, and apply the updates that plugins request. By
    /// default, there are no pods, and updates are refused.
    #[must_use]
    pub fn callbacks(mut self, callbacks: impl RuntimeCallbacks) -> Self {
        self.callbacks = Arc::new(callbacks);
        self
    }

    /// Adds a receiver for records of deprecated interfaces that plugins use. The default is [`LogDeprecations`].
    #[must_use]
    pub fn deprecations(mut self, deprecations: impl Deprecations) -> Self {
        self.deprecations.push(Box::new(deprecations));
        self
    }

    /// Sets the receiver of metrics.
    #[must_use]
    pub fn metrics(mut self, metrics: impl Metrics) -> Self {
        self.metrics = Box::new(metrics);
        self
    }

    /// Sets how plugins that fail affect a request.
    #[must_use]
    pub fn error_policy(mut self, policy: ErrorPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Adds a validator of merged adjustments, such as a
    /// [`DefaultValidator`](super::validate::DefaultValidator).
    #[must_use]
    pub fn validator(mut self, validator: impl Validator) -> Self {
        self.validators.push(Box::new(validator));
        self
    }

    /// Launches the plugins, synchronizes them, and starts to listen.
    ///
    /// A plugin that cannot be launched, or that is refused, is logged and left out.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Config`](nri::ErrorKind::Config) if the release is not known, the plugin directory
    /// cannot be read or has an executable with an invalid name, or the socket cannot be listened on.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with I/O and time enabled.
    pub async fn start(mut self) -> Result<Adaptation> {
        let release = self.release.take();
        let revision = release.map_or(Ok(Revision::newest()), |release| Revision::of(&release))?;
        let plugins = self.plugins.take();
        let found = plugins.map(|directory| discover(&directory, &self.configs, &revision));
        let found = found.transpose()?.unwrap_or_default();
        let socket = self
            .socket
            .take()
            .map(|path| PluginSocket::bind(&path))
            .transpose()?;
        #[cfg(feature = "wasm")]
        let memory = self.module_memory;
        let core = Arc::new(self.core(revision));
        for found in found {
            tracing::info!("starting pre-installed plugin {}", found.id);
            if found.is_module() {
                #[cfg(feature = "wasm")]
                wasm::launch(&core, found, memory).await;
                #[cfg(not(feature = "wasm"))]
                tracing::warn!(
                    "cannot load WebAssembly plugin {}: built without the feature `wasm` of nri",
                    found.path.display()
                );
            } else {
                launch(&core, found).await;
            }
        }
        let listening = socket.map(|socket| tokio::spawn(socket.serve(Arc::clone(&core))));
        let listening = Mutex::new(listening);
        Ok(Adaptation(Arc::new(Inner { core, listening })))
    }

    fn core(mut self, revision: Revision) -> Core {
        if self.deprecations.is_empty() {
            self.deprecations.push(Box::new(LogDeprecations));
        }
        Core {
            name: self.name,
            version: self.version,
            revision,
            timeouts: self.timeouts,
            queue_limit: self.queue_limit,
            policy: self.policy,
            callbacks: self.callbacks,
            ledger: Ledger::new(self.deprecations),
            metrics: self.metrics,
            validators: self.validators,
            roster: Roster::default(),
            order: PodOrder::default(),
            sync: SyncLock::default(),
            updates: Semaphore::new(MAX_UPDATES),
            stopping: watch::Sender::new(false),
            processes: Processes::default(),
        }
    }
}

async fn launch(core: &Arc<Core>, found: PluginFile) {
    match spawn(&found, &core.processes) {
        Ok((stream, process)) => {
            let origin = Origin::Launched(found.id, found.config, process);
            // Errors are logged where they occur.
            let _ = attach(core, stream, origin).await;
        }
        Err(error) => tracing::warn!("{error}"),
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("socket", &self.socket)
            .field("plugins", &self.plugins)
            .finish_non_exhaustive()
    }
}
