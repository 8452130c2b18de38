//! The life of pods without any misbehaviour.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::{Scene, unlike};
use crate::runtime::Stage;
use crate::runtime::cri::messages::Empty;
use crate::runtime::drive::{Driver, Pod};
use crate::runtime::event::Hook;
use crate::runtime::journal::{PodRequest, Record};
use crate::runtime::judgement::{Ended, Test, fail, skip, tests};
use crate::runtime::observer::{Action, FIRST, LAST, WATCHING};
use crate::runtime::pods::{absent, containers};
use crate::runtime::sequence::Arrival;
use crate::{Error, Result};

/// The time for which the Stop hook is held, so that changes during it can be detected.
const STOP_HELD: Duration = Duration::from_millis(300);

/// The time to wait after the response for an event that belongs to the request.
const LATE: Duration = Duration::from_secs(1);

pub(crate) const TESTS: [Test; 7] = tests! {
    "R3" "ids-are-new" "RunPodSandbox for a second attempt of a pod"
        => "an id that no sandbox had before";
    "R3" "stopped-sandbox-is-not-reused" "CreateContainer in a stopped pod"
        => "an error: a sandbox is not used again after it was stopped";
    "C1" "container-events-in-order" "the requests of the life of a container"
        => "CreateContainer, StartContainer, StopContainer, RemoveContainer, with its name and pod";
    "C1" "failing-container-events-in-order" "the requests of the life of a container that ends with an error"
        => "CreateContainer, StartContainer, StopContainer, RemoveContainer, with its name and pod";
    "C2" "not-listed-during-create" "ListContainers during CreateContainer"
        => "the container is not listed before all hooks have returned";
    "C4" "second-stop-succeeds" "StopPodSandbox of a stopped pod"
        => "success";
    "Y1" "metadata-is-correct" "all requests about a pod"
        => "every event has the name and the uid of the pod";
};

/// The ids of the pods whose life was observed, and everything that was recorded about them.
pub(crate) type Observed = (BTreeSet<String>, Record);

/// Runs two pods, one after the other, and judges what all the other tests need.
pub(crate) async fn play(
    stage: &Arc<Stage>,
    driver: &Driver,
) -> Result<(Observed, [Ended; TESTS.len()])> {
    let script = vec![
        (Hook::RUN_POD, Action::Inspect),
        (Hook::CREATE, Action::Inspect),
        (Hook::STOP_POD, Action::Watch(STOP_HELD)),
        (Hook::REMOVE_POD, Action::Inspect),
    ];
    let scene = Scene::connect(stage, [(FIRST, Vec::new()), (LAST, script)]).await?;
    let life = Life { scene: &scene, driver };
    let pod = driver.new_pod("orderly");
    let orderly = life.orderly(&pod).await?;
    let busy = life.busy(&pod.retry()).await?;
    let mut record = scene.end().await;
    // The requests about these containers succeeded, and they end only on request.
    let container = orderly.updated.then_some(&orderly.container);
    for sequence in &mut record.sequences {
        let undisturbed = container.into_iter().chain([&busy.container]);
        sequence.undisturbed.extend(undisturbed.cloned());
    }
    let ended = [
        unlike(&orderly.id, &busy.id),
        stopped_sandbox_is_not_reused(&busy),
        events_of(&record, &orderly, &orderly.container, "main"),
        failing_container_events_in_order(&record, &orderly),
        not_listed_during_create(&record, &orderly),
        second_stop_succeeds(&orderly),
        metadata_is_correct(&record, &pod, &orderly.id),
    ];
    Ok((([orderly.id, busy.id].into(), record), ended))
}

/// The running scenario.
struct Life<'a> {
    scene: &'a Scene,
    driver: &'a Driver,
}

/// The pod whose containers are stopped and removed one by one, and that is stopped twice.
struct Orderly {
    id: String,
    /// The container that lives until it is stopped.
    container: String,
    /// True if the container was updated.
    updated: bool,
    /// The container that ends with an error, if there is a command for that.
    failing: Option<Result<String, String>>,
    /// The outcomes of stopping the pod twice.
    stopped_twice: [Result<Empty, String>; 2],
}

