//! The settings of an adaptation.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

use nri::Result;

use super::callbacks::{NoCallbacks, RuntimeCallbacks, Validator};
use super::core::{Core, MAX_UPDATES};
use super::deprecation::{Deprecations, Ledger, LogDeprecations};
use super::intake::Intake;
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
    core: Core,
    socket: Option<PathBuf>,
    plugins: Option<PathBuf>,
    configs: PathBuf,
    release: Option<String>,
    falls_back: bool,
    #[cfg(feature = "wasm")]
    module_memory: usize,
}

impl Builder {
    pub(super) fn new(name: String, version: String) -> Self {
        let core = Core {
            name,
            version,
            revision: Revision::newest(),
            // The timeouts of the reference.
            registration_timeout: Duration::from_secs(5),
            request_timeout: Duration::from_secs(2),
            queue_limit: QUEUE_LIMIT,
            policy: ErrorPolicy::default(),
            callbacks: Box::new(NoCallbacks),
            ledger: Ledger::default(),
            metrics: Box::new(NoMetrics),
            validators: Vec::new(),
            roster: Roster::default(),
            order: PodOrder::default(),
            sync: SyncLock::default(),
            updates: Semaphore::new(MAX_UPDATES),
            intake: Intake::default(),
            stopping: watch::Sender::new(false),
            processes: Processes::default(),
        };
        Builder {
            core,
            socket: None,
            plugins: None,
            configs: PathBuf::from("/etc/nri/conf.d"),
            release: None,
            falls_back: true,
            #[cfg(feature = "wasm")]
            module_memory: wasm::DEFAULT_MEMORY,
        }
    }

    /// Listens for external plugins on this Unix socket; runtimes use `/var/run/nri/nri.sock`.
    /// Without it, no external plugins connect.
    #[must_use]
    pub fn listen(mut self, path: impl Into<PathBuf>) -> Self {
        self.socket = Some(path.into());
        self
    }

