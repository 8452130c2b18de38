//! Plugins that fail RunPodSandbox or CreateContainer once.

use std::sync::Arc;
use std::time::Duration;

use nri::api::PodSandbox;
use tokio::time::Instant;

use super::{Played, Scene, unlike};
use crate::runtime::Stage;
use crate::runtime::cri::messages::PodSandboxState;
use crate::runtime::drive::{Driver, Pod};
use crate::runtime::event::Hook;
use crate::runtime::journal::Record;
use crate::runtime::judgement::{Ended, Test, fail, skip, tests};
use crate::runtime::machine::{Machine, Pause};
use crate::runtime::observer::{Action, FIRST, MIDDLE};
use crate::runtime::pods::absent;

/// The time that a runtime has to remove the remains of a pod that failed.
const CLEANED_UP: Duration = Duration::from_secs(5);

/// The interval at which the remains are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

pub(crate) const POD: [Test; 3] = tests! {
    "R3" "retry-has-a-new-id" "RunPodSandbox for a second attempt of a pod"
        => "an id that no sandbox had before";
    "E2" "rejected-pod-is-cleaned-up" "RunPodSandbox, which a plugin fails once, and then a second attempt"
        => "nothing is left of a pod whose request failed, and the second attempt succeeds";
    "E6" "accepting-plugins-are-informed" "RunPodSandbox, which a later plugin fails"
        => "StopPodSandbox and then RemovePodSandbox for the plugins that accepted the pod";
};

pub(crate) async fn pod(stage: &Arc<Stage>, driver: &Driver) -> Played<3> {
    let scene = Scene::misbehaving(stage, Hook::RUN_POD, Action::FailOnce).await?;
    let pod = driver.new_pod("rejected");
    let result = driver.run_pod(&pod).await;
    let seen = facts(&scene.journal.read(), &pod);
    let left = match (&result, &seen) {
        (Err(_), Some(seen)) => remains(&stage.machine, driver, &pod, seen).await,
        (Ok(_), _) | (_, None) => Vec::new(),
    };
    let retry = driver.run_pod(&pod.retry()).await;
    for id in result.iter().chain(&retry) {
        driver.take_down(id).await;
    }
    let record = scene.end().await;
    let Some(PodSandbox { id, .. }) = seen else {
        return Ok([(); 3].map(|()| Err(absent(Hook::RUN_POD))));
    };
    Ok([
        retry_has_a_new_id(&id, &retry),
        is_cleaned_up(&result, &left, &retry),
        accepting_plugins_are_informed(&record, &id, &result),
    ])
}

/// Returns the facts in the first Run event of a pod.
fn facts(record: &Record, pod: &Pod) -> Option<PodSandbox> {
    let name = &pod.metadata.as_ref()?.name;
    record
        .arrivals()
        .filter(|arrival| arrival.hook == Hook::RUN_POD)
        .filter_map(|arrival| arrival.facts.as_deref())
        .find(|facts| facts.name == *name)
        .cloned()
}

/// Returns the remains of a pod whose request failed, after giving the runtime time to remove them.
async fn remains(machine: &Machine, driver: &Driver, pod: &Pod, seen: &PodSandbox) -> Vec<String> {
    // A runtime that could not remove everything lists the pod, and the kubelet then removes it.
    if driver.state_of(pod).await == Some(PodSandboxState::NotReady) {
        driver.take_down(&seen.id).await;
    }
    let deadline = Instant::now() + CLEANED_UP;
    loop {
        let left = look_for(machine, driver, pod, seen).await;
        if left.is_empty() || Instant::now() > deadline {
            return left;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

async fn look_for(machine: &Machine, driver: &Driver, pod: &Pod, seen: &PodSandbox) -> Vec<String> {
    let mut left = Vec::new();
    if driver.state_of(pod).await == Some(PodSandboxState::Ready) {
        left.push("a sandbox in the list of pods that is ready".to_owned());
    }
    let state = machine.read(seen);
    if let Pause::Running(pid) = state.pause {
        left.push(format!("the process {pid} of the sandbox"));
    }
    if state.has_own_network() {
        left.push("the network namespace".to_owned());
    }
    left
}

/// R3: the attempt after a failed one has another sandbox.
fn retry_has_a_new_id(first: &str, retry: &Result<String, String>) -> Ended {
    match retry {
        Err(message) => skip(format!("the second attempt failed, see E2: {message}")),
        Ok(second) => unlike(first, second),
    }
}

/// E2 and C3: if an error of a plugin fails the request, nothing is left of the pod or container, and a second attempt
/// succeeds.
fn is_cleaned_up(
    result: &Result<String, String>,
    left: &[String],
    retry: &Result<String, String>,
) -> Ended {
    match (result, left.first(), retry) {
        // The policy of the runtime is to run the pod anyway.
        (Ok(_), ..) => Ok(()),
        (Err(_), Some(left), _) => fail(format!("an error, and {left}")),
        (Err(_), None, Err(message)) => fail(format!("an error of the second attempt: {message}")),
        (Err(_), None, Ok(_)) => Ok(()),
    }
}

/// E6: the plugins that accepted a pod are informed that it is gone.
fn accepting_plugins_are_informed(
    record: &Record,
    id: &str,
    result: &Result<String, String>,
) -> Ended {
    if result.is_ok() {
        return skip("the runtime runs a pod although a plugin rejects it");
    }
    let arrived = |hook| record.first(FIRST.name, id, hook).map(|event| event.at);
    let presence = |at: Option<Duration>| at.map_or("did not arrive", |_| "arrived");
    match (arrived(Hook::STOP_POD), arrived(Hook::REMOVE_POD)) {
        (Some(stop), Some(remove)) if stop <= remove => Ok(()),
        (stop, remove) => fail(format!(
            "the first plugin: StopPodSandbox {}, RemovePodSandbox {}",
            presence(stop),
            presence(remove)
        )),
    }
}

pub(crate) const CONTAINER: [Test; 1] = tests! {
    "C3" "rejected-container-is-cleaned-up" "CreateContainer, which a plugin fails once, and then a second attempt"
        => "an error; nothing is left of the container, and the second attempt succeeds";
};

pub(crate) async fn container(stage: &Arc<Stage>, driver: &Driver) -> Played<1> {
    let scene = Scene::misbehaving(stage, Hook::CREATE, Action::FailOnce).await?;
    let pod = driver.new_pod("picky");
    let id = driver.run_pod(&pod).await?;
    let result = driver.create(&pod, &id, driver.container("main")).await;
    let left = match &result {
        Ok(_) => Vec::new(),
        Err(_) => driver.containers_of(&id).await?,
    };
    let left: Vec<String> = left
        .iter()
        .map(|container| format!("container {} in the list", container.id))
        .collect();
    let retry = driver.run_container(&pod, &id, "main").await;
    driver.take_down(&id).await;
    let record = scene.end().await;
    if record.first(MIDDLE.name, &id, Hook::CREATE).is_none() {
        return Ok([Err(absent(Hook::CREATE))]);
    }
    Ok([match &result {
        Ok(container) => fail(format!("container {container}")),
        Err(_) => is_cleaned_up(&result, &left, &retry),
    }])
}
