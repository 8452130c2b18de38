//! Starting the adaptation and waiting for plugins.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nri::api::ContainerUpdate;
use nri_adaptation::{Adaptation, DeprecationList, LogDeprecations, Requested, RuntimeCallbacks};
use tokio::time::{Instant, sleep};

use crate::error::Failure;
use crate::flags::Flags;
use crate::memory::Resident;
use crate::scenario::NodeState;

/// How long to wait for external plugins.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// The interval between checks for external plugins.
const POLL: Duration = Duration::from_millis(1);

/// A started runtime.
pub(crate) struct Runtime {
    pub(crate) adaptation: Adaptation,
    pub(crate) deprecations: DeprecationList,
    pub(crate) progress: Arc<Progress>,
}

/// The last Synchronize: when it began, and the resident memory in KiB at that time.
#[derive(Debug, Default)]
pub(crate) struct Progress(Mutex<Option<(Instant, u64)>>);

impl Progress {
    fn begin(&self) {
        let begun = (Instant::now(), Resident::Now.kib());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(begun);
    }

    fn begun(&self) -> Option<(Instant, u64)> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the time since it began.
    pub(crate) fn elapsed(&self) -> Duration {
        let begun = self.begun();
        begun.map_or(Duration::ZERO, |(begun, _)| begun.elapsed())
    }

    /// Returns the resident memory in KiB when it began.
    pub(crate) fn resident_kib(&self) -> u64 {
        self.begun().map_or(0, |(_, resident)| resident)
    }
}

/// Answers the adaptation.
struct Callbacks {
    state: Arc<NodeState>,
    progress: Arc<Progress>,
}

impl RuntimeCallbacks for Callbacks {
    async fn synchronize(&self, state: &mut nri_adaptation::State) -> nri::Result<()> {
        self.progress.begin();
        self.state.pods.iter().for_each(|pod| state.add_pod(pod));
        self.state.containers.iter().for_each(|container| state.add_container(container));
        Ok(())
    }

    async fn update_containers(&self, requested: Requested) -> nri::Result<Vec<ContainerUpdate>> {
        for update in &requested.updates {
            eprintln!("plugin {} asks for an update of {}", requested.plugin, update.container_id);
        }
        for eviction in &requested.evictions {
            eprintln!("plugin {} evicts {}", requested.plugin, eviction.container_id);
        }
        Ok(Vec::new())
    }
}

/// Starts the runtime and waits for the number of external plugins given by the flags.
pub(crate) async fn start(flags: &Flags, state: Arc<NodeState>) -> Result<Runtime, Failure> {
    let progress = Arc::<Progress>::default();
    let callbacks = Callbacks { state, progress: Arc::clone(&progress) };
    let deprecations = DeprecationList::default();
    let mut builder = Adaptation::builder("nri-example-runtime", env!("CARGO_PKG_VERSION"))
        .listen(&flags.socket)
        .callbacks(callbacks)
        .deprecations(LogDeprecations)
        .deprecations(deprecations.clone());
    if let Some(plugins) = &flags.plugins {
        builder = builder.plugin_dir(plugins);
    }
    if let Some(config) = &flags.config {
        builder = builder.config_dir(config);
    }
    if let Some(release) = &flags.speak {
        builder = builder.speaking(release);
    }
    let adaptation = builder.start().await?;
    let runtime = Runtime { adaptation, deprecations, progress };
    wait(&runtime.adaptation, flags).await?;
    Ok(runtime)
}

async fn wait(adaptation: &Adaptation, flags: &Flags) -> Result<(), Failure> {
    // Launched plugins are synchronized by now.
    let launched = adaptation.plugins().len();
    let wanted = launched + flags.wait;
    let deadline = Instant::now() + MAX_WAIT;
    while adaptation.plugins().len() < wanted {
        if Instant::now() >= deadline {
            let connected = adaptation.plugins().len().saturating_sub(launched);
            let message = format!(
                "{connected} of {} external plugins connected within {} s",
                flags.wait,
                MAX_WAIT.as_secs()
            );
            let help = format!("start them with this socket: {}", flags.socket.display());
            return Err(Failure::new(message).with_help(help));
        }
        sleep(POLL).await;
    }
    Ok(())
}
