//! Plays the scenarios that the selected statements need, and judges what happened.

use std::pin::pin;
use std::sync::Arc;

use super::Options;
use super::Stage;
use super::drive::Driver;
use super::judgement::{Ended, Stop, Test, judged, skip};
use super::order;
use super::pods::{self, PodCase};
use super::scenario::{self, hanging, joining, life, rejected, teardown};
use super::sequence::Sequence;
use crate::contract;
use crate::error::{Error, Result};

/// The statements that no test can observe, each with the reason.
const NEVER: &[(Test, &str)] = &[
    (
        never("D3", "no-access-is-promised"),
        "it promises nothing, so that no runtime can break it",
    ),
    (never("P1", "run-hooks-complete-first"), "it repeats O5"),
    (
        never("P3", "remove-hooks-are-independent"),
        "plugins keep it; E5 is about the runtime's part",
    ),
];

const fn never(statement: &'static str, name: &'static str) -> Test {
    Test {
        statement,
        name,
        sent: "",
        expected: "",
    }
}

/// The reason for skipping tests that need a driver.
const NO_DRIVER: &str = "running pods needs the CRI socket of the runtime";

/// The result of a run.
#[derive(Debug)]
pub(super) struct Played {
    /// The end of each test, in the order of the contract.
    pub(super) judged: Vec<(&'static Test, Ended)>,
    /// The name and version in Configure.
    pub(super) runtime: Option<(String, String)>,
}

/// A run in progress.
struct Play<'a> {
    stage: &'a Arc<Stage>,
    options: &'a Options,
    /// The pods whose life was observed from the beginning.
    pods: Vec<PodCase>,
    /// The events of each plugin while none misbehaved.
    sequences: Vec<Sequence>,
    played: Played,
}

/// Plays all scenarios that are needed, until `stop` completes.
pub(super) async fn play(
    stage: &Arc<Stage>,
    options: &Options,
    stop: impl Future<Output = ()>,
) -> Result<Played> {
    let mut stop = pin!(stop);
    let mut play = Play {
        stage,
        options,
        pods: Vec::new(),
        sequences: Vec::new(),
        played: Played {
            judged: Vec::new(),
            runtime: None,
        },
    };
    tokio::select! {
        // Without a driver, this completes at once.
        biased;
        played = play.scenarios() => played?,
        () = &mut stop => return Err(Error::new("stopped before all pods had been run")),
    }
    if let Some(time) = options.observe {
        play.add(life::watch(stage, time, stop).await?);
    }
    Ok(play.end())
}

impl<'a> Play<'a> {
    async fn scenarios(&mut self) -> Result<()> {
        // This scenario always comes first, because it shows whether the runtime can run pods at all.
        self.life().await?;
        self.scenario(&hanging::EARLY, hanging::early).await;
        self.scenario(&rejected::POD, rejected::pod).await;
        self.scenario(&rejected::CONTAINER, rejected::container)
            .await;
        self.scenario(&teardown::TESTS, teardown::teardown).await;
        self.scenario(&hanging::HANGING, hanging::hanging).await;
        self.scenario(&joining::TESTS, joining::joining).await;
        Ok(())
    }

    async fn life(&mut self) -> Result<()> {
        let Some(driver) = &self.stage.driver else {
            self.judge(&life::TESTS, Err(NO_DRIVER.to_owned()));
            return Ok(());
        };
        let (observed, ended) = life::play(self.stage, driver).await?;
        self.judge(&life::TESTS, Ok(ended));
        self.add(observed);
        Ok(())
    }

    /// Plays a scenario if one of its tests is selected.
    async fn scenario<const N: usize, P>(
        &mut self,
        tests: &'static [Test; N],
        play: impl FnOnce(&'a Arc<Stage>, &'a Driver) -> P,
    ) where
        P: Future<Output = scenario::Played<N>>,
    {
        let mut statements = tests.iter().map(|test| test.statement);
        if !statements.any(|statement| self.options.selects(statement)) {
            return;
        }
        let ended = match &self.stage.driver {
            None => Err(NO_DRIVER.to_owned()),
            Some(driver) => play(self.stage, driver)
                .await
                .map_err(|reason| format!("an earlier step failed: {reason}")),
        };
        self.judge(tests, ended);
    }

    /// Records the ends of the selected tests, or skips them for the reason for which there are none.
    fn judge<const N: usize>(
        &mut self,
        tests: &'static [Test; N],
        ended: Result<[Ended; N], String>,
    ) {
        let ended = ended.unwrap_or_else(|reason| [(); N].map(|()| skip(reason.as_str())));
        let all = tests.iter().zip(ended);
        let selected = all.filter(|(test, _)| self.options.selects(test.statement));
        self.played.judged.extend(selected);
    }

    fn add(&mut self, (ids, record): life::Observed) {
        self.sequences.extend(record.sequences.iter().cloned());
        let runtime = &mut self.played.runtime;
        *runtime = runtime.take().or_else(|| record.runtime.clone());
        let record = Arc::new(record);
        self.pods.extend(ids.into_iter().map(|id| PodCase {
            id,
            record: Arc::clone(&record),
        }));
    }

    /// Judges what all scenarios have in common.
    fn end(mut self) -> Played {
        let options = self.options;
        let selects = |statement: &str| options.selects(statement);
        let of_pods = pods::TESTS.into_iter();
        let of_pods = of_pods.flat_map(|tests| judged(tests, selects, &self.pods));
        let mut all: Vec<_> = of_pods.collect();
        all.append(&mut self.played.judged);
        all.extend(judged(order::TESTS, selects, &self.sequences));
        // What was seen counts: a violation of a statement that is not selected, unless it is skipped on request.
        let others = |id: &str| !selects(id) && !options.skip.contains(id);
        let others = judged(order::TESTS, others, &self.sequences).into_iter();
        all.extend(
            others.filter(|(test, ended)| test.is_firm() && matches!(ended, Err(Stop::Fail(..)))),
        );
        let never = NEVER.iter().filter(|(test, _)| selects(test.statement));
        all.extend(never.map(|(test, why)| (test, skip(*why))));
        // Stable, so that the tests of a statement stay in their order.
        all.sort_by_key(|(test, _)| contract::ids().position(|id| id == test.statement));
        self.played.judged = all;
        self.played
    }
}

/// Returns the statement and the name of every test.
#[cfg(test)]
pub(super) fn tests() -> Vec<(&'static str, &'static str)> {
    let scenarios = [
        &life::TESTS[..],
        &hanging::EARLY,
        &rejected::POD,
        &rejected::CONTAINER,
        &teardown::TESTS,
        &hanging::HANGING,
        &joining::TESTS,
    ];
    let pods = pods::TESTS.into_iter().flatten().map(|(test, _)| test);
    let order = order::TESTS.iter().map(|(test, _)| test);
    let all = scenarios.into_iter().flatten().chain(pods).chain(order);
    all.map(|test| (test.statement, test.name)).collect()
}