    /// Launches the executables and WebAssembly modules `NN-name` in this directory; runtimes use
    /// `/opt/nri/plugins`. Without it, no plugins are launched. Modules need the feature `wasm`,
    /// and the executable bit like programs.
    #[must_use]
    pub fn plugin_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.plugins = Some(directory.into());
        self
    }

    /// Reads the configuration of launched plugins from this directory: `NN-name.conf`, else
    /// `name.conf`. The default is `/etc/nri/conf.d`.
    #[must_use]
    pub fn config_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.configs = directory.into();
        self
    }

    /// Behaves like this NRI release, such as `v0.11.0`: in the events known, the RPCs used, the
    /// fields sent, and the masks accepted. The default is the newest release.
    #[must_use]
    pub fn speaking(mut self, release: impl Into<String>) -> Self {
        self.release = Some(release.into());
        self
    }

    /// Never sends StateChange to a plugin that lacks the RPC of an event, like the planned
    /// releases without StateChange: such a plugin does not get the event. The default is to fall
    /// back, and to record the deprecation.
    #[must_use]
    pub fn without_state_change(mut self) -> Self {
        self.falls_back = false;
        self
    }

    /// Sets how long a plugin that has connected may take to register. The default is 5 s.
    #[must_use]
    pub fn registration_timeout(mut self, timeout: Duration) -> Self {
        self.core.registration_timeout = timeout;
        self
    }

    /// Sets how long a plugin may take to answer a request. The default is 2 s.
    #[must_use]
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.core.request_timeout = timeout;
        self
    }

    /// Sets how much memory a WebAssembly module may use, in bytes; 256 MiB by default.
    ///
    /// In practice, time is the tighter limit of Synchronize: a module gets the whole state in one
    /// call, of up to 64 MiB, and a plugin that decodes 14 MB does not finish within the default
    /// [`request_timeout`](Self::request_timeout) of 2 s, as modules are interpreted. Set a longer
    /// one for nodes with that much state.
    #[cfg(feature = "wasm")]
    #[must_use]
    pub fn module_memory(mut self, bytes: usize) -> Self {
        self.module_memory = bytes;
        self
    }

    /// Sets how many events are queued for a plugin while it synchronizes; 4096 by default. A
    /// plugin that misses more is disconnected, so that it synchronizes again.
    #[must_use]
    pub fn sync_queue(mut self, events: usize) -> Self {
        self.core.queue_limit = events;
        self
    }

    /// Sets the callbacks that list the runtime's pods and containers, and apply the updates that
    /// plugins request. By default, there are no pods, and updates are refused.
    #[must_use]
    pub fn callbacks(mut self, callbacks: impl RuntimeCallbacks) -> Self {
        self.core.callbacks = Box::new(callbacks);
        self
    }

    /// Adds a receiver for records of deprecated interfaces that plugins use. The default is
    /// [`LogDeprecations`].
    #[must_use]
    pub fn deprecations(mut self, deprecations: impl Deprecations) -> Self {
        self.core.ledger.receivers.push(Box::new(deprecations));
        self
    }

    /// Sets the receiver of metrics.
    #[must_use]
    pub fn metrics(mut self, metrics: impl Metrics) -> Self {
        self.core.metrics = Box::new(metrics);
        self
    }

    /// Sets how plugins that fail affect a request.
    #[must_use]
    pub fn error_policy(mut self, policy: ErrorPolicy) -> Self {
        self.core.policy = policy;
        self
    }

    /// Adds a validator of merged adjustments, such as a
    /// [`DefaultValidator`](super::validate::DefaultValidator).
    #[must_use]
    pub fn validator(mut self, validator: impl Validator) -> Self {
        self.core.validators.push(Box::new(validator));
        self
    }

    /// Launches the plugins, synchronizes them, and starts to listen.
    ///
    /// A plugin that cannot be launched, or that is refused, is logged and left out.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Config`](nri::ErrorKind::Config) if the release is not known, the
    /// plugin directory cannot be read or has an executable with an invalid name, or the socket
    /// cannot be listened on.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with I/O and time enabled.
    pub async fn start(mut self) -> Result<Adaptation> {
        if let Some(release) = &self.release {
            self.core.revision = Revision::of(release)?;
        }
        if !self.falls_back {
            self.core.revision = self.core.revision.without_fallback();
        }
        if self.core.ledger.receivers.is_empty() {
            self.core.ledger.receivers.push(Box::new(LogDeprecations));
        }
        let found = match &self.plugins {
            Some(directory) => discover(directory, &self.configs, &self.core.revision)?,
            None => Vec::new(),
        };
        let socket = self.socket.as_deref().map(PluginSocket::bind).transpose()?;
        let core = Arc::new(self.core);
        for plugin in found {
            tracing::info!("starting pre-installed plugin {}", plugin.id);
            if plugin.is_module() {
                #[cfg(feature = "wasm")]
                wasm::launch(&core, plugin, self.module_memory).await;
                #[cfg(not(feature = "wasm"))]
                tracing::warn!(
                    "cannot load WebAssembly plugin {}: built without the feature `wasm` of nri-adaptation",
                    plugin.path.display()
                );
            } else {
                launch(&core, plugin).await;
            }
        }
        let listening = socket.map(|socket| tokio::spawn(socket.serve(Arc::clone(&core))));
        Ok(Adaptation(Arc::new(Inner { core, listening: Mutex::new(listening) })))
    }
}

async fn launch(core: &Arc<Core>, found: PluginFile) {
    match spawn(&found, &core.processes) {
        Ok((stream, process)) => {
            let origin = Origin {
                process: Some(process),
                ..Origin::new("pre-installed", Some(found.id), found.config)
            };
            // Errors are logged where they occur.
            let _ = attach(core, stream, origin).await;
        }
        Err(error) => tracing::warn!("{error}"),
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("name", &self.core.name)
            .field("version", &self.core.version)
            .field("socket", &self.socket)
            .field("plugins", &self.plugins)
            .finish_non_exhaustive()
    }
}
