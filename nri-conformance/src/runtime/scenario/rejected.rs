//! Plugins that fail RunPodSandbox or CreateContainer once.

use std::sync::Arc;
use std::time::Duration;

use nri::api::PodSandbox;

use super::{Scenario, Stage, disconnect, unlike};
use crate::runtime::cri::messages::PodSandboxState;
use crate::runtime::drive::{Driver, Pod};
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Ended, Test, fail, skip, tests};
use crate::runtime::machine::Pause;
use crate::runtime::observer::{Action, FIRST, MIDDLE, Record};
use crate::runtime::pods::missing;

/// The time that a runtime has to remove the remains of a pod that failed.
const CLEANED_UP: Duration = Duration::from_secs(5);

/// The interval at which the remains are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A pod that a plugin rejected.
#[derive(Debug)]
pub(crate) struct RejectedPod {
    pub(crate) record: Arc<Record>,
    /// The id of the sandbox in the events.
    pub(crate) id: Option<String>,
    /// The outcome of the request.
    pub(crate) result: Result<String, String>,
    /// The parts of the pod that remained after its request had failed.
    pub(crate) left: Vec<String>,
    /// The outcome of the second attempt.
    pub(crate) retry: Result<String, String>,
}

/// A container that a plugin rejected.
#[derive(Debug)]
pub(crate) struct RejectedContainer {
    /// True if the plugin received the event, and rejected it.
    pub(crate) rejected: bool,
    /// The outcome of the request.
    pub(crate) result: Result<String, String>,
    /// The containers of the pod after the request had failed.
    pub(crate) left: Vec<String>,
    /// The outcome of the second attempt.
    pub(crate) retry: Result<String, String>,
}

impl Scenario for RejectedPod {
    type Evidence = RejectedPod;

    const TESTS: &[Test<Self::Evidence>] = tests! {
        "R3" "retry-has-a-new-id" retry_has_a_new_id;
        "E2" "rejected-pod-is-cleaned-up" rejected_pod_is_cleaned_up;
        "E6" "accepting-plugins-are-informed" accepting_plugins_are_informed;
    };

    async fn play(stage: &Stage, driver: &Driver) -> Result<RejectedPod, String> {
        let (surroundings, observers) = stage.misbehaving(Hook::RUN_POD, Action::FailOnce).await?;
        let pod = driver.new_pod("rejected");
        let result = driver.run_pod(&pod).await;
        let seen = facts(&surroundings.journal.read(), &pod);
        let left = if result.is_err() {
            stage.left_of(driver, &pod, seen.as_ref()).await
        } else {
            Vec::new()
        };
        let retry = driver.run_pod(&pod.retry()).await;
        for id in result.iter().chain(&retry) {
            driver.take_down(id).await;
        }
        disconnect(observers).await;
        Ok(RejectedPod {
            record: Arc::new(surroundings.journal.read()),
            id: seen.map(|facts| facts.id),
            result,
            left,
            retry,
        })
    }
}

impl Scenario for RejectedContainer {
    type Evidence = RejectedContainer;

    const TESTS: &[Test<Self::Evidence>] = tests! {
        "C3" "rejected-container-is-cleaned-up" rejected_container_is_cleaned_up;
    };

    async fn play(stage: &Stage, driver: &Driver) -> Result<RejectedContainer, String> {
        let (surroundings, observers) = stage.misbehaving(Hook::CREATE, Action::FailOnce).await?;
        let pod = driver.new_pod("picky");
        let id = driver.run_pod(&pod).await?;
        let result = driver.create(&pod, &id, driver.container("main")).await;
        let left = match &result {
            Ok(_) => Vec::new(),
            Err(_) => driver.containers_of(&id).await?,
        };
        let retry = driver.run_container(&pod, &id, "main").await;
        driver.take_down(&id).await;
        disconnect(observers).await;
        let record = surroundings.journal.read();
        Ok(RejectedContainer {
            rejected: record.first(MIDDLE.name, &id, Hook::CREATE).is_some(),
            result,
            left,
            retry,
        })
    }
}

