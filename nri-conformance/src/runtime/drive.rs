//! The driver: runs pods and containers through the runtime's CRI socket, like a kubelet.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use prost::Message;
use tempfile::TempDir;

use crate::runtime::Options;
use crate::runtime::cri::Client;
use crate::runtime::cri::messages::{
    CgroupDriver, Container, ContainerConfig, ContainerMetadata, ContainerState,
    CreateContainerRequest, Empty, Id, ImageSpec, LinuxContainerConfig, LinuxContainerResources,
    LinuxContainerSecurityContext, LinuxPodSandboxConfig, LinuxRuntimeConfiguration,
    LinuxSandboxSecurityContext, NamespaceMode, NamespaceOption, Only, PodSandbox,
    PodSandboxConfig, PodSandboxFilter, PodSandboxMetadata, PodSandboxState, StopContainerRequest,
    UpdateContainerResourcesRequest,
};
use crate::runtime::event::LABEL;
use crate::runtime::machine::{Machine, PodCgroup};
use crate::{Error, Result};

/// A pod with a name, which may or may not run.
pub(super) type Pod = PodSandboxConfig;

/// The number of attempts to remove remaining pods at the end.
const REMOVAL_ATTEMPTS: u32 = 3;

/// The CPU shares that a container is updated to: half of the default.
const CPU_SHARES: i64 = 512;

/// The time that a container has to end on its own.
const GRACE: Duration = Duration::from_secs(5);

/// The interval at which pods are listed, and the state of a container is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The default of the kubelet: containers share all namespaces except for that of processes.
const NAMESPACES: NamespaceOption = NamespaceOption { pid: NamespaceMode::Container as i32 };

/// A driver with the pods that it has run and not yet removed.
#[derive(Debug)]
pub(super) struct Driver {
    client: Client,
    options: Options,
    /// The label of the pods of this run.
    run: String,
    machine: Machine,
    cgroup_driver: Option<CgroupDriver>,
    /// The cgroups of pods, created in the same way as by a kubelet.
    cgroups: Mutex<Vec<PodCgroup>>,
    pods: AtomicU32,
    logs: TempDir,
}

impl Driver {
    /// Prepares a driver.
    pub(super) async fn new(
        options: &Options,
        client: Client,
        machine: Machine,
        run: String,
    ) -> Result<Driver> {
        let logs = tempfile::tempdir()
            .map_err(|error| Error::io("create a folder in", &std::env::temp_dir(), error))?;
        // Without an answer, pods only have the cgroup of their sandbox.
        let config: Option<Only<LinuxRuntimeConfiguration>> =
            client.call("RuntimeConfig", Empty {}).await.ok();
        let cgroup_driver = config.map(|config| config.message.unwrap_or_default().cgroup_driver());
        Ok(Driver {
            client,
            options: options.clone(),
            run,
            machine,
            cgroup_driver,
            cgroups: Mutex::default(),
            pods: AtomicU32::new(0),
            logs,
        })
    }

    /// Returns the connection to the runtime.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the settings of a container that runs until it is stopped.
    pub(super) fn container(&self, name: &str) -> ContainerConfig {
        self.container_with(name, &[])
    }

    /// Returns the settings of a container that ends with an error, if there is a command for that.
    pub(super) fn failing_container(&self, name: &str) -> Option<ContainerConfig> {
        let command = &self.options.failing_command;
        (!command.is_empty()).then(|| self.container_with(name, command))
    }

