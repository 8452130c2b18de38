//! A plugin that does not answer in time, and an attempt to start a container while the Run hook of its pod is held.

use std::time::Duration;

use crate::runtime::drive::Driver;
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Ended, Test, fail, skip, tests};
use crate::runtime::observer::{Action, Attempt, FIRST, LAST, MIDDLE, Script, Viewer};
use crate::runtime::pods::missing;
use crate::runtime::scenario::{Scenario, Stage, disconnect};

/// The time within which the runtime must close the connection after the request.
const CLOSED: Duration = Duration::from_secs(3);

/// The result of the scenario.
#[derive(Debug)]
pub(crate) struct Hanging {
    /// True if the plugin received the event.
    pub(crate) received: bool,
    /// The outcome of the request.
    pub(crate) result: Result<String, String>,
    /// The time limit of the driver.
    pub(crate) limit: Duration,
    /// The time that the request took.
    pub(crate) took: Duration,
    /// True if the runtime closed the connection of the plugin.
    pub(crate) disconnected: bool,
}

impl Scenario for Hanging {
    type Evidence = Hanging;

    const TESTS: &[Test<Self::Evidence>] = tests! {
        "E1" "timeout-is-an-error" timeout_is_an_error;
    };

    async fn play(stage: &Stage, driver: &Driver) -> Result<Hanging, String> {
        let (surroundings, observers) = stage.misbehaving(Hook::RUN_POD, Action::Hang).await?;
        let started = std::time::Instant::now();
        let result = driver.run_pod(&driver.new_pod("hanging")).await;
        let took = started.elapsed();
        let journal = &surroundings.journal;
        let disconnected = journal
            .wait(CLOSED, |record| {
                record.lost.iter().any(|(name, _)| *name == MIDDLE.name)
            })
            .await;
        if let Ok(id) = &result {
            driver.take_down(id).await;
        }
        let record = journal.read();
        disconnect(observers).await;
        let mut entries = record.entries.iter();
        Ok(Hanging {
            received: entries
                .any(|entry| entry.observer == MIDDLE.name && entry.event.hook == Hook::RUN_POD),
            result,
            limit: stage.timeout,
            took,
            disconnected,
        })
    }
}

/// E1: the request fails, or the plugin is disconnected.
fn timeout_is_an_error(hanging: &Hanging) -> Ended {
    if !hanging.received {
        return missing(Hook::RUN_POD);
    }
    let sent = "RunPodSandbox to a plugin that does not answer within the request timeout";
    let expected = "an error of the request, or the end of the connection";
    if hanging.took >= hanging.limit {
        let got = format!("no answer to the request within {:?}", hanging.limit);
        return fail(sent, got, expected);
    }
    if hanging.result.is_err() || hanging.disconnected {
        return Ok(());
    }
    fail(
        sent,
        format!(
            "the request succeeded after {:.1?}, and the plugin is still connected",
            hanging.took
        ),
        expected,
    )
}

/// The result of the scenario.
#[derive(Debug)]
pub(crate) struct Early {
    /// The outcome of the attempt; `None` if no Run event arrived before the response.
    pub(crate) attempt: Option<Attempt>,
}

impl Scenario for Early {
    type Evidence = Early;

    const TESTS: &[Test<Self::Evidence>] = tests! {
        "O5" "early-workload-is-refused" early_workload_is_refused;
    };

    async fn play(stage: &Stage, driver: &Driver) -> Result<Early, String> {
        let surroundings = stage.surroundings(Viewer {
            workload: Some(driver.container("early")),
            ..stage.viewer()
        });
        let script = Script::default().on(Hook::RUN_POD, Action::StartWorkload);
        let plugins = [(FIRST, Script::default()), (LAST, script)];
        let observers = stage.connect(&surroundings, plugins).await;
        let observers = observers.map_err(|error| error.to_string())?;
        let id = driver.run_pod(&driver.new_pod("early")).await?;
        let during = surroundings.journal.read();
        driver.take_down(&id).await;
        disconnect(observers).await;
        let run = during.first(LAST.name, &id, Hook::RUN_POD);
        Ok(Early {
            attempt: run.and_then(|entry| entry.attempt.clone()),
        })
    }
}

/// O5: the runtime does not start a container while a Run hook is held.
fn early_workload_is_refused(early: &Early) -> Ended {
    match &early.attempt {
        None => missing(Hook::RUN_POD),
        Some(Attempt::NotStarted(_)) => Ok(()),
        Some(Attempt::Ready) => skip("the pod was ready already, see R7"),
        Some(Attempt::Started(container)) => fail(
            "CreateContainer and StartContainer while RunPodSandbox was held",
            format!("container {container} runs"),
            "no container starts before all hooks have returned",
        ),
    }
}
