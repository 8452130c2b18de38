//! The tests of single pods: the events of a pod, the requests about it, and its state on the node during the hooks.

mod remove;
mod requests;
mod run;
mod stop;

use super::case::PodCase;
use super::cri::messages::ContainerState;
use super::event::Hook;
use super::judgement::{Ended, Finding, Test, skip};
use super::machine::{NamespaceKind, Network};
use super::observer::View;
use crate::result::Outcome;

/// Every test.
pub(super) const TESTS: [&[Test<Vec<PodCase>>]; 4] =
    [run::TESTS, stop::TESTS, remove::TESTS, requests::TESTS];

/// Judges each pod, and returns the first failure, else a pass, else the first reason for skipping.
fn each<F: Into<Finding>>(pods: &[PodCase], judge: fn(&PodCase) -> F) -> Finding {
    let mut best: Option<Finding> = None;
    for finding in pods.iter().map(|pod| judge(pod).into()) {
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

/// Returns the network that the pod had at the Run hook.
///
/// # Errors
///
/// Returns a skip if the pod has no network of its own, or if the network could not be read.
fn network_at_run(case: &PodCase) -> Ended<&Network> {
    let run = &case.view(Hook::RUN_POD)?.state;
    let namespace = run.namespace(NamespaceKind::Network);
    if namespace.is_some_and(|namespace| namespace.shared_with_node) {
        return skip("the pod is on the network of the node");
    }
    let unreadable = "the network namespace could not be read at RunPodSandbox, see R2";
    run.network.as_ref().map_or_else(|| skip(unreadable), Ok)
}

/// Returns the containers of the pod that the runtime lists during a hook, with their states.
///
/// # Errors
///
/// Returns a skip if the runtime does not list them.
fn containers(view: &View) -> Ended<&[(String, ContainerState)]> {
    match view.cri.as_ref().map(|cri| &cri.containers) {
        None => skip("needs the CRI socket of the runtime"),
        Some(Ok(containers)) => Ok(containers),
        Some(Err(message)) => skip(format!(
            "the runtime does not list containers during the hook: {message}"
        )),
    }
}
