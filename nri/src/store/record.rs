//! Fills a store with what the runtime sends.
#![allow(deprecated, reason = "older runtimes send StateChange")]

use std::sync::Arc;

use super::PodStore;
use crate::api::{
    CreateContainerRequest, Event, EventMask, RunPodSandboxRequest, StateChangeEvent,
    SynchronizeRequest,
};
use crate::codec::{DecodeError, Message};
use crate::lifecycle::Stage;
use crate::plugin::Plugin;
use crate::plugin::rpcs::{RPCS, rpc};
use crate::stub::{Builder, Recorder};

impl<P: Plugin> Builder<P> {
    /// Keeps this store complete: records each list of Synchronize and each event before its handler gets it.
    ///
    /// The plugin also subscribes to the creation and removal of pods and containers. If it handles them, the handlers are
    /// called even if Configure chose fewer events. What the runtime sends is decoded twice.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    ///
    /// use nri::prelude::*;
    /// use nri::store::PodStore;
    /// use nri::stub::Stub;
    ///
    /// struct Counts(Arc<PodStore>);
    ///
    /// #[nri::plugin(name = "counts", index = "10")]
    /// impl Counts {
    ///     async fn stop_container(&self, pod: PodSandbox, _: Container) -> nri::Result<Updates> {
    ///         println!("{} has {} containers", pod.full_name(), self.0.containers_of(&pod.id).len());
    ///         Ok(Updates::new())
    ///     }
    /// }
    ///
    /// fn main() -> nri::Result<()> {
    ///     let store = Arc::new(PodStore::new());
    ///     nri::block_on(Stub::builder(Counts(Arc::clone(&store))).store(store).run())
    /// }
    /// ```
    #[must_use]
    pub fn store(self, store: Arc<PodStore>) -> Self {
        self.recorder(store)
    }
}

impl Recorder for PodStore {
    /// Returns the creation and the removal of pods and containers.
    fn events(&self) -> EventMask {
        EventMask::EMPTY
            .with(Event::RunPodSandbox)
            .with(Event::RemovePodSandbox)
            .with(Event::PostCreateContainer)
            .with(Event::RemoveContainer)
    }

    fn record(&self, method: &str, request: &[u8]) -> Result<(), DecodeError> {
        if method == rpc::SYNCHRONIZE.name {
            let state = SynchronizeRequest::decode(request)?;
            self.synchronize(&state.pods, &state.containers);
            return Ok(());
        }
        let (event, pod, container) = if method == rpc::STATE_CHANGE.name {
            let change = StateChangeEvent::decode(request)?;
            (change.event(), change.pod, change.container)
        } else if let Some(event) = RPCS
            .iter()
            .find(|rpc| rpc.name == method)
            .and_then(|rpc| rpc.event)
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
