//! A pod of the driver, and the requests of its life.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::runtime::cri::messages::{
    Container, ContainerConfig, ContainerMetadata, ContainerState, CreateContainerRequest, Empty,
    Id, ImageSpec, LinuxContainerConfig, LinuxContainerResources, LinuxContainerSecurityContext,
    LinuxPodSandboxConfig, LinuxSandboxSecurityContext, NamespaceMode, NamespaceOption,
    PodSandboxConfig, PodSandboxMetadata, PodSandboxState, PodSandboxStatus, RunPodSandboxRequest,
    StopContainerRequest, UpdateContainerResourcesRequest,
};
use crate::runtime::drive::{Driver, message};
use crate::runtime::event::LABEL;

/// The CPU shares that a container is updated to: half of the default.
const CPU_SHARES: i64 = 512;

/// The time that a container has to end on its own.
const GRACE: Duration = Duration::from_secs(5);

/// The interval at which the state of a container is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The namespace of all pods of the driver.
const NAMESPACE: &str = "nri-conformance";

/// The default of the kubelet: containers share all namespaces except for that of processes.
const NAMESPACES: NamespaceOption = NamespaceOption {
    pid: NamespaceMode::Container as i32,
};

/// A pod with a name, which may or may not run.
#[derive(Clone, Debug)]
pub(crate) struct Pod {
    config: PodSandboxConfig,
}

impl Pod {
    /// Returns a pod with its own network.
    pub(super) fn new(name: &str, run: &str, logs: &Path, cgroup_parent: String) -> Pod {
        let linux = LinuxPodSandboxConfig {
            cgroup_parent,
            security_context: Some(LinuxSandboxSecurityContext {
                namespace_options: Some(NAMESPACES),
            }),
        };
        let config = PodSandboxConfig {
            metadata: Some(PodSandboxMetadata {
                name: name.to_owned(),
                uid: format!("uid-{name}"),
                namespace: NAMESPACE.to_owned(),
                attempt: 0,
            }),
            hostname: name.to_owned(),
            log_directory: logs.join(name).to_string_lossy().into_owned(),
            labels: [(LABEL.to_owned(), run.to_owned())].into(),
            linux: Some(linux),
        };
        Pod { config }
    }

    /// Returns the name, and the unique id that the pod has in Kubernetes.
    pub(crate) fn metadata(&self) -> PodSandboxMetadata {
        self.config.metadata.clone().unwrap_or_default()
    }

    /// Returns the same pod for a further attempt.
    pub(crate) fn retry(&self) -> Pod {
        let mut config = self.config.clone();
        config.metadata.get_or_insert_default().attempt += 1;
        Pod { config }
    }
}

/// The requests. Each returns the error message of the runtime if it fails.
impl Driver {
    pub(crate) async fn run_pod(&self, pod: &Pod) -> Result<String, String> {
        let request = RunPodSandboxRequest {
            config: Some(pod.config.clone()),
        };
        let pod: Id = self.call("RunPodSandbox", request).await?;
        Ok(pod.id)
    }

    pub(crate) async fn stop_pod(&self, id: &str) -> Result<Empty, String> {
        self.call("StopPodSandbox", Id::new(id)).await
    }

    pub(crate) async fn remove_pod(&self, id: &str) -> Result<Empty, String> {
        self.call("RemovePodSandbox", Id::new(id)).await
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
        let container: Id = self.call("CreateContainer", request).await?;
        Ok(container.id)
    }

    pub(crate) async fn start(&self, container: &str) -> Result<Empty, String> {
        self.call("StartContainer", Id::new(container)).await
    }

    /// Changes the resources of a container a little.
    pub(crate) async fn update(&self, container: &str) -> Result<Empty, String> {
        let request = UpdateContainerResourcesRequest {
            container_id: container.to_owned(),
            linux: Some(LinuxContainerResources {
                cpu_shares: CPU_SHARES,
            }),
        };
        self.call("UpdateContainerResources", request).await
    }

    /// Stops a container, and kills it if it has not ended after some time.
    pub(crate) async fn stop(&self, container: &str) -> Result<Empty, String> {
        let request = StopContainerRequest {
            container_id: container.to_owned(),
            timeout: i64::try_from(GRACE.as_secs()).unwrap_or(i64::MAX),
        };
        self.call("StopContainer", request).await
    }

    pub(crate) async fn remove(&self, container: &str) -> Result<Empty, String> {
        self.call("RemoveContainer", Id::new(container)).await
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

    /// Returns the containers of a pod.
    pub(crate) async fn containers_of(&self, id: &str) -> Result<Vec<Container>, String> {
        self.client.containers(id).await.map_err(message)
    }

    /// Waits until a container of a pod has ended.
    pub(crate) async fn exited(&self, pod: &str, container: &str) -> Result<(), String> {
        let deadline = Instant::now() + GRACE;
        while Instant::now() <= deadline {
            let containers = self.containers_of(pod).await?;
            let found = containers.iter().find(|found| found.id == container);
            if found.is_none_or(|found| found.state() == ContainerState::Exited) {
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

/// Returns the settings of a container; an empty command means that of the image.
pub(super) fn container(name: &str, image: &str, command: &[String]) -> ContainerConfig {
    ContainerConfig {
        metadata: Some(ContainerMetadata {
            name: name.to_owned(),
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
                namespace_options: Some(NAMESPACES),
            }),
        }),
    }
}
