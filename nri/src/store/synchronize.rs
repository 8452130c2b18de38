//! Compares a full list with the known state.

use std::collections::HashSet;
use std::sync::Arc;

use super::shelf::Shelf;
use super::state::StoreState;
use crate::api::{Container, PodSandbox};

/// The differences between a list of pods or containers and the known state.
#[derive(Clone, Debug, PartialEq)]
pub struct Delta<T> {
    /// Listed and previously unknown, in the order of the list.
    pub new: Vec<Arc<T>>,
    /// Listed and previously known, as listed now and in that order.
    pub known: Vec<Arc<T>>,
    /// Previously known and not listed, as last seen, ordered by id.
    pub vanished: Vec<Arc<T>>,
}

impl<T> Default for Delta<T> {
    fn default() -> Self {
        Delta {
            new: Vec::new(),
            known: Vec::new(),
            vanished: Vec::new(),
        }
    }
}

/// The differences between a Synchronize and the known state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SyncReport {
    /// The pods.
    pub pods: Delta<PodSandbox>,
    /// The containers. The containers of a vanished pod are listed as vanished.
    pub containers: Delta<Container>,
}

impl StoreState {
    pub(super) fn synchronize(
        &mut self,
        pods: &[PodSandbox],
        containers: &[Container],
    ) -> SyncReport {
        let report = SyncReport {
            pods: compare(&mut self.pods, pods, |pod| &pod.id),
            containers: compare(&mut self.containers, containers, |container| &container.id),
        };
        for container in &report.containers.vanished {
            self.disown(&container.id);
        }
        for container in &report.containers.new {
            if self.containers.has(&container.id) {
                self.own(&container.pod_sandbox_id, &container.id);
            }
        }
        report
    }
}

/// First forgets items that are not listed, to make room for those that are.
fn compare<T: Clone + PartialEq>(
    shelf: &mut Shelf<T>,
    list: &[T],
    id: impl Fn(&T) -> &str,
) -> Delta<T> {
    let listed: HashSet<&str> = list.iter().map(&id).collect();
    let mut delta = Delta {
        vanished: shelf.forget_unless(|id| listed.contains(id)),
        ..Delta::default()
    };
    let mut ids = HashSet::new();
    for value in list.iter().filter(|value| ids.insert(id(value))) {
        let (known, value) = shelf.list(id(value), value);
        if known {
            delta.known.push(value)
        } else {
            delta.new.push(value)
        }
    }
    delta
}
