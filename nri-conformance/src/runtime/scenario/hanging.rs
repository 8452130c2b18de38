//! A plugin that does not answer in time, and an attempt to start a container while the Run hook of its pod is held.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Played, Scene};
use crate::runtime::Stage;
use crate::runtime::drive::Driver;
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Ended, Test, fail, tests};
use crate::runtime::observer::{Action, FIRST, LAST, MIDDLE};
use crate::runtime::pods::absent;

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
    let lost = scene
        .journal
        .wait(CLOSED, |record| record.lost.contains(&MIDDLE.name));
    let disconnected = lost.await;
    if let Ok(id) = &result {
        driver.take_down(id).await;
    }
    let record = scene.end().await;
    let mut arrivals = record.arrivals_of(MIDDLE.name);
    if !arrivals.any(|arrival| arrival.hook == Hook::RUN_POD) {
        return Ok([Err(absent(Hook::RUN_POD))]);
    }
    let has_effect = result.is_err() || disconnected;
    Ok([timeout_is_an_error(has_effect, took, stage.options.timeout)])
}

/// E1: the request fails, or the plugin is disconnected.
fn timeout_is_an_error(has_effect: bool, took: Duration, limit: Duration) -> Ended {
    if took >= limit {
        return fail(format!("no answer to the request within {limit:?}"));
    }
    if has_effect {
        return Ok(());
    }
    fail(format!(
        "the request succeeded after {took:.1?}, and the plugin is still connected"
    ))
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
