//! The runtime's side of a replayed connection: receives the registration and unsolicited updates.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use nri::api::RegisterPluginRequest;
use nri::codec::Message as _;
use nri::wire::{Request, Service, Status};
use tokio::sync::Notify;

use super::index::{MAX_UPDATE_BYTES, Update};
use crate::session::RUNTIME_SERVICE;

/// A service that answers the plugin like the recorded runtime.
pub(super) struct ReplayedRuntime {
    recorded: Vec<Update>,
    state: Mutex<State>,
    changed: Notify,
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
            state: Mutex::default(),
            changed: Notify::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the plugin to register.
    pub(super) async fn registered(&self) -> RegisterPluginRequest {
        loop {
            let changed = self.changed.notified();
            if let Some(registration) = self.lock().registration.clone() {
                return registration;
            }
            changed.await;
        }
    }

    /// Waits until the plugin has sent as many unsolicited updates as were recorded.
    pub(super) async fn all_updates(&self) {
        loop {
            let changed = self.changed.notified();
            if self.lock().updates.len() >= self.recorded.len() {
                return;
            }
            changed.await;
        }
    }

    /// Returns the unsolicited updates, recorded and sent.
    pub(super) fn updates(&self) -> (&[Update], Vec<Bytes>) {
        (&self.recorded, self.lock().updates.clone())
    }

    fn register(&self, payload: Bytes) -> Result<Bytes, Status> {
        let registration = RegisterPluginRequest::decode(payload)
            .map_err(|error| Status::invalid_argument(error.to_string()))?;
        self.lock().registration.get_or_insert(registration);
        Ok(Bytes::new())
    }

    fn update(&self, payload: Bytes) -> Result<Bytes, Status> {
        let mut state = self.lock();
        let number = state.updates.len();
        state.update_bytes += payload.len();
        if state.update_bytes <= MAX_UPDATE_BYTES {
            state.updates.push(payload);
        }
        drop(state);
        let recorded = self.recorded.get(number);
        recorded.map_or(Ok(Bytes::new()), |update| update.answer.clone())
    }
}

impl Service for ReplayedRuntime {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        if request.service != RUNTIME_SERVICE {
            return Err(Status::unknown_service(&request.service));
        }
        let answer = match request.method.as_str() {
            "RegisterPlugin" => self.register(request.payload),
            "UpdateContainers" => self.update(request.payload),
            other => Err(Status::unknown_method(&request.service, other)),
        };
        self.changed.notify_waiters();
        answer
    }
}
