//! Starting the adaptation and waiting for plugins.

use std::time::Duration;

use nri::adaptation::{Adaptation, DeprecationList, LogDeprecations, Requested, RuntimeCallbacks};
use nri::api::{Container, ContainerUpdate, PodSandbox};
use tokio::time::{Instant, sleep};

use crate::error::Failure;
use crate::flags::Flags;

/// How long to wait for external plugins.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// How often to look whether they are there.
const POLL: Duration = Duration::from_millis(5);

/// A started runtime.
pub(crate) struct Runtime {
    pub(crate) adaptation: Adaptation,
    pub(crate) deprecations: DeprecationList,
}

/// The pods and containers that plugins get in Synchronize.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) pods: Vec<PodSandbox>,
    pub(crate) containers: Vec<Container>,
}

impl RuntimeCallbacks for State {
    async fn synchronize(&self, state: &mut nri::adaptation::State) -> nri::Result<()> {
        self.pods.iter().for_each(|pod| state.pod(pod));
        self.containers
            .iter()
            .for_each(|container| state.container(container));
        Ok(())
    }

    async fn update_containers(&self, requested: Requested) -> nri::Result<Vec<ContainerUpdate>> {
        let (updates, evictions) = (requested.updates.len(), requested.evictions.len());
        eprintln!(
            "plugin {} asks for {updates} updates and {evictions} evictions",
            requested.plugin
        );
        Ok(Vec::new())
    }
}

/// Starts the runtime and waits for as many external plugins as the flags ask for.
pub(crate) async fn start(flags: &Flags, state: State) -> Result<Runtime, Failure> {
    let deprecations = DeprecationList::default();
    let mut builder = Adaptation::builder("nri-example-runtime", env!("CARGO_PKG_VERSION"))
        .listen(&flags.socket)
        .callbacks(state)
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
    let runtime = Runtime {
        adaptation,
        deprecations,
    };
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
