//! Plugins that fail RunPodSandbox or CreateContainer once.

use std::sync::Arc;
use std::time::Duration;

use super::{FIRST, LAST, MIDDLE, Stage};
use crate::runtime::cri::messages::PodSandboxState;
use crate::runtime::drive::{Driver, Pod};
use crate::runtime::machine::{NamespaceKind, Pause};
use crate::runtime::observer::{Action, Hook, Observer, PodFacts, Record, Script, Surroundings};

/// The time that a runtime has to remove the remains of a pod that failed.
const CLEANED_UP: Duration = Duration::from_secs(5);

/// The interval at which the remains are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A pod that a plugin rejected.
#[derive(Debug)]
pub(in crate::runtime) struct RejectedPod {
    pub(in crate::runtime) record: Arc<Record>,
    /// The id of the sandbox in the events.
    pub(in crate::runtime) id: Option<String>,
    /// The outcome of the request.
    pub(in crate::runtime) result: Result<String, String>,
    /// The parts of the pod that remained after its request had failed.
    pub(in crate::runtime) left: Vec<String>,
    /// The outcome of the second attempt.
    pub(in crate::runtime) retry: Result<String, String>,
}

/// A container that a plugin rejected.
#[derive(Debug)]
pub(in crate::runtime) struct RejectedContainer {
    /// True if the plugin received the event, and rejected it.
    pub(in crate::runtime) rejected: bool,
    /// The outcome of the request.
    pub(in crate::runtime) result: Result<String, String>,
    /// The containers of the pod after the request had failed.
    pub(in crate::runtime) left: Vec<String>,
    /// The outcome of the second attempt.
    pub(in crate::runtime) retry: Result<String, String>,
}

impl Stage {
    /// Makes a plugin reject a pod once.
    pub(in crate::runtime) async fn rejected_pod(&self) -> Result<RejectedPod, String> {
        let (driver, surroundings, observers) = self.rejecting(Hook::RunPod).await?;
        let pod = driver.new_pod("rejected");
        let result = driver.run_pod(&pod).await;
        let seen = facts(&surroundings.journal.read(), &pod);
        let left = if result.is_err() {
            self.left_of(driver, &pod, seen.as_ref()).await
        } else {
            Vec::new()
        };
        let retry = driver.run_pod(&pod.retry()).await;
        for id in result.iter().chain(&retry) {
            let _ = driver.stop_pod(id).await;
            let _ = driver.remove_pod(id).await;
        }
        for observer in observers {
            observer.disconnect().await;
        }
        Ok(RejectedPod {
            record: Arc::new(surroundings.journal.read()),
            id: seen.map(|facts| facts.id),
            result,
            left,
            retry,
        })
    }

    /// Makes a plugin reject a container once.
    pub(in crate::runtime) async fn rejected_container(&self) -> Result<RejectedContainer, String> {
        let (driver, surroundings, observers) = self.rejecting(Hook::Create).await?;
        let pod = driver.new_pod("picky");
        let id = driver.run_pod(&pod).await?;
        let result = driver.create(&pod, &id, driver.container("main")).await;
        let left = match &result {
            Ok(_) => Vec::new(),
            Err(_) => driver.containers_of(&id).await?,
        };
        let retry = driver.run_container(&pod, &id, "main").await;
        let _ = driver.stop_pod(&id).await;
        let _ = driver.remove_pod(&id).await;
        for observer in observers {
            observer.disconnect().await;
        }
        let record = surroundings.journal.read();
        Ok(RejectedContainer {
            rejected: record.first(MIDDLE.name, &id, Hook::Create).is_some(),
            result,
            left,
            retry,
        })
    }

    /// Connects the plugins, of which the middle one fails a hook once.
    async fn rejecting(
        &self,
        hook: Hook,
    ) -> Result<(&Driver, Surroundings, Vec<Observer>), String> {
        let driver = self.driver().map_err(|error| error.to_string())?;
        let surroundings = self.surroundings(self.viewer());
        let observers = self
            .connect(
                &surroundings,
                [
                    (FIRST, Script::default()),
                    (MIDDLE, Script::default().on(hook, Action::FailOnce)),
                    (LAST, Script::default()),
                ],
            )
            .await?;
        Ok((driver, surroundings, observers))
    }

    /// Returns the remains of a pod whose request failed, after giving the runtime time to remove them.
    async fn left_of(&self, driver: &Driver, pod: &Pod, seen: Option<&PodFacts>) -> Vec<String> {
        // A runtime that could not remove everything lists the pod, and the kubelet then removes it.
        if let (Some(PodSandboxState::NotReady), Some(seen)) = (driver.state_of(pod).await, seen) {
            let _ = driver.stop_pod(&seen.id).await;
            let _ = driver.remove_pod(&seen.id).await;
        }
        let deadline = tokio::time::Instant::now() + CLEANED_UP;
        loop {
            let left = self.look_for(driver, pod, seen).await;
            if left.is_empty() || tokio::time::Instant::now() > deadline {
                return left;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    async fn look_for(&self, driver: &Driver, pod: &Pod, seen: Option<&PodFacts>) -> Vec<String> {
        let mut left = Vec::new();
        if driver.state_of(pod).await == Some(PodSandboxState::Ready) {
            left.push("a sandbox in the list of pods that is ready".to_owned());
        }
        let Some(seen) = seen else { return left };
        let state = self.machine.read(seen);
        if let Pause::Running(pid) = state.pause {
            left.push(format!("the process {pid} of the sandbox"));
        }
        let network = state.namespace(NamespaceKind::Network);
        if network.is_some_and(|found| found.inode.is_some() && !found.shared_with_node) {
            left.push("the network namespace".to_owned());
        }
        left
    }
}

/// Returns the facts in the first Run event of a pod.
fn facts(record: &Record, pod: &Pod) -> Option<PodFacts> {
    let mut entries = record.entries.iter();
    entries
        .find(|entry| entry.hook == Hook::RunPod && entry.pod.name == pod.name())
        .map(|entry| entry.pod.clone())
}
