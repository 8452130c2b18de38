//! A pod of the driver, and the requests of its life.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::runtime::cri::messages::{
    ContainerConfig, ContainerFilter, ContainerId, ContainerMetadata, ContainerState,
    CreateContainerRequest, ImageSpec, LinuxContainerConfig, LinuxContainerResources,
    LinuxContainerSecurityContext, LinuxPodSandboxConfig, LinuxSandboxSecurityContext,
    NamespaceMode, NamespaceOption, PodSandboxConfig, PodSandboxId, PodSandboxMetadata,
    PodSandboxState, PodSandboxStatus, RunPodSandboxRequest, StopContainerRequest,
    UpdateContainerResourcesRequest,
};
use crate::runtime::drive::{Driver, message};
use crate::runtime::event::LABEL;

/// The CPU shares that a container is updated to: half of the default.
const CPU_SHARES: i64 = 512;

/// The time that a container has to end on its own.
const GRACE: Duration = Duration::from_secs(5);

/// The interval at which the state of a container is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A pod with a name, which may or may not run.
#[derive(Clone, Debug)]
pub(crate) struct Pod {
    config: PodSandboxConfig,
}

impl Pod {
    pub(super) fn new(config: PodSandboxConfig) -> Pod {
        Pod { config }
    }

    /// Returns the name.
    pub(crate) fn name(&self) -> &str {
        let metadata = self.config.metadata.as_ref();
        metadata.map_or("", |metadata| metadata.name.as_str())
    }

    /// Returns the unique id that the pod has in Kubernetes.
    pub(crate) fn uid(&self) -> &str {
        let metadata = self.config.metadata.as_ref();
        metadata.map_or("", |metadata| metadata.uid.as_str())
    }

    /// Returns the same pod for a further attempt.
    pub(crate) fn retry(&self) -> Pod {
        let mut config = self.config.clone();
        if let Some(metadata) = &mut config.metadata {
            metadata.attempt += 1;
        }
        Pod { config }
    }
}

/// The requests. Each returns the error message of the runtime if it fails.
impl Driver {
    pub(crate) async fn run_pod(&self, pod: &Pod) -> Result<String, String> {
        let request = RunPodSandboxRequest {
            config: Some(pod.config.clone()),
        };
        let id = |answer: PodSandboxId| answer.pod_sandbox_id;
        self.call("RunPodSandbox", pod.name(), request, id).await
    }

    pub(crate) async fn stop_pod(&self, id: &str) -> Result<(), String> {
        self.change("StopPodSandbox", id, pod_id(id)).await
    }

    pub(crate) async fn remove_pod(&self, id: &str) -> Result<(), String> {
        self.change("RemovePodSandbox", id, pod_id(id)).await
    }

    /// Stops and removes a pod, whatever the runtime answers.
    pub(crate) async fn take_down(&self, id: &str) {
        let _ = self.stop_pod(id).await;
        let _ = self.remove_pod(id).await;
    }

    pub(crate) async fn create(
        &self,
        pod: &Pod,
        id: &str,
        container: ContainerConfig,
    ) -> Result<String, String> {
        let request = CreateContainerRequest {
            pod_sandbox_id: id.to_owned(),
            config: Some(container),
            sandbox_config: Some(pod.config.clone()),
        };
        let created = |answer: ContainerId| answer.container_id;
        self.call("CreateContainer", id, request, created).await
    }

    pub(crate) async fn start(&self, container: &str) -> Result<(), String> {
        self.change("StartContainer", container, container_id(container))
            .await
    }

    /// Changes the resources of a container a little.
    pub(crate) async fn update(&self, container: &str) -> Result<(), String> {
        let request = UpdateContainerResourcesRequest {
            container_id: container.to_owned(),
            linux: Some(LinuxContainerResources {
                cpu_shares: CPU_SHARES,
            }),
        };
        self.change("UpdateContainerResources", container, request)
            .await
    }

    /// Stops a container, and kills it if it has not ended after some time.
    pub(crate) async fn stop(&self, container: &str) -> Result<(), String> {
        let request = StopContainerRequest {
            container_id: container.to_owned(),
            timeout: i64::try_from(GRACE.as_secs()).unwrap_or(i64::MAX),
        };
        self.change("StopContainer", container, request).await
    }

