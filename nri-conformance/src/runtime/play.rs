//! Plays the scenarios that the selected statements need, and judges what happened.

use std::pin::pin;

use super::case::PodCase;
use super::judgement::{Finding, Judged, Test};
use super::options::Options;
use super::order;
use super::pods;
use super::scenario::{
    Early, Hanging, Joining, Life, RejectedContainer, RejectedPod, Scenario, Stage, Teardown,
};
use super::sequence::Sequence;
use crate::contract;
use crate::result::Outcome;
use crate::{Error, Result};

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
///
/// # Errors
///
/// Returns an error if plugins cannot connect, if the runtime cannot run a plain pod, or if the run was stopped while it
/// was running pods.
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
            self.judge(Life::TESTS, &Err(NO_DRIVER.to_owned()));
            return Ok(());
        };
        let life = Life::play(self.stage, driver).await?;
        self.pods.extend([life.orderly.clone(), life.busy.clone()]);
        self.sequences.clone_from(&life.sequences);
        self.judge(Life::TESTS, &Ok(life));
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
        self.judge(S::TESTS, &evidence);
    }

    /// Judges evidence, or skips its tests for the reason for which there is none.
    fn judge<E>(&mut self, tests: &[Test<E>], evidence: &Result<E, String>) {
        let selected = |test: &&Test<E>| self.options.selects(test.statement);
        let judged = tests.iter().filter(selected).map(|test| {
            let finding = match evidence {
                Ok(evidence) => (test.judge)(evidence),
                Err(reason) => Finding::skipped(reason),
            };
            Judged::new(test.statement, test.name, finding)
        });
        self.judged.extend(judged);
    }

    /// Judges what all scenarios have in common.
    fn end(self) -> Played {
        let selects = |statement: &str| self.options.selects(statement);
        let tests = pods::tests().filter(|test| selects(test.statement));
        let mut judged: Vec<Judged> = tests
            .map(|test| Judged::new(test.statement, test.name, pods::judge(test, &self.pods)))
            .collect();
        judged.extend(self.judged);
        judged.extend(order::judge(&self.sequences, selects));
        judged.extend(unselected(&self.sequences, self.options));
        let never = NEVER.iter().filter(|(id, ..)| selects(id));
        judged.extend(never.map(|(id, name, why)| Judged::new(id, name, Finding::skipped(*why))));
        // Stable, so that the tests of a statement stay in their order.
        judged.sort_by_key(|judged| contract::ids().position(|id| id == judged.result.statement));
        let mut pods = self.pods.iter();
        Played {
            judged,
            runtime: pods.find_map(|case| case.record.runtime.clone()),
        }
    }
}

/// Returns the violations of statements that are not selected, unless they are skipped on request: what was seen counts.
fn unselected(sequences: &[Sequence], options: &Options) -> Vec<Judged> {
    let others = |id: &str| !options.selects(id) && !options.skip.contains(id);
    let mut judged = order::judge(sequences, others);
    judged.retain(|judged| matches!(judged.result.outcome, Outcome::Fail(_)));
    judged
}

/// Returns the statement and the name of every test.
#[cfg(test)]
pub(super) fn tests() -> Vec<(&'static str, &'static str)> {
    fn of<E>(tests: &[Test<E>]) -> impl Iterator<Item = (&'static str, &'static str)> {
        tests.iter().map(|test| (test.statement, test.name))
    }
    let pods = pods::tests().map(|test| (test.statement, test.name));
    let orders = order::TESTS.iter().map(|test| (test.statement, test.name));
    let errors = of(Early::TESTS)
        .chain(of(RejectedPod::TESTS))
        .chain(of(RejectedContainer::TESTS))
        .chain(of(Teardown::TESTS));
    let lives = of(Life::TESTS)
        .chain(of(Hanging::TESTS))
        .chain(of(Joining::TESTS));
    pods.chain(orders).chain(errors).chain(lives).collect()
}
