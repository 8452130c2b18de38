//! An attempt to start a container while the Run hook of its pod is held.

use super::{Scenario, Stage, disconnect};
use crate::runtime::drive::Driver;
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Ended, Test, fail, skip, tests};
use crate::runtime::observer::{Action, Attempt, FIRST, LAST, Script, Viewer};
use crate::runtime::pods::missing;

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
        let observers = stage
            .connect(&surroundings, [(FIRST, Script::default()), (LAST, script)])
            .await?;
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