/// The pod that is stopped while its container runs.
struct Busy {
    id: String,
    /// The container that runs when the pod is stopped.
    container: String,
    /// The outcome of creating a container after the pod was stopped.
    reused: Result<String, String>,
}

impl Life<'_> {
    async fn orderly(&self, pod: &Pod) -> Result<Orderly> {
        let driver = self.driver;
        let id = self.run(pod).await?;
        let container = self.workload(pod, &id, "main").await?;
        let updated = driver.update(&container).await.is_ok();
        let _ = driver.stop(&container).await;
        let _ = driver.remove(&container).await;
        let failing = run_failing(driver, pod, &id).await;
        let stopped_twice = [self.stop(&id).await, driver.stop_pod(&id).await];
        self.remove(&id).await;
        Ok(Orderly { id, container, updated, failing, stopped_twice })
    }

    async fn busy(&self, pod: &Pod) -> Result<Busy> {
        let id = self.run(pod).await?;
        let container = self.workload(pod, &id, "busy").await?;
        let _ = self.stop(&id).await;
        let late = self.driver.container("late");
        let reused = self.driver.create(pod, &id, late).await;
        self.remove(&id).await;
        Ok(Busy { id, container, reused })
    }

    async fn run(&self, pod: &Pod) -> Result<String> {
        let started = self.scene.journal.now();
        let id = self.driver.run_pod(pod).await.map_err(|message| {
            Error::new(format!("the runtime cannot run a plain pod: {message}")).with_help(
                "check that the runtime runs pods with their own network: it needs a network configuration",
            )
        })?;
        self.answered(Hook::RUN_POD, &id, started);
        Ok(id)
    }

    async fn workload(&self, pod: &Pod, id: &str, name: &str) -> Result<String> {
        let container = self.driver.run_container(pod, id, name).await;
        container.map_err(|message| {
            Error::new(format!("the runtime cannot run a plain container: {message}"))
                .with_help("check that the runtime has the image, and that its command runs until it is stopped")
        })
    }

    async fn stop(&self, id: &str) -> Result<Empty, String> {
        let started = self.scene.journal.now();
        let stopped = self.driver.stop_pod(id).await;
        self.answered(Hook::STOP_POD, id, started);
        stopped
    }

    /// Removes a pod, and waits for late events and those that arrive twice.
    async fn remove(&self, id: &str) {
        let started = self.scene.journal.now();
        let _ = self.driver.remove_pod(id).await;
        self.answered(Hook::REMOVE_POD, id, started);
        let removed = self.scene.journal.wait(LATE, |record| {
            let removed = record.first(LAST.name, id, Hook::REMOVE_POD);
            removed.is_some_and(|event| event.answered.is_some())
        });
        removed.await;
        self.scene.settle().await;
    }

    fn answered(&self, hook: Hook, id: &str, started: Duration) {
        let journal = &self.scene.journal;
        let request = PodRequest { pod: id.to_owned(), hook, time: started..journal.now() };
        journal.write(|record| record.requests.push(request));
    }
}

/// Runs a container that ends with an error, and removes it after it has ended.
async fn run_failing(driver: &Driver, pod: &Pod, id: &str) -> Option<Result<String, String>> {
    let config = driver.failing_container("failing")?;
    let run = async {
        let container = driver.create(pod, id, config).await?;
        driver.start(&container).await?;
        driver.exited(id, &container).await?;
        driver.stop(&container).await?;
        driver.remove(&container).await?;
        Ok(container)
    };
    Some(run.await)
}

/// R3: no container is created in a sandbox that was stopped.
fn stopped_sandbox_is_not_reused(busy: &Busy) -> Ended {
    match &busy.reused {
        Err(_) => Ok(()),
        Ok(container) => fail(format!("container {container} in pod {}", busy.id)),
    }
}

