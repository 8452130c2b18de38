//! Compares a full list with the known state.

use std::collections::HashSet;

use super::{Shelf, StoreState};
use crate::api::{Container, PodSandbox};
use crate::store::{Delta, SyncReport};

impl StoreState {
    pub(in crate::store) fn synchronize(
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
