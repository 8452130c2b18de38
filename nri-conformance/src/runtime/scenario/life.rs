//! The life of pods without any misbehaviour.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::runtime::drive::{Driver, Pod};
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Ended, Test, fail, skip, tests};
use crate::runtime::observer::{
    Action, FIRST, LAST, Record, RecordedEvent, Script, Surroundings, WATCHING,
};
use crate::runtime::pods::{PodCase, containers, missing};
use crate::runtime::scenario::{QUIET, QUIET_LIMIT, Stage, disconnect, unlike};
use crate::runtime::sequence::Sequence;
use crate::{Error, Result};

/// The time for which the Stop hook is held, so that changes during it can be detected.
const STOP_HELD: Duration = Duration::from_millis(300);

/// The time to wait after the response for an event that belongs to the request.
const LATE: Duration = Duration::from_secs(1);

/// The result of the scenario.
#[derive(Debug)]
pub(crate) struct Life {
    /// The pod whose containers are stopped and removed one by one, and that is stopped twice.
    pub(crate) orderly: PodCase,
    /// The id of the container that lives until it is stopped.
    pub(crate) container: String,
    /// Its container that ends with an error, if there is a command for that.
    pub(crate) failing: Option<Result<String, String>>,
    /// The outcomes of stopping the pod twice.
    pub(crate) stopped_twice: (Result<(), String>, Result<(), String>),
    /// The pod that is stopped while its container runs.
    pub(crate) busy: PodCase,
    /// The outcome of creating a container in the busy pod after it was stopped.
    pub(crate) reused: Result<String, String>,
    /// The events of each plugin.
    pub(crate) sequences: Vec<Sequence>,
    /// The name and unique id of the orderly pod, as requested by the driver.
    pub(crate) asked: (String, String),
}

impl Life {
    pub(crate) const TESTS: &[Test<Life>] = tests! {
        "R3" "ids-are-new" ids_are_new;
        "R3" "stopped-sandbox-is-not-reused" stopped_sandbox_is_not_reused;
        "C1" "container-events-in-order" container_events_in_order;
        "C1" "failing-container-events-in-order" failing_container_events_in_order;
        "C2" "not-listed-during-create" not_listed_during_create;
        "C4" "second-stop-succeeds" second_stop_succeeds;
        "Y1" "metadata-is-correct" metadata_is_correct;
    };

    /// Runs two pods, one after the other.
    pub(crate) async fn play(stage: &Stage, driver: &Driver) -> Result<Life> {
        let surroundings = stage.surroundings(stage.viewer());
        let script = Script::default()
            .on(Hook::RUN_POD, Action::Look)
            .on(Hook::CREATE, Action::Look)
            .on(Hook::STOP_POD, Action::Watch(STOP_HELD))
            .on(Hook::REMOVE_POD, Action::Look);
        let plugins = [(FIRST, Script::default()), (LAST, script)];
        let observers = stage.connect(&surroundings, plugins).await?;
        let life = play(driver, &surroundings).await;
        disconnect(observers).await;
        life
    }
}

async fn play(driver: &Driver, surroundings: &Surroundings) -> Result<Life> {
    let pod = driver.new_pod("orderly");
    let orderly = run(driver, &pod).await?;
    let container = workload(driver, &pod, &orderly, "main").await?;
    let updated = driver.update(&container).await;
    let _ = driver.stop(&container).await;
    let _ = driver.remove(&container).await;
    let failing = run_failing(driver, &pod, &orderly).await;
    let stopped_twice = (
        driver.stop_pod(&orderly).await,
        driver.stop_pod(&orderly).await,
    );
    let _ = driver.remove_pod(&orderly).await;
    let orderly = case(driver, surroundings, orderly).await;

    let again = pod.retry();
    let busy = run(driver, &again).await?;
    let loaded = workload(driver, &again, &busy, "busy").await?;
    let _ = driver.stop_pod(&busy).await;
    let reused = driver.create(&again, &busy, driver.container("late")).await;
    let _ = driver.remove_pod(&busy).await;
    let busy = case(driver, surroundings, busy).await;

    let mut all = Record::clone(&orderly.record);
    all.extend(Record::clone(&busy.record));
    // The requests about these containers succeeded, and they end only on request.
    let undisturbed = updated.is_ok().then_some(&container);
    let mut sequences = Sequence::all_of(&all);
    for sequence in &mut sequences {
        let containers = undisturbed.into_iter().chain([&loaded]);
        sequence.undisturbed.extend(containers.cloned());
    }

    Ok(Life {
        sequences,
        container,
        failing,
        stopped_twice,
        reused,
        asked: (pod.name().to_owned(), pod.uid().to_owned()),
        orderly,
        busy,
    })
}