impl Stage {
    /// Returns the remains of a pod whose request failed, after giving the runtime time to remove them.
    async fn left_of(&self, driver: &Driver, pod: &Pod, seen: Option<&PodSandbox>) -> Vec<String> {
        // A runtime that could not remove everything lists the pod, and the kubelet then removes it.
        if let (Some(PodSandboxState::NotReady), Some(seen)) = (driver.state_of(pod).await, seen) {
            driver.take_down(&seen.id).await;
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

    async fn look_for(&self, driver: &Driver, pod: &Pod, seen: Option<&PodSandbox>) -> Vec<String> {
        let mut left = Vec::new();
        if driver.state_of(pod).await == Some(PodSandboxState::Ready) {
            left.push("a sandbox in the list of pods that is ready".to_owned());
        }
        let Some(seen) = seen else { return left };
        let state = self.machine.read(seen);
        if let Pause::Running(pid) = state.pause {
            left.push(format!("the process {pid} of the sandbox"));
        }
        if state.has_own_network() {
            left.push("the network namespace".to_owned());
        }
        left
    }
}

/// Returns the facts in the first Run event of a pod.
fn facts(record: &Record, pod: &Pod) -> Option<PodSandbox> {
    let mut entries = record.entries.iter();
    entries
        .find(|entry| entry.event.hook == Hook::RUN_POD && entry.event.pod.name == pod.name())
        .map(|entry| entry.event.pod.clone())
}

/// R3: the attempt after a failed one has another sandbox.
fn retry_has_a_new_id(rejected: &RejectedPod) -> Ended {
    match (&rejected.id, &rejected.retry) {
        (None, _) => missing(Hook::RUN_POD),
        (Some(_), Err(message)) => skip(format!("the second attempt failed, see E2: {message}")),
        (Some(first), Ok(second)) => unlike(first, second),
    }
}

/// E2: if an error of a plugin fails the request, nothing is left of the pod, and it can be run again.
fn rejected_pod_is_cleaned_up(rejected: &RejectedPod) -> Ended {
    if rejected.id.is_none() {
        return missing(Hook::RUN_POD);
    }
    let sent = "RunPodSandbox, which a plugin fails once";
    if let (Err(_), Some(left)) = (&rejected.result, rejected.left.first()) {
        return fail(
            sent,
            format!("an error, and {left}"),
            "nothing is left of a pod whose request failed",
        );
    }
    match (&rejected.result, &rejected.retry) {
        (Err(_), Err(message)) => fail(
            "RunPodSandbox again, after a plugin had failed it once",
            message.as_str(),
            "the second attempt succeeds",
        ),
        // The policy of the runtime is to run the pod anyway.
        (Ok(_), _) | (Err(_), Ok(_)) => Ok(()),
    }
}

/// E6: the plugins that accepted a pod are informed that it is gone.
fn accepting_plugins_are_informed(rejected: &RejectedPod) -> Ended {
    let Some(id) = &rejected.id else {
        return missing(Hook::RUN_POD);
    };
    if rejected.result.is_ok() {
        return skip("the runtime runs a pod although a plugin rejects it");
    }
    let arrived = |hook| rejected.record.first(FIRST.name, id, hook);
    match (arrived(Hook::STOP_POD), arrived(Hook::REMOVE_POD)) {
        (Some(stop), Some(remove)) if stop.started <= remove.started => Ok(()),
        (stop, remove) => fail(
            "RunPodSandbox, which a later plugin fails",
            format!(
                "the first plugin: StopPodSandbox {}, RemovePodSandbox {}",
                presence(stop.is_some()),
                presence(remove.is_some())
            ),
            "StopPodSandbox and then RemovePodSandbox for the plugins that accepted the pod",
        ),
    }
}

fn presence(arrived: bool) -> &'static str {
    if arrived { "arrived" } else { "did not arrive" }
}

/// C3: an error of a plugin fails CreateContainer, nothing is left, and the container can be created again.
fn rejected_container_is_cleaned_up(rejected: &RejectedContainer) -> Ended {
    if !rejected.rejected {
        return missing(Hook::CREATE);
    }
    let sent = "CreateContainer, which a plugin fails once";
    match (&rejected.result, rejected.left.first(), &rejected.retry) {
        (Ok(container), ..) => fail(sent, format!("container {container}"), "an error"),
        (Err(_), Some(left), _) => fail(
            sent,
            format!("an error, and container {left} in the list"),
            "nothing is left of a container whose request failed",
        ),
        (Err(_), None, Err(message)) => fail(
            "CreateContainer again, after a plugin had failed it once",
            message.as_str(),
            "the second attempt succeeds",
        ),
        (Err(_), None, Ok(_)) => Ok(()),
    }
}
