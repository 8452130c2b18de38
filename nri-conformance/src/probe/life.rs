//! The events of a pod's life, and their sample requests.

use nri::api::{Container, Event, PodSandbox, SynchronizeRequest};
use nri_adaptation::{Revision, Via};

use crate::session::world::World;
use crate::session::{self, event_name};

/// Every event, in the order in which a runtime sends them.
pub(super) const LIFE: [Event; 14] = [
    Event::RunPodSandbox,
    Event::UpdatePodSandbox,
    Event::PostUpdatePodSandbox,
    Event::CreateContainer,
    Event::ValidateContainerAdjustment,
    Event::PostCreateContainer,
    Event::StartContainer,
    Event::PostStartContainer,
    Event::UpdateContainer,
    Event::PostUpdateContainer,
    Event::StopContainer,
    Event::RemoveContainer,
    Event::StopPodSandbox,
    Event::RemovePodSandbox,
];

/// The seed for the ids of pods and containers; any number will do.
const SEED: u64 = 0x006e_7269;

/// Returns the RPC name of an event.
pub(super) fn name(event: Event) -> &'static str {
    event_name(event)
}

/// The pod and the container that are sent to a plugin.
#[derive(Debug)]
pub(super) struct Sample {
    known: (PodSandbox, Container),
    new: (PodSandbox, Container),
}

impl Sample {
    pub(super) fn new() -> Self {
        let mut world = World::new(SEED);
        let mut next = || {
            let pod = world.pod();
            let container = world.container(&pod);
            (pod, container)
        };
        Sample {
            known: next(),
            new: next(),
        }
    }

    /// Returns the state at Synchronize: a pod with a container, neither of which has events later.
    pub(super) fn state(&self) -> SynchronizeRequest {
        SynchronizeRequest {
            pods: vec![self.known.0.clone()],
            containers: vec![self.known.1.clone()],
            more: false,
        }
    }

    /// Returns the encoded request of the RPC that is dedicated to an event.
    pub(super) fn request(&self, event: Event) -> Vec<u8> {
        session::sample_request(event, &self.new.0, &self.new.1)
    }

    /// Returns the request of StateChange, with the event that starts a pod.
    pub(super) fn state_change(&self, revision: &Revision) -> Vec<u8> {
        let event = Event::RunPodSandbox;
        let request = revision.request(event, Via::StateChange, &self.request(event));
        request
            .map(|(_, encoded)| encoded.to_vec())
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_life_has_every_event_once() {
        let known = Revision::rpcs().iter().filter_map(|rpc| rpc.event);
        let known: BTreeSet<i32> = known.map(i32::from).collect();
        let life: BTreeSet<i32> = LIFE.into_iter().map(i32::from).collect();
        assert_eq!((LIFE.len(), life), (known.len(), known));
    }
}