    /// Returns the settings of a container; an empty command means that of the image.
    fn container_with(&self, name: &str, command: &[String]) -> ContainerConfig {
        ContainerConfig {
            metadata: Some(ContainerMetadata { name: name.to_owned() }),
            image: Some(ImageSpec {
                image: self.options.image.clone(),
                user_specified_image: self.options.image.clone(),
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

    /// Names a new pod with its own network, and creates its cgroup.
    pub(super) fn new_pod(&self, purpose: &str) -> Pod {
        let number = self.pods.fetch_add(1, Ordering::Relaxed);
        let name = format!("{purpose}-{}-{number}", self.run);
        Pod {
            metadata: Some(PodSandboxMetadata {
                name: name.clone(),
                uid: format!("uid-{name}"),
                namespace: "nri-conformance".to_owned(),
                attempt: 0,
            }),
            log_directory: self.logs.path().join(&name).to_string_lossy().into_owned(),
            labels: [(LABEL.to_owned(), self.run.clone())].into(),
            linux: Some(LinuxPodSandboxConfig {
                cgroup_parent: self.create_cgroup(&format!("nri-conformance-{name}")),
                security_context: Some(LinuxSandboxSecurityContext {
                    namespace_options: Some(NAMESPACES),
                }),
            }),
            hostname: name,
        }
    }

    /// Sends a request. Returns the message of the runtime if it fails.
    async fn call<A: Message + Default + 'static>(
        &self,
        request: &str,
        content: impl Message + 'static,
    ) -> Result<A, String> {
        self.client.call(request, content).await.map_err(message)
    }

    /// Stops and removes all pods of this run, including those whose requests failed, and their
    /// cgroups. An abandoned request may still create a pod, so the list is read again until it has
    /// been empty for `quiet`.
    pub(super) async fn clean_up(&self, quiet: Duration) {
        let mut empty_since = Instant::now();
        let mut attempts = 0;
        loop {
            let pods = self.own_pods().await;
            if !pods.is_empty() && attempts < REMOVAL_ATTEMPTS {
                attempts += 1;
                empty_since = Instant::now();
                self.remove_all(pods).await;
            } else if empty_since.elapsed() >= quiet || attempts >= REMOVAL_ATTEMPTS {
                break;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        self.cgroups().clear();
    }

    async fn own_pods(&self) -> Vec<PodSandbox> {
        let filter = PodSandboxFilter {
            label_selector: [(LABEL.to_owned(), self.run.clone())].into(),
            ..PodSandboxFilter::default()
        };
        self.client.pods(filter).await.unwrap_or_default()
    }

    async fn remove_all(&self, pods: Vec<PodSandbox>) {
        for pod in pods {
            // The runtime may refuse to remove a pod that it has not stopped.
            let _ = self.stop_pod(&pod.id).await;
            if let Err(error) = self.remove_pod(&pod.id).await {
                tracing::warn!("cannot remove pod {}: {error}", pod.id);
            }
        }
    }

    /// Creates the cgroup of a pod, and returns the name that the runtime expects: a path, or a
    /// slice for systemd, which creates it itself. Returns an empty name if cgroups cannot be
    /// created.
    fn create_cgroup(&self, name: &str) -> String {
        match self.cgroup_driver {
            None => return String::new(),
            Some(CgroupDriver::Systemd) => return format!("{}.slice", name.replace('-', "_")),
            Some(CgroupDriver::Cgroupfs) => {}
        }
        let path = format!("/{name}");
        match self.machine.create_cgroup(&path) {
            Ok(cgroup) => {
                self.cgroups().push(cgroup);
                path
            }
            Err(error) => {
                tracing::debug!("cannot create the cgroup {path}: {error}");
                String::new()
            }
        }
    }

    fn cgroups(&self) -> MutexGuard<'_, Vec<PodCgroup>> {
        self.cgroups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pod {
    /// Returns the same pod for a further attempt.
    pub(super) fn retry(&self) -> Pod {
        let mut pod = self.clone();
        pod.metadata.get_or_insert_default().attempt += 1;
        pod
    }
}

/// The requests. Each returns the error message of the runtime if it fails.
impl Driver {
    pub(super) async fn run_pod(&self, pod: &Pod) -> Result<String, String> {
        let request = Only { message: Some(pod.clone()) };
        let running: Id = self.call("RunPodSandbox", request).await?;
        Ok(running.id)
    }

    pub(super) async fn stop_pod(&self, id: &str) -> Result<Empty, String> {
        self.call("StopPodSandbox", Id::new(id)).await
    }

    pub(super) async fn remove_pod(&self, id: &str) -> Result<Empty, String> {
        self.call("RemovePodSandbox", Id::new(id)).await
    }

    /// Stops and removes a pod, and ignores errors of the runtime.
    pub(super) async fn take_down(&self, id: &str) {
        let _ = self.stop_pod(id).await;
        let _ = self.remove_pod(id).await;
    }

    pub(super) async fn create(
        &self,
        pod: &Pod,
        id: &str,
        container: ContainerConfig,
    ) -> Result<String, String> {
        let request = CreateContainerRequest {
            pod_sandbox_id: id.to_owned(),
            config: Some(container),
            sandbox_config: Some(pod.clone()),
        };
        let created: Id = self.call("CreateContainer", request).await?;
        Ok(created.id)
    }

    pub(super) async fn start(&self, container: &str) -> Result<Empty, String> {
        self.call("StartContainer", Id::new(container)).await
    }

    /// Changes the resources of a container a little.
    pub(super) async fn update(&self, container: &str) -> Result<Empty, String> {
        let request = UpdateContainerResourcesRequest {
            container_id: container.to_owned(),
            linux: Some(LinuxContainerResources { cpu_shares: CPU_SHARES }),
        };
        self.call("UpdateContainerResources", request).await
    }

    /// Stops a container, and kills it if it has not ended after some time.
    pub(super) async fn stop(&self, container: &str) -> Result<Empty, String> {
        let request = StopContainerRequest {
            container_id: container.to_owned(),
            timeout: i64::try_from(GRACE.as_secs()).unwrap_or(i64::MAX),
        };
        self.call("StopContainer", request).await
    }

    pub(super) async fn remove(&self, container: &str) -> Result<Empty, String> {
        self.call("RemoveContainer", Id::new(container)).await
    }

    /// Creates and starts a container that runs until it is stopped.
    pub(super) async fn run_container(
        &self,
        pod: &Pod,
        id: &str,
        name: &str,
    ) -> Result<String, String> {
        let container = self.create(pod, id, self.container(name)).await?;
        self.start(&container).await?;
        Ok(container)
    }

    /// Returns the containers of a pod.
    pub(super) async fn containers_of(&self, id: &str) -> Result<Vec<Container>, String> {
        self.client.containers(id).await.map_err(message)
    }

    /// Waits until a container of a pod has ended.
    pub(super) async fn exited(&self, pod: &str, container: &str) -> Result<(), String> {
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
    pub(super) async fn state_of(&self, pod: &Pod) -> Option<PodSandboxState> {
        let pods = self.own_pods().await;
        let found = pods.iter().find(|found| found.metadata == pod.metadata);
        found.map(|found| found.state())
    }
}

/// Returns the message of an error of the runtime.
fn message(status: tonic::Status) -> String {
    status.message().to_owned()
}
