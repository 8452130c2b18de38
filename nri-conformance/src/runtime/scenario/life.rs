//! The life of pods without any misbehaviour.

use std::sync::Arc;
use std::time::Duration;

use super::{FIRST, LAST, PodCase, QUIET, QUIET_LIMIT, Stage};
use crate::runtime::drive::{Driver, Pod};
use crate::runtime::observer::{Action, Hook, Record, Script, Surroundings};
use crate::runtime::sequence::Sequence;
use crate::{Error, Result};

/// The time for which the Stop hook is held, so that changes during it can be detected.
const STOP_HELD: Duration = Duration::from_millis(300);

/// The time to wait after the response for an event that belongs to the request.
const LATE: Duration = Duration::from_secs(1);

/// The result of the scenario.
#[derive(Debug)]
pub(in crate::runtime) struct Life {
    /// The pod whose containers are stopped and removed one by one, and that is stopped twice.
    pub(in crate::runtime) orderly: PodCase,
    /// Its container.
    pub(in crate::runtime) container: String,
    /// Its container that ends with an error, if there is a command for that.
    pub(in crate::runtime) failing: Option<Result<String, String>>,
    /// The outcomes of stopping the pod twice.
    pub(in crate::runtime) stopped_twice: (Result<(), String>, Result<(), String>),
    /// The pod that is stopped while its container runs.
    pub(in crate::runtime) busy: PodCase,
    /// The outcome of creating a container in the busy pod after it was stopped.
    pub(in crate::runtime) reused: Result<String, String>,
    /// The ids of the sandboxes of two attempts to run the same pod.
    pub(in crate::runtime) attempts: Vec<String>,
    /// The events of each plugin.
    pub(in crate::runtime) sequences: Vec<Sequence>,
    /// The name and unique id of the orderly pod, as requested by the driver.
    pub(in crate::runtime) asked: (String, String),
}

impl Stage {
    /// Runs two pods, one after the other.
    ///
    /// # Errors
    ///
    /// Returns an error if the plugins cannot connect, or if the runtime does not run a plain pod with a container.
    pub(in crate::runtime) async fn life(&self) -> Result<Life> {
        let driver = self.driver()?;
        let surroundings = self.surroundings(self.viewer());
        let first = surroundings
            .connect(FIRST, Script::default(), self.timeout)
            .await?;
        let script = Script::default()
            .on(Hook::RunPod, Action::Look)
            .on(Hook::Create, Action::Look)
            .on(Hook::StopPod, Action::Watch(STOP_HELD))
            .on(Hook::RemovePod, Action::Look);
        let last = surroundings.connect(LAST, script, self.timeout).await?;
        let life = play(driver, &surroundings).await;
        first.disconnect().await;
        last.disconnect().await;
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
    let undisturbed = updated.is_ok().then_some(&container);
    let sequences = sequences(&all, undisturbed.into_iter().chain([&loaded]));

    Ok(Life {
        sequences,
        container,
        failing,
        stopped_twice,
        reused,
        attempts: vec![orderly.id.clone(), busy.id.clone()],
        asked: (pod.name().to_owned(), pod.uid().to_owned()),
        orderly,
        busy,
    })
}

/// Returns the events of each plugin. The requests about these containers succeeded, and they end only on request.
fn sequences<'a>(
    record: &Record,
    undisturbed: impl Iterator<Item = &'a String> + Clone,
) -> Vec<Sequence> {
    let mut sequences = Sequence::all_of(record);
    for sequence in &mut sequences {
        sequence.undisturbed.extend(undisturbed.clone().cloned());
    }
    sequences
}

/// Ends the record of a pod that was removed, including late events and those that arrive twice.
async fn case(driver: &Driver, surroundings: &Surroundings, id: String) -> PodCase {
    let journal = &surroundings.journal;
    journal
        .wait(LATE, |record| {
            let removed = record.first(LAST.name, &id, Hook::RemovePod);
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
