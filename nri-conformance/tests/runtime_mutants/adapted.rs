//! The runtime with `nri-adaptation` in place of the relay by hand.

use std::path::Path;
use std::sync::Arc;

use nri::api::{Container, Event, LinuxResources, PodSandbox};
use nri_adaptation::{Adaptation, RuntimeCallbacks, State};

use crate::sim::Sim;

/// Answers the questions of the adaptation.
struct Callbacks(Arc<Sim>);

impl RuntimeCallbacks for Callbacks {
    async fn synchronize(&self, state: &mut State) -> nri::Result<()> {
        let (pods, containers) = self.0.state();
        pods.iter().for_each(|pod| state.add_pod(pod));
        containers.iter().for_each(|one| state.add_container(one));
        Ok(())
    }
}

/// Starts an adaptation that listens on a socket.
pub(crate) async fn start(sim: &Arc<Sim>, socket: &Path) -> Adaptation {
    let adaptation = Adaptation::builder("simulation", "1.0.0")
        .listen(socket)
        .callbacks(Callbacks(Arc::clone(sim)))
        .start()
        .await;
    adaptation.expect("an adaptation")
}

/// Sends an event through the adaptation.
pub(crate) async fn send(
    to: &Adaptation,
    event: Event,
    pod: &PodSandbox,
    container: &Container,
) -> Result<(), String> {
    let none = LinuxResources::default();
    let sent = match event {
        Event::RunPodSandbox => to.run_pod_sandbox(pod).await.map(drop),
        Event::UpdatePodSandbox => to.update_pod_sandbox(pod, None, None).await.map(drop),
        Event::CreateContainer => to.create_container(pod, container).await.map(drop),
        Event::UpdateContainer => to.update_container(pod, container, &none).await.map(drop),
        Event::ValidateContainerAdjustment | Event::Unknown => return Ok(()),
        event => to.send(event, pod, Some(container)).await.map(drop),
    };
    sent.map_err(|error| error.to_string())
}