/// Ends the record of a pod that was removed, including late events and those that arrive twice.
async fn case(driver: &Driver, surroundings: &Surroundings, id: String) -> PodCase {
    let journal = &surroundings.journal;
    journal
        .wait(LATE, |record| {
            let removed = record.first(LAST.name, &id, Hook::REMOVE_POD);
            removed.is_some_and(|entry| entry.ended.is_some())
        })
        .await;
    journal.settle(QUIET, QUIET_LIMIT).await;
    PodCase {
        id,
        record: Arc::new(journal.take()),
        calls: Arc::new(driver.take_calls()),
    }
}

async fn run(driver: &Driver, pod: &Pod) -> Result<String> {
    driver.run_pod(pod).await.map_err(|message| {
        Error::new(format!("the runtime cannot run a plain pod: {message}")).with_help(
            "check that the runtime runs pods with their own network: it needs a network configuration",
        )
    })
}

async fn workload(driver: &Driver, pod: &Pod, id: &str, name: &str) -> Result<String> {
    driver
        .run_container(pod, id, name)
        .await
        .map_err(|message| {
            Error::new(format!("the runtime cannot run a plain container: {message}"))
                .with_help("check that the runtime has the image, and that its command runs until it is stopped")
        })
}

/// Runs a container that ends with an error, and removes it after it has ended.
async fn run_failing(driver: &Driver, pod: &Pod, id: &str) -> Option<Result<String, String>> {
    if !driver.can_fail() {
        return None;
    }
    let config = driver.failing_container("failing");
    Some(
        async {
            let container = driver.create(pod, id, config).await?;
            driver.start(&container).await?;
            driver.exited(&container).await?;
            driver.stop(&container).await?;
            driver.remove(&container).await?;
            Ok(container)
        }
        .await,
    )
}

/// R3: two attempts to run one pod have different sandboxes.
fn ids_are_new(life: &Life) -> Ended {
    unlike(&life.orderly.id, &life.busy.id)
}

/// R3: no container is created in a sandbox that was stopped.
fn stopped_sandbox_is_not_reused(life: &Life) -> Ended {
    match &life.reused {
        Err(_) => Ok(()),
        Ok(container) => fail(
            format!("CreateContainer in the stopped pod {}", life.busy.id),
            format!("container {container}"),
            "an error: a sandbox is not used again after it was stopped",
        ),
    }
}

/// C1: Create, Start, Stop and Remove of a container arrive once each, in this order, with its name and its pod.
fn container_events_in_order(life: &Life) -> Ended {
    events_of(life, &life.container, "main")
}

/// C1 for a container that ends with an error.
fn failing_container_events_in_order(life: &Life) -> Ended {
    match &life.failing {
        None => skip("no command that ends with an error was given"),
        Some(Err(message)) => skip(format!("the container could not be run: {message}")),
        Some(Ok(container)) => events_of(life, container, "failing"),
    }
}

fn events_of(life: &Life, container: &str, name: &str) -> Ended {
    for observer in WATCHING {
        let entries: Vec<&RecordedEvent> = life
            .orderly
            .record
            .entries
            .iter()
            .filter(|entry| entry.observer == observer && is_about(entry, container))
            .collect();
        let hooks: Vec<Hook> = entries.iter().map(|entry| entry.event.hook).collect();
        let pod = &life.orderly.id;
        let mislabelled = entries.iter().any(|entry| {
            let facts = entry.event.container.as_ref();
            entry.event.pod.id != *pod
                || facts.is_some_and(|facts| facts.name != name || facts.pod != *pod)
        });
        if hooks != [Hook::CREATE, Hook::START, Hook::STOP, Hook::REMOVE] || mislabelled {
            let names: Vec<String> = hooks.iter().map(ToString::to_string).collect();
            let wrong = if mislabelled {
                ", with a wrong name or pod"
            } else {
                ""
            };
            return fail(
                format!("the requests of the life of container {container}, in pod {pod}"),
                format!("plugin {observer} received {}{wrong}", names.join(", ")),
                "CreateContainer, StartContainer, StopContainer, RemoveContainer, with its name and pod",
            );
        }
    }
    Ok(())
}

