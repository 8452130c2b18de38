//! Plugins that misbehave while a pod or container is set up: they fail the hook, do not answer in
//! time, or start a container early.

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
use crate::runtime::machine::Pause;
use crate::runtime::observer::{Action, FIRST, LAST, MIDDLE};
use crate::runtime::pods::absent;

/// The time that a runtime has to remove the remains of a pod that failed.
const CLEANED_UP: Duration = Duration::from_secs(5);

/// The interval at which the remains are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The id of a pod or container, or the message of the runtime.
type Created = Result<String, String>;

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
        (Err(_), Some(seen)) => remains(stage, driver, &pod, seen).await,
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
async fn remains(stage: &Stage, driver: &Driver, pod: &Pod, seen: &PodSandbox) -> Vec<String> {
    // A runtime that could not remove everything lists the pod, and the kubelet then removes it.
    if driver.state_of(pod).await == Some(PodSandboxState::NotReady) {
        driver.take_down(&seen.id).await;
    }
    let deadline = Instant::now() + CLEANED_UP;
    loop {
        let left = look_for(stage, driver, pod, seen).await;
        if left.is_empty() || Instant::now() > deadline {
            return left;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

async fn look_for(stage: &Stage, driver: &Driver, pod: &Pod, seen: &PodSandbox) -> Vec<String> {
    let mut left = Vec::new();
    if driver.state_of(pod).await == Some(PodSandboxState::Ready) {
        left.push("a sandbox in the list of pods that is ready".to_owned());
    }
    let state = stage.machine.read(seen);
    if let Pause::Running(pid) = state.pause {
        left.push(format!("the process {pid} of the sandbox"));
    }
    if state.has_own_network() {
        left.push("the network namespace".to_owned());
    }
    left
}

/// R3: the attempt after a failed one has another sandbox.
fn retry_has_a_new_id(first: &str, retry: &Created) -> Ended {
    match retry {
        Err(message) => skip(format!("the second attempt failed, see E2: {message}")),
        Ok(second) => unlike(first, second),
    }
}

/// E2 and C3: if an error of a plugin fails the request, nothing is left of the pod or container,
/// and a second attempt succeeds.
fn is_cleaned_up(result: &Created, left: &[String], retry: &Created) -> Ended {
    match (result, left.first(), retry) {
        // The policy of the runtime is to run the pod anyway.
        (Ok(_), ..) => Ok(()),
        (Err(_), Some(left), _) => fail(format!("an error, and {left}")),
        (Err(_), None, Err(message)) => fail(format!("an error of the second attempt: {message}")),
        (Err(_), None, Ok(_)) => Ok(()),
    }
}

/// E6: the plugins that accepted a pod are informed that it is gone.
fn accepting_plugins_are_informed(record: &Record, id: &str, result: &Created) -> Ended {
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
    let containers = match &result {
        Ok(_) => Vec::new(),
        Err(_) => driver.containers_of(&id).await?,
    };
    let left: Vec<String> = containers
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

/// The time within which the runtime must close the connection after the request.
const CLOSED: Duration = Duration::from_secs(3);

pub(crate) const HANGING: [Test; 1] = tests! {
    "E1" "timeout-is-an-error" "RunPodSandbox to a plugin that does not answer within the request timeout"
        => "an error of the request, or the end of the connection";
};

pub(crate) async fn hanging(stage: &Arc<Stage>, driver: &Driver) -> Played<1> {
    let scene = Scene::misbehaving(stage, Hook::RUN_POD, Action::Hang).await?;
    let started = Instant::now();
    let result = driver.run_pod(&driver.new_pod("hanging")).await;
    let took = started.elapsed();
    let lost = scene.journal.wait(CLOSED, |record| record.lost.contains(&MIDDLE.name));
    let disconnected = lost.await;
    if let Ok(id) = &result {
        driver.take_down(id).await;
    }
    let record = scene.end().await;
    let mut arrivals = record.arrivals_of(MIDDLE.name);
    if !arrivals.any(|arrival| arrival.hook == Hook::RUN_POD) {
        return Ok([Err(absent(Hook::RUN_POD))]);
    }
    let limit = stage.options.timeout;
    Ok([if took >= limit {
        fail(format!("no answer to the request within {limit:?}"))
    } else if result.is_err() || disconnected {
        Ok(())
    } else {
        fail(format!("the request succeeded after {took:.1?}, and the plugin is still connected"))
    }])
}

pub(crate) const EARLY: [Test; 1] = tests! {
    "O5" "early-workload-is-refused" "CreateContainer and StartContainer while RunPodSandbox was held"
        => "no container starts before all hooks have returned";
};

pub(crate) async fn early(stage: &Arc<Stage>, driver: &Driver) -> Played<1> {
    let script = vec![(Hook::RUN_POD, Action::StartWorkload)];
    let scene = Scene::connect(stage, [(FIRST, Vec::new()), (LAST, script)]).await?;
    let id = driver.run_pod(&driver.new_pod("early")).await?;
    let attempt = scene.journal.read().attempt;
    driver.take_down(&id).await;
    scene.end().await;
    // There is no attempt if no Run event arrived before the response.
    Ok([attempt.unwrap_or_else(|| Err(absent(Hook::RUN_POD)))])
}