    pub(crate) async fn remove(&self, container: &str) -> Result<(), String> {
        self.change("RemoveContainer", container, container_id(container))
            .await
    }

    /// Creates and starts a container that runs until it is stopped.
    pub(crate) async fn run_container(
        &self,
        pod: &Pod,
        id: &str,
        name: &str,
    ) -> Result<String, String> {
        let container = self.create(pod, id, self.container(name)).await?;
        self.start(&container).await?;
        Ok(container)
    }

    /// Returns the status of a pod.
    pub(crate) async fn status(&self, id: &str) -> Result<PodSandboxStatus, String> {
        self.client.pod_status(id).await.map_err(message)
    }

    /// Returns the ids of the containers of a pod.
    pub(crate) async fn containers_of(&self, id: &str) -> Result<Vec<String>, String> {
        let filter = ContainerFilter {
            pod_sandbox_id: id.to_owned(),
            ..ContainerFilter::default()
        };
        let containers = self.client.containers(filter).await.map_err(message)?;
        let ids = containers.into_iter().map(|container| container.id);
        Ok(ids.collect())
    }

    /// Waits until a container has ended.
    pub(crate) async fn exited(&self, container: &str) -> Result<(), String> {
        let deadline = Instant::now() + GRACE;
        let filter = ContainerFilter {
            id: container.to_owned(),
            ..ContainerFilter::default()
        };
        while Instant::now() <= deadline {
            let containers = self.client.containers(filter.clone()).await;
            let containers = containers.map_err(message)?;
            let mut states = containers.iter().map(|found| found.state());
            if states.all(|state| state == ContainerState::Exited) {
                return Ok(());
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        Err("it does not end".to_owned())
    }

    /// Returns the state of a pod in the list of pods, regardless of its id.
    pub(crate) async fn state_of(&self, pod: &Pod) -> Option<PodSandboxState> {
        let pods = self.own_pods().await;
        let found = pods
            .iter()
            .find(|found| found.metadata == pod.config.metadata);
        found.map(|found| found.state())
    }
}

fn pod_id(pod: &str) -> PodSandboxId {
    PodSandboxId {
        pod_sandbox_id: pod.to_owned(),
    }
}

fn container_id(container: &str) -> ContainerId {
    ContainerId {
        container_id: container.to_owned(),
    }
}

/// The namespace of all pods of the driver.
const NAMESPACE: &str = "nri-conformance";

/// Returns the settings of a pod with its own network.
pub(super) fn pod(name: &str, run: &str, logs: &Path, cgroup_parent: String) -> PodSandboxConfig {
    PodSandboxConfig {
        metadata: Some(PodSandboxMetadata {
            name: name.to_owned(),
            uid: format!("uid-{name}"),
            namespace: NAMESPACE.to_owned(),
            attempt: 0,
        }),
        hostname: name.to_owned(),
        log_directory: logs.join(name).to_string_lossy().into_owned(),
        labels: [(LABEL.to_owned(), run.to_owned())].into(),
        linux: Some(LinuxPodSandboxConfig {
            cgroup_parent,
            security_context: Some(LinuxSandboxSecurityContext {
                namespace_options: Some(namespaces()),
            }),
        }),
    }
}

/// Returns the settings of a container; an empty command means that of the image.
pub(super) fn container(name: &str, image: &str, command: &[String]) -> ContainerConfig {
    ContainerConfig {
        metadata: Some(ContainerMetadata {
            name: name.to_owned(),
            attempt: 0,
        }),
        image: Some(ImageSpec {
            image: image.to_owned(),
            user_specified_image: image.to_owned(),
        }),
        command: command.to_vec(),
        // CRI-O takes the name of the container from here.
        labels: [("io.kubernetes.container.name".to_owned(), name.to_owned())].into(),
        log_path: format!("{name}.log"),
        linux: Some(LinuxContainerConfig {
            security_context: Some(LinuxContainerSecurityContext {
                namespace_options: Some(namespaces()),
            }),
        }),
    }
}

/// Returns the default of the kubelet: containers share all namespaces except for that of processes.
fn namespaces() -> NamespaceOption {
    NamespaceOption {
        network: NamespaceMode::Pod.into(),
        pid: NamespaceMode::Container.into(),
        ipc: NamespaceMode::Pod.into(),
    }
}
