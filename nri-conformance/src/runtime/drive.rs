//! The driver: runs pods and containers through the runtime's CRI socket, like a kubelet.

mod pod;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::runtime::Options;
use crate::runtime::cri::Client;
use crate::runtime::cri::messages::{
    CgroupDriver, ContainerConfig, Empty, PodSandbox, PodSandboxFilter, RuntimeConfigResponse,
};
use crate::runtime::event::LABEL;
use crate::runtime::machine::{Machine, PodCgroup};
use crate::{Error, Result};

pub(super) use pod::Pod;

/// The number of attempts to remove remaining pods at the end.
const REMOVAL_ATTEMPTS: u32 = 3;

/// The interval at which remaining pods are listed.
const LIST_INTERVAL: Duration = Duration::from_millis(50);

/// A driver with the pods that it has run and not yet removed.
#[derive(Debug)]
pub(super) struct Driver {
    client: Client,
    image: String,
    failing_command: Vec<String>,
    /// The label of the pods of this run.
    run: String,
    machine: Machine,
    cgroup_driver: Option<CgroupDriver>,
    /// The cgroups of pods, created in the same way as by a kubelet.
    cgroups: Mutex<Vec<PodCgroup>>,
    calls: Mutex<Vec<Call>>,
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
        let config: Option<RuntimeConfigResponse> =
            client.call("RuntimeConfig", Empty {}).await.ok();
        let cgroup_driver = config.map(|config| config.linux.unwrap_or_default().cgroup_driver());
        Ok(Driver {
            client,
            image: options.image.clone(),
            failing_command: options.failing_command.clone(),
            run,
            machine,
            cgroup_driver,
            cgroups: Mutex::default(),
            calls: Mutex::default(),
            pods: AtomicU32::new(0),
            logs,
        })
    }

    /// Returns the connection to the runtime.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Returns true if there is a command that ends with an error.
    pub(super) fn can_fail(&self) -> bool {
        !self.failing_command.is_empty()
    }

    /// Returns the settings of a container that runs until it is stopped.
    pub(super) fn container(&self, name: &str) -> ContainerConfig {
        pod::container(name, &self.image, &[])
    }

    /// Returns the settings of a container that ends with an error.
    pub(super) fn failing_container(&self, name: &str) -> ContainerConfig {
        pod::container(name, &self.image, &self.failing_command)
    }

    /// Names a new pod, and creates its cgroup.
    pub(super) fn new_pod(&self, purpose: &str) -> Pod {
        let number = self.pods.fetch_add(1, Ordering::Relaxed);
        let name = format!("{purpose}-{}-{number}", self.run);
        let cgroup = self.create_cgroup(&format!("nri-conformance-{name}"));
        Pod::new(pod::pod(&name, &self.run, self.logs.path(), cgroup))
    }

    /// Sends a request, and records it. Returns the id of the pod or container that was created, which `created` reads
    /// from the answer; empty for other requests.
    async fn call<A: prost::Message + Default + 'static>(
        &self,
        request: &'static str,
        id: &str,
        content: impl prost::Message + 'static,
        created: fn(A) -> String,
    ) -> Result<String, String> {
        let started = Instant::now();
        let answer = self.client.call(request, content).await;
        let result = answer.map(created).map_err(message);
        let call = Call {
            request,
            id: id.to_owned(),
            started,
            ended: Instant::now(),
            created: result.clone().ok().filter(|id| !id.is_empty()),
        };
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push(call);
        result
    }

    /// Sends a request that creates nothing, and records it.
    async fn change(
        &self,
        request: &'static str,
        id: &str,
        content: impl prost::Message + 'static,
    ) -> Result<(), String> {
        let nothing = |Empty {}| String::new();
        self.call(request, id, content, nothing).await.map(drop)
    }

    /// Returns the requests since the last call.
    pub(super) fn take_calls(&self) -> Vec<Call> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut calls)
    }

    /// Stops and removes all pods of this run, including those whose requests failed, and their cgroups. An abandoned
    /// request may still create a pod, so the list is read again until it has been empty for `quiet`.
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
            tokio::time::sleep(LIST_INTERVAL).await;
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

    /// Creates the cgroup of a pod, and returns the name that the runtime expects: a path, or a slice for systemd, which
    /// creates it itself. Returns an empty name if cgroups cannot be created.
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

/// Returns the message of an error of the runtime.
fn message(status: tonic::Status) -> String {
    status.message().to_owned()
}

/// A request that was answered.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The name, such as `RunPodSandbox`.
    pub(crate) request: &'static str,
    /// The id of the pod or container; for a new one, the name of the pod or the id of the pod.
    pub(crate) id: String,
    pub(crate) started: Instant,
    pub(crate) ended: Instant,
    /// The id of the pod or container that was created.
    pub(crate) created: Option<String>,
}

impl Call {
    /// Returns the id of the pod or container that the request was about, or that it created.
    pub(crate) fn subject(&self) -> &str {
        self.created.as_deref().unwrap_or(&self.id)
    }

    /// Returns true if the time from `started` to `ended` is within the request.
    pub(crate) fn contains(&self, started: Instant, ended: Option<Instant>) -> bool {
        self.started <= started && ended.is_some_and(|ended| ended <= self.ended)
    }
}
