//! Pods and containers, adaptations and plugins that the tests share.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use nri::api::{Container, ContainerUpdate, Event, LinuxResources, PodSandbox};
use nri_adaptation::{Adaptation, Builder, Outcome, Requested, RuntimeCallbacks, State};

/// A request timeout that a test can wait for.
pub(crate) const SHORT: Duration = Duration::from_millis(100);

/// A limit that no plugin of these tests exceeds on a busy machine, unlike the default's 2 s.
const GENEROUS: Duration = Duration::from_secs(60);

/// The settings of a runtime, whose limits are reached only in tests that shorten them.
pub(crate) fn builder() -> Builder {
    Adaptation::builder("test-runtime", "v1.2.3")
        .registration_timeout(GENEROUS)
        .request_timeout(GENEROUS)
}

pub(crate) async fn adaptation() -> Adaptation {
    builder().start().await.expect("starts")
}

pub(crate) fn pod(id: &str) -> PodSandbox {
    PodSandbox {
        id: id.to_owned(),
        name: format!("{id}-name"),
        namespace: "default".to_owned(),
        ..PodSandbox::default()
    }
}

pub(crate) fn container(id: &str) -> Container {
    Container { id: id.to_owned(), name: format!("{id}-name"), ..Container::default() }
}

/// Outcomes as `10-name result`.
pub(crate) fn shown(outcomes: &[Outcome]) -> Vec<String> {
    let shown = |it: &Outcome| format!("{} {}", it.plugin, it.result);
    outcomes.iter().map(shown).collect()
}

/// A runtime with pods and containers, which counts what plugins ask of it.
#[derive(Clone, Default)]
pub(crate) struct Cluster(pub(crate) Arc<Shared>);

#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) pods: Mutex<Vec<PodSandbox>>,
    pub(crate) containers: Mutex<Vec<Container>>,
    pub(crate) requested: Mutex<Vec<Requested>>,
    pub(crate) late: Mutex<Vec<(Event, Outcome)>>,
    /// Makes update_containers call this adaptation.
    pub(crate) reentrant: OnceLock<Adaptation>,
}

impl Cluster {
    /// Returns pods and containers with this many bytes of padding each.
    pub(crate) fn of(pods: usize, containers: usize, padding: usize) -> Self {
        let cluster = Cluster::default();
        let padded = |id: String| PodSandbox { name: "x".repeat(padding), ..pod(&id) };
        *cluster.0.pods.lock().unwrap() = (0..pods).map(|id| padded(format!("p{id}"))).collect();
        *cluster.0.containers.lock().unwrap() = (0..containers)
            .map(|id| Container { name: "x".repeat(padding), ..container(&format!("c{id}")) })
            .collect();
        cluster
    }

    pub(crate) fn forget_pod(&self, id: &str) {
        self.0.pods.lock().unwrap().retain(|pod| pod.id != id);
    }
}

impl RuntimeCallbacks for Cluster {
    async fn synchronize(&self, state: &mut State) -> nri::Result<()> {
        self.0.pods.lock().unwrap().iter().for_each(|pod| state.add_pod(pod));
        let containers = self.0.containers.lock().unwrap();
        containers.iter().for_each(|container| state.add_container(container));
        Ok(())
    }

    async fn update_containers(&self, requested: Requested) -> nri::Result<Vec<ContainerUpdate>> {
        if let Some(adaptation) = self.0.reentrant.get() {
            let (pod, container) = (pod("p"), container("c"));
            let resources = LinuxResources::default();
            let updated = adaptation.update_container(&pod, &container, &resources).await;
            updated.map_err(|error| nri::Error::new(error.to_string()))?;
        }
        self.0.requested.lock().unwrap().push(requested);
        Ok(Vec::new())
    }

    fn delivered_late(&self, event: Event, outcome: Outcome) {
        self.0.late.lock().unwrap().push((event, outcome));
    }
}
