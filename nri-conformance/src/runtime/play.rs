//! Plays the scenarios that the selected statements need, and judges what happened.

use std::pin::pin;

use super::Options;
use super::judgement::{Judged, Test, judged, skip};
use super::order;
use super::pods;
use super::pods::PodCase;
use super::scenario::{
    Early, Hanging, Joining, Life, RejectedContainer, RejectedPod, Scenario, Stage, Teardown,
};
use super::sequence::Sequence;
use crate::contract;
use crate::error::{Error, Result};
use crate::result::Outcome;

/// The statements that no test can observe, each with the name of its result and the reason.
const NEVER: &[(&str, &str, &str)] = &[
    (
        "D3",
        "no-access-is-promised",
        "it promises nothing, so that no runtime can break it",
    ),
    ("P1", "run-hooks-complete-first", "it repeats O5"),
    (
        "P3",
        "remove-hooks-are-independent",
        "plugins keep it; E5 is about the runtime's part",
    ),
];

/// The reason for skipping tests that need a driver.
const NO_DRIVER: &str = "running pods needs the CRI socket of the runtime";

/// The result of a run.
#[derive(Debug)]
pub(super) struct Played {
    /// The results, in the order of the contract.
    pub(super) judged: Vec<Judged>,
    /// The name and version in Configure.
    pub(super) runtime: Option<(String, String)>,
}

/// A run in progress.
struct Play<'a> {
    stage: &'a Stage,
    options: &'a Options,
    /// The pods whose life was observed from the beginning.
    pods: Vec<PodCase>,
    /// The events of each plugin while none misbehaved.
    sequences: Vec<Sequence>,
    /// The results of the scenarios.
    judged: Vec<Judged>,
}

/// Plays all scenarios that are needed, until `stop` completes.
pub(super) async fn play(
    stage: &Stage,
    options: &Options,
    stop: impl Future<Output = ()>,
) -> Result<Played> {
    let mut stop = pin!(stop);
    let mut play = Play {
        stage,
        options,
        pods: Vec::new(),
        sequences: Vec::new(),
        judged: Vec::new(),
    };
    tokio::select! {
        // Without a driver, this completes at once.
        biased;
        played = play.scenarios() => played?,
        () = &mut stop => return Err(Error::new("stopped before all pods had been run")),
    }
    if let Some(time) = options.observe {
        let watched = stage.watch(time, stop).await?;
        play.pods.extend(watched.pods);
        play.sequences.extend(watched.sequences);
    }
    Ok(play.end())
}

impl Play<'_> {
    async fn scenarios(&mut self) -> Result<()> {
        // This scenario always comes first, because it shows whether the runtime can run pods at all.
        self.life().await?;
        self.scenario::<Early>().await;
        self.scenario::<RejectedPod>().await;
        self.scenario::<RejectedContainer>().await;
        self.scenario::<Teardown>().await;
        self.scenario::<Hanging>().await;
        self.scenario::<Joining>().await;
        Ok(())
    }

    async fn life(&mut self) -> Result<()> {
        let Some(driver) = &self.stage.driver else {
            self.judge(Life::TESTS, Err(NO_DRIVER));
            return Ok(());
        };
        let life = Life::play(self.stage, driver).await?;
        self.judge(Life::TESTS, Ok(&life));
        self.pods.extend([life.orderly, life.busy]);
        self.sequences = life.sequences;
        Ok(())
    }

    /// Plays a scenario if one of its tests is selected.
    async fn scenario<S: Scenario>(&mut self) {
        let mut tests = S::TESTS.iter();
        if !tests.any(|test| self.options.selects(test.statement)) {
            return;
        }
        let evidence = match &self.stage.driver {
            None => Err(NO_DRIVER.to_owned()),
            Some(driver) => S::play(self.stage, driver)
                .await
                .map_err(|reason| format!("an earlier step failed: {reason}")),
        };
        self.judge(S::TESTS, evidence.as_ref().map_err(String::as_str));
    }

    fn judge<E>(&mut self, tests: &[Test<E>], evidence: Result<&E, &str>) {
        let selects = |statement: &str| self.options.selects(statement);
        self.judged.extend(judged(tests, selects, evidence));
    }

    /// Judges what all scenarios have in common.
    fn end(mut self) -> Played {
        let (pods, sequences) = (
            std::mem::take(&mut self.pods),
            std::mem::take(&mut self.sequences),
        );
        let of_scenarios = std::mem::take(&mut self.judged);
        for tests in pods::TESTS {
            self.judge(tests, Ok(&pods));
        }
        self.judged.extend(of_scenarios);
        self.judge(order::TESTS, Ok(&sequences));
        self.judged.extend(unselected(&sequences, self.options));
        let never = NEVER.iter().filter(|(id, ..)| self.options.selects(id));
        self.judged
            .extend(never.map(|(id, name, why)| Judged::new(id, name, skip(*why))));
        // Stable, so that the tests of a statement stay in their order.
        self.judged
            .sort_by_key(|judged| contract::ids().position(|id| id == judged.result.statement));
        Played {
            judged: self.judged,
            runtime: pods.iter().find_map(|case| case.record.runtime.clone()),
        }
    }
}

/// Returns the violations of statements that are not selected, unless they are skipped on request: what was seen counts.
fn unselected(sequences: &Vec<Sequence>, options: &Options) -> Vec<Judged> {
    let others = |id: &str| !options.selects(id) && !options.skip.contains(id);
    let mut judged = judged(order::TESTS, others, Ok(sequences));
    judged.retain(|judged| matches!(judged.result.outcome, Outcome::Fail(_)));
    judged
}

/// Returns the statement and the name of every test.
#[cfg(test)]
pub(super) fn tests() -> Vec<(&'static str, &'static str)> {
    fn of<E>(tests: &[Test<E>]) -> Vec<(&'static str, &'static str)> {
        let names = tests.iter().map(|test| (test.statement, test.name));
        names.collect()
    }
    let pods = pods::TESTS.into_iter().flat_map(of);
    let others = [
        of(order::TESTS),
        of(Early::TESTS),
        of(RejectedPod::TESTS),
        of(RejectedContainer::TESTS),
        of(Teardown::TESTS),
        of(Life::TESTS),
        of(Hanging::TESTS),
        of(Joining::TESTS),
    ];
    pods.chain(others.concat()).collect()
}
