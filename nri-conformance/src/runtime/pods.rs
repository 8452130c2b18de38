//! The tests of single pods: the events of a pod, the requests about it, and its state on the node
//! during the hooks.

mod requests;
mod state;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::cri::messages::Container;
use super::event::Hook;
use super::journal::Record;
use super::judgement::{Ended, Judge, Stop, Test, skip};
use super::machine::{NETWORK, Network};
use super::observer::{LAST, WATCHING};
use super::sequence::Arrival;
use super::view::View;

/// Every test.
pub(super) const TESTS: [&[(Test, Judge<PodCase>)]; 2] = [state::TESTS, requests::TESTS];

/// One pod, with everything that was recorded about it.
#[derive(Clone, Debug)]
pub(super) struct PodCase {
    pub(super) id: String,
    pub(super) record: Arc<Record>,
}

impl PodCase {
    /// Returns the first event of a kind that the last plugin received.
    fn event(&self, hook: Hook) -> Option<&Arrival> {
        self.record.first(LAST.name, &self.id, hook)
    }

    /// Returns the first event of a kind that each plugin received.
    fn events(&self, hook: Hook) -> impl Iterator<Item = &Arrival> {
        WATCHING.into_iter().filter_map(move |observer| self.record.first(observer, &self.id, hook))
    }

    /// Returns the state of the pod at the beginning of a hook.
    fn view(&self, hook: Hook) -> Ended<&View> {
        let event = self.event(hook);
        event.and_then(|event| event.views.first()).ok_or_else(|| absent(hook))
    }

    /// Returns the state of the pod at the beginning and at the end of a hook.
    fn views(&self, hook: Hook) -> Ended<(&View, &View)> {
        match &self.event(hook).ok_or_else(|| absent(hook))?.views[..] {
            [before, after] => Ok((before, after)),
            _ => skip(format!("the {hook} hooks of pods of others are not held")),
        }
    }

    /// Returns the time of the first request about the pod that has the name of a hook.
    fn request(&self, hook: Hook) -> Option<&Range<Duration>> {
        self.record
            .requests
            .iter()
            .find(|request| request.hook == hook && request.pod == self.id)
            .map(|request| &request.time)
    }

    /// Returns the network that the pod had at the Run hook.
    fn network_at_run(&self) -> Ended<&Network> {
        let run = &self.view(Hook::RUN_POD)?.state;
        let namespace = run.namespace(NETWORK);
        if namespace.is_some_and(|namespace| namespace.shared_with_node) {
            return skip("the pod is on the network of the node");
        }
        let unreadable = "the network namespace could not be read at RunPodSandbox, see R2";
        run.network.as_ref().map_or_else(|| skip(unreadable), Ok)
    }
}

impl fmt::Display for PodCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pod {}", self.id)
    }
}

/// Returns the containers of the pod that the runtime lists during a hook.
pub(super) fn containers(view: &View) -> Ended<&[Container]> {
    match view.cri.as_ref().map(|cri| &cri.containers) {
        None => skip("needs the CRI socket of the runtime"),
        Some(Ok(containers)) => Ok(containers),
        Some(Err(message)) => {
            skip(format!("the runtime does not list containers during the hook: {message}"))
        }
    }
}

/// Returns the skip of a test that needs an event which did not arrive.
pub(super) fn absent(hook: Hook) -> Stop {
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
