//! Plays the scenarios that the selected statements need, and judges what happened.

use std::pin::pin;
use std::sync::Arc;

use super::Stage;
use super::deviations;
use super::drive::Driver;
use super::judgement::{Ended, Judge, Stop, Test, judged, skip, tests};
use super::order;
use super::pods::{self, PodCase};
use super::scenario::{self, joining, life, setup, teardown};
use super::sequence::Sequence;
use crate::contract;
use crate::error::{Error, Result};
use crate::result::Report;

/// The statements that no test can observe, each with the reason.
const NEVER: &[(Test, Judge<&str>)] = tests! {
    "D3" "no-access-is-promised" "" => "", |_| skip("it promises nothing, so that no runtime can break it");
    "P1" "run-hooks-complete-first" "" => "", |_| skip("it repeats O5");
    "P3" "remove-hooks-are-independent" "" => "", |_| skip("plugins keep it; E5 is about the runtime's part");
};

/// The reason for skipping tests that need a driver.
const NO_DRIVER: &str = "running pods needs the CRI socket of the runtime";

/// A run in progress.
struct Play<'a> {
    stage: &'a Arc<Stage>,
    /// The pods whose life was observed from the beginning.
    pods: Vec<PodCase>,
    /// The events of each plugin while none misbehaved.
    sequences: Vec<Sequence>,
    /// The end of each test.
    judged: Vec<(&'static Test, Ended)>,
    /// The name and version in Configure.
    runtime: Option<(String, String)>,
}

/// Plays all scenarios that are needed, until `stop` completes.
pub(super) async fn play(stage: &Arc<Stage>, stop: impl Future<Output = ()>) -> Result<Report> {
    let mut stop = pin!(stop);
    let mut play =
        Play { stage, pods: Vec::new(), sequences: Vec::new(), judged: Vec::new(), runtime: None };
    tokio::select! {
        // Without a driver, this completes at once.
        biased;
        played = play.scenarios() => played?,
        () = &mut stop => return Err(Error::new("stopped before all pods had been run")),
    }
    if let Some(time) = stage.options.observe {
        play.add(life::watch(stage, time, stop).await?);
    }
    Ok(play.end().await)
}

impl<'a> Play<'a> {
    async fn scenarios(&mut self) -> Result<()> {
        // This scenario always comes first, because it shows whether the runtime can run pods at
        // all.
        self.life().await?;
        self.scenario(&setup::EARLY, setup::early).await;
        self.scenario(&setup::POD, setup::pod).await;
        self.scenario(&setup::CONTAINER, setup::container).await;
        self.scenario(&teardown::TESTS, teardown::teardown).await;
        self.scenario(&setup::HANGING, setup::hanging).await;
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
        let options = &self.stage.options;
        if !tests.iter().any(|test| options.selects(test.statement)) {
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

    /// Records the ends of the selected tests, or skips them for the reason for which there are
    /// none.
    fn judge<const N: usize>(
        &mut self,
        tests: &'static [Test; N],
        ended: Result<[Ended; N], String>,
    ) {
        let ended = ended.unwrap_or_else(|reason| [(); N].map(|()| skip(reason.as_str())));
        let all = tests.iter().zip(ended);
        let options = &self.stage.options;
        let selected = all.filter(|(test, _)| options.selects(test.statement));
        self.judged.extend(selected);
    }

    fn add(&mut self, (ids, record): life::Observed) {
        self.sequences.extend(record.sequences.iter().cloned());
        self.runtime = self.runtime.take().or_else(|| record.runtime.clone());
        let record = Arc::new(record);
        self.pods.extend(ids.into_iter().map(|id| PodCase { id, record: Arc::clone(&record) }));
    }

    /// Judges what all scenarios have in common.
    async fn end(self) -> Report {
        let options = &self.stage.options;
        let selects = |statement: &str| options.selects(statement);
        let of_pods = pods::TESTS.into_iter().flat_map(|tests| judged(tests, selects, &self.pods));
        let mut all: Vec<_> = of_pods.chain(self.judged).collect();
        all.extend(judged(order::TESTS, selects, &self.sequences));
        // Every observation counts: a violation of a statement that is not selected, unless it is
        // skipped on request.
        let is_observed = |id: &str| !selects(id) && !options.skip.contains(id);
        let others = judged(order::TESTS, is_observed, &self.sequences).into_iter();
        all.extend(
            others.filter(|(test, ended)| test.is_firm() && matches!(ended, Err(Stop::Fail(..)))),
        );
        all.extend(judged(NEVER, selects, &["the runtime"]));
        // Stable, so that the tests of a statement stay in their order.
        all.sort_by_key(|(test, _)| contract::ids().position(|id| id == test.statement));
        deviations::report(self.stage.subject(self.runtime).await, all)
    }
}

/// Returns the statement and the name of every test.
#[cfg(test)]
pub(super) fn tests() -> Vec<(&'static str, &'static str)> {
    let scenarios = [
        &life::TESTS[..],
        &setup::EARLY,
        &setup::POD,
        &setup::CONTAINER,
        &teardown::TESTS,
        &setup::HANGING,
        &joining::TESTS,
    ];
    let pods = pods::TESTS.into_iter().flatten().map(|(test, _)| test);
    let order = order::TESTS.iter().map(|(test, _)| test);
    let all = scenarios.into_iter().flatten().chain(pods).chain(order);
    all.map(|test| (test.statement, test.name)).collect()
}
