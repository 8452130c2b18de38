//! The pods and containers of a probe, and their sample requests.

use nri::api::{Container, Event, PodSandbox, SynchronizeRequest};
use nri_adaptation::{Revision, Via};

use crate::session::world::World;
use crate::session::{self, RuntimeKind};

/// The seed for the ids of pods and containers; any number will do.
const SEED: u64 = 0x006e_7269;

/// The pod and the container that are sent to a plugin.
#[derive(Debug)]
pub(super) struct Sample {
    runtime: RuntimeKind,
    known: (PodSandbox, Container),
    new: (PodSandbox, Container),
}

impl Sample {
    /// Creates pods and containers like those of this runtime.
    pub(super) fn of(runtime: RuntimeKind) -> Self {
        let mut world = World::of(runtime, SEED);
        let mut next = || {
            let pod = world.pod();
            let container = world.container(&pod);
            (pod, container)
        };
        Sample {
            runtime,
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
        session::sample_request(self.runtime, event, &self.new.0, &self.new.1)
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
