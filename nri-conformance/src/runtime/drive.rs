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
        pod::container(name, &self.image, &[])
    }

    /// Returns the settings of a container that ends with an error, if there is a command for that.
    pub(super) fn failing_container(&self, name: &str) -> Option<ContainerConfig> {
        let command = self.failing_command.as_slice();
        (!command.is_empty()).then(|| pod::container(name, &self.image, command))
    }

    /// Names a new pod, and creates its cgroup.
    pub(super) fn new_pod(&self, purpose: &str) -> Pod {
        let number = self.pods.fetch_add(1, Ordering::Relaxed);
        let name = format!("{purpose}-{}-{number}", self.run);
        let cgroup = self.create_cgroup(&format!("nri-conformance-{name}"));
        Pod::new(&name, &self.run, self.logs.path(), cgroup)
    }

    /// Sends a request. Returns the message of the runtime if it fails.
    async fn call<A: prost::Message + Default + 'static>(
        &self,
        request: &str,
        content: impl prost::Message + 'static,
    ) -> Result<A, String> {
        self.client.call(request, content).await.map_err(message)
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