/// C1 for a container that ends with an error.
fn failing_container_events_in_order(record: &Record, pod: &Orderly) -> Ended {
    match &pod.failing {
        None => skip("no command that ends with an error was given"),
        Some(Err(message)) => skip(format!("the container could not be run: {message}")),
        Some(Ok(container)) => events_of(record, pod, container, "failing"),
    }
}

/// C1: Create, Start, Stop and Remove of a container arrive once each, in this order, with its name
/// and its pod.
fn events_of(record: &Record, pod: &Orderly, container: &str, name: &str) -> Ended {
    let pod = &pod.id;
    let is_mislabelled = |event: &&Arrival| {
        let facts = event.container.as_ref();
        event.pod != *pod || facts.is_some_and(|facts| facts.name != name || facts.pod != *pod)
    };
    for observer in WATCHING {
        let events: Vec<&Arrival> = record
            .arrivals_of(observer)
            .filter(|event| event.hook.is_life_of_container())
            .filter(|event| event.is_about_container(container))
            .collect();
        let hooks: Vec<Hook> = events.iter().map(|event| event.hook).collect();
        let mislabelled = events.iter().any(is_mislabelled);
        if hooks != [Hook::CREATE, Hook::START, Hook::STOP, Hook::REMOVE] || mislabelled {
            let names: Vec<String> = hooks.iter().map(ToString::to_string).collect();
            let wrong = if mislabelled { ", with a wrong name or pod" } else { "" };
            return fail(format!(
                "plugin {observer} received {} of container {container} in pod {pod}{wrong}",
                names.join(", ")
            ));
        }
    }
    Ok(())
}

/// C2: a container is not listed before its CreateContainer hook returns.
fn not_listed_during_create(record: &Record, pod: &Orderly) -> Ended {
    let create = record.first(LAST.name, &pod.id, Hook::CREATE);
    let Some(view) = create.and_then(|event| event.views.first()) else {
        return Err(absent(Hook::CREATE));
    };
    match containers(view)?.iter().find(|found| found.id == pod.container) {
        None => Ok(()),
        Some(found) => fail(format!("container {}", found.id)),
    }
}

/// C4: stopping a pod a second time succeeds.
fn second_stop_succeeds(pod: &Orderly) -> Ended {
    match &pod.stopped_twice {
        [Err(message), _] => skip(format!("the pod could not be stopped once: {message}")),
        [Ok(_), Ok(_)] => Ok(()),
        [Ok(_), Err(message)] => fail(message),
    }
}

/// The events contain the pod that the driver requested.
fn metadata_is_correct(record: &Record, pod: &Pod, id: &str) -> Ended {
    let asked = pod.metadata.clone().unwrap_or_default();
    for event in WATCHING.iter().flat_map(|name| record.events(name, id)) {
        let wrong = event
            .facts
            .as_deref()
            .filter(|facts| facts.name != asked.name || facts.uid != asked.uid);
        if let Some(wrong) = wrong {
            return fail(format!(
                "{event} about pod {} with uid {} instead of pod {} with uid {}",
                wrong.name, wrong.uid, asked.name, asked.uid
            ));
        }
    }
    Ok(())
}

/// Observes the existing workload for a while, or until `stop` completes, and returns the pods that
/// started to run.
pub(crate) async fn watch(
    stage: &Arc<Stage>,
    time: Duration,
    stop: impl Future<Output = ()>,
) -> Result<Observed> {
    let script = [Hook::RUN_POD, Hook::STOP_POD, Hook::REMOVE_POD]
        .map(|hook| (hook, Action::Inspect))
        .into();
    let scene = Scene::connect(stage, [(FIRST, Vec::new()), (LAST, script)]).await?;
    // In both cases, everything observed so far is judged.
    let _ = tokio::time::timeout(time, stop).await;
    scene.settle().await;
    let record = scene.end().await;
    let begun = record.arrivals().filter(|arrival| arrival.hook == Hook::RUN_POD);
    Ok((begun.map(|arrival| arrival.pod.clone()).collect(), record))
}