/// Returns true for an event that a container has once.
fn is_about(entry: &RecordedEvent, container: &str) -> bool {
    let found = entry.event.container.as_ref();
    entry.event.hook.is_life_of_container() && found.is_some_and(|found| found.id == container)
}

/// C2: a container is not listed before its CreateContainer hook returns.
fn not_listed_during_create(life: &Life) -> Ended {
    let record = &life.orderly.record;
    let create = record.first(LAST.name, &life.orderly.id, Hook::CREATE);
    let Some(view) = create.and_then(|entry| entry.views.first()) else {
        return missing(Hook::CREATE);
    };
    let containers = containers(view)?;
    match containers.iter().find(|(id, _)| *id == life.container) {
        None => Ok(()),
        Some(_) => fail(
            "ListContainers during CreateContainer",
            format!("container {}", life.container),
            "the container is not listed before all hooks have returned",
        ),
    }
}

/// C4: stopping a pod a second time succeeds.
fn second_stop_succeeds(life: &Life) -> Ended {
    match &life.stopped_twice {
        (Err(message), _) => skip(format!("the pod could not be stopped once: {message}")),
        (Ok(()), Ok(())) => Ok(()),
        (Ok(()), Err(message)) => fail(
            format!("StopPodSandbox of the stopped pod {}", life.orderly.id),
            message.as_str(),
            "success",
        ),
    }
}

/// The events contain the pod that the driver requested.
fn metadata_is_correct(life: &Life) -> Ended {
    let (name, uid) = &life.asked;
    for observer in WATCHING {
        for entry in life.orderly.record.of(observer, &life.orderly.id) {
            if entry.event.pod.name != *name || entry.event.pod.uid != *uid {
                return fail(
                    format!("requests about pod {name} with uid {uid}"),
                    format!(
                        "{} about pod {} with uid {}",
                        entry.event.hook, entry.event.pod.name, entry.event.pod.uid
                    ),
                    "every event names the pod",
                );
            }
        }
    }
    Ok(())
}

/// The existing workload.
#[derive(Debug)]
pub(crate) struct Watched {
    /// The pods that started to run in the time.
    pub(crate) pods: Vec<PodCase>,
    /// The events of each plugin.
    pub(crate) sequences: Vec<Sequence>,
}

impl Stage {
    /// Observes for a while, or until `stop` completes, and returns what happened.
    pub(crate) async fn watch(
        &self,
        time: Duration,
        stop: impl Future<Output = ()>,
    ) -> Result<Watched> {
        let surroundings = self.surroundings(self.viewer());
        let script = Script::default()
            .on(Hook::RUN_POD, Action::Look)
            .on(Hook::STOP_POD, Action::Look)
            .on(Hook::REMOVE_POD, Action::Look);
        let plugins = [(FIRST, Script::default()), (LAST, script)];
        let observers = self.connect(&surroundings, plugins).await?;
        // In both cases, everything observed so far is judged.
        let _ = tokio::time::timeout(time, stop).await;
        surroundings.journal.settle(QUIET, QUIET_LIMIT).await;
        disconnect(observers).await;
        let record = surroundings.journal.read();
        Ok(Watched {
            sequences: Sequence::all_of(&record),
            pods: cases(record),
        })
    }
}

fn cases(record: Record) -> Vec<PodCase> {
    let begun = record
        .entries
        .iter()
        .filter(|entry| entry.event.hook == Hook::RUN_POD)
        .map(|entry| entry.event.pod.id.clone());
    let ids: BTreeSet<String> = begun.collect();
    let record = Arc::new(record);
    let case = |id| PodCase {
        id,
        record: Arc::clone(&record),
        calls: Arc::default(),
    };
    ids.into_iter().map(case).collect()
}
