//! The runtime's side of a replayed connection: receives the registration and unsolicited updates.

use bytes::Bytes;
use nri::api::RegisterPluginRequest;
use nri::codec::Message as _;
use nri::wire::{Request, Service, Status};
use tokio::sync::watch;

use super::index::{MAX_UPDATE_BYTES, Update};
use crate::session::RUNTIME_SERVICE;

/// A service that answers the plugin like the recorded runtime.
pub(super) struct ReplayedRuntime {
    recorded: Vec<Update>,
    state: watch::Sender<State>,
}

#[derive(Default)]
struct State {
    registration: Option<RegisterPluginRequest>,
    updates: Vec<Bytes>,
    update_bytes: usize,
}

impl ReplayedRuntime {
    pub(super) fn new(recorded: Vec<Update>) -> Self {
        ReplayedRuntime {
            recorded,
            state: watch::Sender::default(),
        }
    }

    /// Waits for the plugin to register.
    pub(super) async fn registered(&self) -> Option<RegisterPluginRequest> {
        let mut state = self.state.subscribe();
        let registered = state.wait_for(|state| state.registration.is_some()).await;
        // Cannot fail: the sender is part of `self`.
        registered.ok()?.registration.clone()
    }

    /// Waits until the plugin has sent as many unsolicited updates as were recorded.
    pub(super) async fn all_updates(&self) {
        let all = self.recorded.len();
        let mut state = self.state.subscribe();
        // Cannot fail: the sender is part of `self`.
        let _ = state.wait_for(|state| state.updates.len() >= all).await;
    }

    /// Returns the unsolicited updates, recorded and sent.
    pub(super) fn updates(&self) -> (&[Update], Vec<Bytes>) {
        (&self.recorded, self.state.borrow().updates.clone())
    }

    fn register(&self, payload: Bytes) -> Result<Bytes, Status> {
        let registration = RegisterPluginRequest::decode(payload)
            .map_err(|error| Status::invalid_argument(error.to_string()))?;
        self.state.send_modify(|state| {
            state.registration.get_or_insert(registration);
        });
        Ok(Bytes::new())
    }

    fn update(&self, payload: Bytes) -> Result<Bytes, Status> {
        let mut number = 0;
        self.state.send_modify(|state| {
            number = state.updates.len();
            state.update_bytes += payload.len();
            if state.update_bytes <= MAX_UPDATE_BYTES {
                state.updates.push(payload);
            }
        });
        let recorded = self.recorded.get(number);
        recorded.map_or(Ok(Bytes::new()), |update| update.answer.clone())
    }
}

impl Service for ReplayedRuntime {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        if request.service != RUNTIME_SERVICE {
            return Err(Status::unknown_service(&request.service));
        }
        match request.method.as_str() {
            "RegisterPlugin" => self.register(request.payload),
            "UpdateContainers" => self.update(request.payload),
            other => Err(Status::unknown_method(&request.service, other)),
        }
    }
}
