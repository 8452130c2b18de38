//! The tests of single pods: the events of a pod, the requests about it, and its state on the node during the hooks.

mod requests;
mod run;
mod stop;

use std::sync::Arc;

use crate::runtime::cri::messages::ContainerState;
use crate::runtime::drive::Call;
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Ended, Stop, Test, skip};
use crate::runtime::machine::{NETWORK, Network};
use crate::runtime::observer::{LAST, Record, RecordedEvent, View, WATCHING};

/// Every test.
pub(super) const TESTS: [&[Test<Vec<PodCase>>]; 3] = [run::TESTS, stop::TESTS, requests::TESTS];

/// Judges each pod, and returns the first failure, else a pass, else the first reason for skipping.
fn each(pods: &[PodCase], judge: fn(&PodCase) -> Ended) -> Ended {
    let mut best: Option<Ended> = None;
    for ended in pods.iter().map(judge) {
        match ended {
            Err(Stop::Fail(..)) => return ended,
            Ok(()) => best = Some(ended),
            Err(Stop::Skip(_)) => best = best.or(Some(ended)),
        }
    }
    best.unwrap_or_else(|| skip("no pod was run from its beginning while plugins watched"))
}

/// Returns the network that the pod had at the Run hook.
fn network_at_run(case: &PodCase) -> Ended<&Network> {
    let run = &case.view(Hook::RUN_POD)?.state;
    let namespace = run.namespace(NETWORK);
    if namespace.is_some_and(|namespace| namespace.shared_with_node) {
        return skip("the pod is on the network of the node");
    }
    let unreadable = "the network namespace could not be read at RunPodSandbox, see R2";
    run.network.as_ref().map_or_else(|| skip(unreadable), Ok)
}

/// Returns the containers of the pod that the runtime lists during a hook, with their states.
pub(super) fn containers(view: &View) -> Ended<&[(String, ContainerState)]> {
    match view.cri.as_ref().map(|cri| &cri.containers) {
        None => skip("needs the CRI socket of the runtime"),
        Some(Ok(containers)) => Ok(containers),
        Some(Err(message)) => skip(format!(
            "the runtime does not list containers during the hook: {message}"
        )),
    }
}

/// One pod, with everything that was recorded about it.
#[derive(Clone, Debug)]
pub(super) struct PodCase {
    pub(super) id: String,
    pub(super) record: Arc<Record>,
    /// The requests of the driver; empty for pods of others.
    pub(super) calls: Arc<Vec<Call>>,
}

impl PodCase {
    /// Returns the first event of a kind that the last plugin received.
    pub(super) fn event(&self, hook: Hook) -> Option<&RecordedEvent> {
        self.record.first(LAST.name, &self.id, hook)
    }

    /// Returns the first event of a kind that each plugin received.
    pub(super) fn events(&self, hook: Hook) -> impl Iterator<Item = &RecordedEvent> {
        WATCHING
            .into_iter()
            .filter_map(move |observer| self.record.first(observer, &self.id, hook))
    }

    /// Returns the state of the pod at the beginning of a hook.
    pub(super) fn view(&self, hook: Hook) -> Ended<&View> {
        self.event(hook)
            .and_then(|entry| entry.views.first())
            .ok_or_else(|| absent(hook))
    }

    /// Returns the state of the pod at the beginning and at the end of a hook.
    pub(super) fn views(&self, hook: Hook) -> Ended<(&View, &View)> {
        let entry = self.event(hook).ok_or_else(|| absent(hook))?;
        match entry.views.as_slice() {
            [before, after] => Ok((before, after)),
            _ => skip(format!("the {hook} hooks of pods of others are not held")),
        }
    }

    /// Returns the first request about the pod that has the name of a hook.
    pub(super) fn request(&self, hook: Hook) -> Option<&Call> {
        let mut calls = self.calls.iter();
        calls.find(|call| call.request == hook.name() && call.subject() == self.id)
    }
}

/// Returns the skip of a test that needs an event which did not arrive.
pub(super) fn missing<T>(hook: Hook) -> Ended<T> {
    Err(absent(hook))
}

fn absent(hook: Hook) -> Stop {
    let about = match hook {
        Hook::RUN_POD => "O1",
        Hook::STOP_POD => "O2",
        Hook::REMOVE_POD => "O3",
        Hook::UPDATE_POD => "O8",
        Hook::Configure => "Y4",
        Hook::Synchronize => "Y1",
        Hook::Event(_) if hook.follows().is_some() => "C5",
        Hook::Event(_) => "C1",
    };
    Stop::Skip(format!("no {hook} event arrived, see {about}"))
}
