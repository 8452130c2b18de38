//! The state of a pod at one moment of a hook, according to the node and the runtime.

use std::time::Duration;

use nri::api::PodSandbox;

use crate::runtime::cri::Client;
use crate::runtime::cri::messages::{
    ContainerConfig, ContainerFilter, ContainerId, ContainerState, CreateContainerRequest, Empty,
    PodSandboxFilter, PodSandboxState,
};
use crate::runtime::machine::{Machine, PodState};

/// The time limit for each request to the runtime during a hook.
const REQUEST_TIMEOUT: Duration = Duration::from_millis(500);

/// The state of a pod at one moment.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// The state on the node.
    pub(crate) state: PodState,
    /// The answers of the runtime; `None` without a CRI socket.
    pub(crate) cri: Option<CriView>,
}

/// The answers of the runtime about a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CriView {
    /// The state of the pod in the list of pods; `None` if it is not listed.
    pub(crate) listed: Result<Option<PodSandboxState>, String>,
    /// The outcome of the request for its status.
    pub(crate) status: Result<PodSandboxState, String>,
    /// Its containers in the list of containers.
    pub(crate) containers: Result<Vec<(String, ContainerState)>, String>,
}

/// The outcome of an attempt to start a container in a pod whose Run hook is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// The runtime refused, or had not answered by the end of the hook.
    NotStarted(String),
    /// The runtime already listed the pod as ready.
    Ready,
    /// The container runs.
    Started(String),
}

/// Inspects pods for an observer.
#[derive(Clone, Debug)]
pub(crate) struct Viewer {
    pub(crate) machine: Machine,
    pub(crate) client: Option<Client>,
    /// The container to start during a hook.
    pub(crate) workload: Option<ContainerConfig>,
}

impl Viewer {
    /// Inspects a pod.
    pub(super) async fn look(&self, pod: &PodSandbox) -> View {
        let (machine, facts) = (self.machine.clone(), pod.clone());
        let state = tokio::task::spawn_blocking(move || machine.read(&facts)).await;
        let cri = match &self.client {
            Some(client) => {
                Some(CriView::ask(&client.with_timeout(REQUEST_TIMEOUT), &pod.id).await)
            }
            None => None,
        };
        View {
            state: state.unwrap_or_default(),
            cri,
        }
    }

    /// Tries to start a container in a pod.
    pub(super) async fn start_workload(&self, pod: &PodSandbox) -> Option<Attempt> {
        let (client, config) = (self.client.as_ref()?, self.workload.clone()?);
        let client = client.with_timeout(REQUEST_TIMEOUT);
        if let Ok(Some(PodSandboxState::Ready)) = listed(&client, &pod.id).await {
            return Some(Attempt::Ready);
        }
        let request = CreateContainerRequest {
            pod_sandbox_id: pod.id.clone(),
            config: Some(config),
            sandbox_config: None,
        };
        let created = client.call("CreateContainer", request).await;
        let container: ContainerId = match created {
            Ok(container) => container,
            Err(status) => return Some(Attempt::NotStarted(status.message().to_owned())),
        };
        let id = container.container_id.clone();
        Some(match client.call("StartContainer", container).await {
            Ok(Empty {}) => Attempt::Started(id),
            Err(status) => Attempt::NotStarted(status.message().to_owned()),
        })
    }
}

impl CriView {
    async fn ask(client: &Client, pod: &str) -> CriView {
        let (listed, status, containers) = tokio::join!(
            listed(client, pod),
            status(client, pod),
            containers(client, pod)
        );
        CriView {
            listed,
            status,
            containers,
        }
    }
}

async fn listed(client: &Client, pod: &str) -> Result<Option<PodSandboxState>, String> {
    let filter = PodSandboxFilter {
        id: pod.to_owned(),
        ..PodSandboxFilter::default()
    };
    let pods = client.pods(filter).await.map_err(message)?;
    let found = pods.iter().find(|found| found.id == pod);
    Ok(found.map(|found| found.state()))
}

async fn status(client: &Client, pod: &str) -> Result<PodSandboxState, String> {
    let status = client.pod_status(pod).await.map_err(message)?;
    Ok(status.state())
}

async fn containers(client: &Client, pod: &str) -> Result<Vec<(String, ContainerState)>, String> {
    let filter = ContainerFilter {
        pod_sandbox_id: pod.to_owned(),
        ..ContainerFilter::default()
    };
    let containers = client.containers(filter).await.map_err(message)?;
    let of_pod = containers
        .iter()
        .filter(|container| container.pod_sandbox_id == pod);
    Ok(of_pod
        .map(|container| (container.id.clone(), container.state()))
        .collect())
}

fn message(status: tonic::Status) -> String {
    format!("{:?}: {}", status.code(), status.message())
}
