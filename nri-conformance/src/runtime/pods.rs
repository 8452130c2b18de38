//! The tests of single pods: the events of a pod, the requests about it, and its state on the node during the hooks.

mod remove;
mod requests;
mod run;
mod stop;

use super::case::PodCase;
use super::judgement::{Finding, Test};
use crate::result::Outcome;

/// Returns every test.
pub(super) fn tests() -> impl Iterator<Item = &'static Test<PodCase>> {
    [run::TESTS, stop::TESTS, remove::TESTS, requests::TESTS]
        .into_iter()
        .flatten()
}

/// Judges each pod, and returns the first failure, else a pass, else the first reason for skipping.
pub(super) fn judge(test: &Test<PodCase>, pods: &[PodCase]) -> Finding {
    let mut best: Option<Finding> = None;
    for finding in pods.iter().map(test.judge) {
        match finding.outcome {
            Outcome::Fail(_) | Outcome::Known { .. } => return finding,
            Outcome::Pass => best = Some(finding),
            Outcome::Skip(_) => best = best.or(Some(finding)),
        }
    }
    best.unwrap_or_else(|| {
        Finding::skipped("no pod was run from its beginning while plugins watched")
    })
}
