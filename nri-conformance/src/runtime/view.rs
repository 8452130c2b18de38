//! The state of a pod at one moment of a hook, according to the node and the runtime.

use std::time::Duration;

use nri::api::PodSandbox;
use tonic::Status;

use crate::runtime::cri::Client;
use crate::runtime::cri::messages::{
    Container, ContainerConfig, CreateContainerRequest, Empty, Id, PodSandboxFilter,
    PodSandboxState,
};
use crate::runtime::judgement::{Ended, fail, skip};
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
    pub(crate) containers: Result<Vec<Container>, String>,
}

impl View {
    /// Inspects a pod.
    pub(super) async fn of(machine: &Machine, client: Option<&Client>, pod: &PodSandbox) -> View {
        let (machine, facts) = (machine.clone(), pod.clone());
        let state = tokio::task::spawn_blocking(move || machine.read(&facts)).await;
        let cri = match client {
            Some(client) => {
                Some(CriView::ask(&client.with_timeout(REQUEST_TIMEOUT), &pod.id).await)
            }
            None => None,
        };
        View { state: state.unwrap_or_default(), cri }
    }
}

/// O5: tries to start a container in a pod whose Run hook is held.
pub(super) async fn start_workload(
    client: &Client,
    pod: &str,
    container: ContainerConfig,
) -> Ended {
    let client = client.with_timeout(REQUEST_TIMEOUT);
    if let Ok(Some(PodSandboxState::Ready)) = listed(&client, pod).await {
        return skip("the pod was ready already, see R7");
    }
    let request = CreateContainerRequest {
        pod_sandbox_id: pod.to_owned(),
        config: Some(container),
        sandbox_config: None,
    };
    let started = async {
        let created: Id = client.call("CreateContainer", request).await?;
        let Empty {} = client.call("StartContainer", created.clone()).await?;
        Ok::<_, Status>(created.id)
    };
    match started.await {
        // The runtime refused, or had not answered in time.
        Err(_) => Ok(()),
        Ok(id) => fail(format!("container {id} runs")),
    }
}

impl CriView {
    async fn ask(client: &Client, pod: &str) -> CriView {
        let (listed, status, containers) =
            tokio::join!(listed(client, pod), client.pod_status(pod), client.containers(pod));
        CriView {
            listed: listed.map_err(message),
            status: status.map(|status| status.state()).map_err(message),
            containers: containers.map_err(message),
        }
    }
}

async fn listed(client: &Client, pod: &str) -> Result<Option<PodSandboxState>, Status> {
    let filter = PodSandboxFilter { id: pod.to_owned(), ..PodSandboxFilter::default() };
    let pods = client.pods(filter).await?;
    let found = pods.iter().find(|found| found.id == pod);
    Ok(found.map(|found| found.state()))
}

fn message(status: Status) -> String {
    format!("{:?}: {}", status.code(), status.message())
}
