//! Fills a store with what the runtime sends.
#![allow(deprecated, reason = "older runtimes send StateChange")]

use super::PodStore;
use crate::api::{
    CreateContainerRequest, Event, EventMask, RunPodSandboxRequest, StateChangeEvent,
    SynchronizeRequest,
};
use crate::codec::{DecodeError, Message};
use crate::lifecycle::Stage;
use crate::plugin::rpcs::{RPCS, rpc};

/// The events that a complete store needs: the creation and the removal of pods and containers.
pub(crate) const RECORDED_EVENTS: EventMask = EventMask::EMPTY
    .with(Event::RunPodSandbox)
    .with(Event::RemovePodSandbox)
    .with(Event::PostCreateContainer)
    .with(Event::RemoveContainer);

impl PodStore {
    /// Records a request of the RPC of this name.
    ///
    /// # Errors
    ///
    /// Returns an error if the request cannot be decoded.
    pub(crate) fn record(&self, method: &str, request: &[u8]) -> Result<(), DecodeError> {
        if method == rpc::SYNCHRONIZE.name {
            let state = SynchronizeRequest::decode(request)?;
            self.synchronize(&state.pods, &state.containers);
            return Ok(());
        }
        let (event, pod, container) = if method == rpc::STATE_CHANGE.name {
            let change = StateChangeEvent::decode(request)?;
            (change.event(), change.pod, change.container)
        } else if let Some(event) =
            RPCS.iter().find(|rpc| rpc.name == method).and_then(|rpc| rpc.event)
        {
            // The pod and the container have the same numbers in the requests of all events.
            if Stage::of(event).is_some_and(|stage| stage.container.is_some()) {
                let request = CreateContainerRequest::decode(request)?;
                (event, request.pod, request.container)
            } else {
                let request = RunPodSandboxRequest::decode(request)?;
                (event, request.pod, None)
            }
        } else {
            return Ok(());
        };
        if let Some(pod) = pod {
            self.observe(event, &pod, container.as_ref());
        }
        Ok(())
    }
}
