//! What the runtime answers to the plugin.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use nri::api::{RegisterPluginRequest, UpdateContainersRequest, UpdateContainersResponse};
use nri::wire::{Code, Request, Service, Status};
use prost::Message;
use tokio::sync::Notify;

use super::RUNTIME_SERVICE;

/// How many updates of a plugin are remembered.
const MAX_UPDATES: usize = 10_000;

/// How the runtime answers UpdateContainers.
#[derive(Clone, Debug, Default)]
pub enum UpdateAnswer {
    /// With success.
    #[default]
    Success,
    /// With an error.
    Error,
    /// Not at all.
    Never,
}

/// What a plugin asks of the runtime.
#[derive(Clone, Debug, Default)]
pub struct Arrivals(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    registrations: VecDeque<RegisterPluginRequest>,
    updates: VecDeque<UpdateContainersRequest>,
    unknown: Vec<String>,
    answer: UpdateAnswer,
    refuse: bool,
}

impl Arrivals {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next registration.
    pub(super) async fn registration(&self) -> Option<RegisterPluginRequest> {
        loop {
            let changed = self.0.changed.notified();
            if let Some(registration) = self.state().registrations.pop_front() {
                return Some(registration);
            }
            changed.await;
        }
    }

    /// Waits for the next update.
    pub async fn update(&self) -> UpdateContainersRequest {
        loop {
            let changed = self.0.changed.notified();
            if let Some(update) = self.state().updates.pop_front() {
                return update;
            }
            changed.await;
        }
    }

    /// Returns the number of updates that nobody has waited for.
    pub fn pending_updates(&self) -> usize {
        self.state().updates.len()
    }

    /// Returns the methods that the plugin called and that no runtime has.
    pub fn unknown_calls(&self) -> Vec<String> {
        self.state().unknown.clone()
    }

    /// Sets how UpdateContainers is answered from now on.
    pub fn answer_updates(&self, answer: UpdateAnswer) {
        self.state().answer = answer;
    }

    /// Answers registrations with an error from now on.
    pub fn refuse_registration(&self) {
        self.state().refuse = true;
    }
}

/// The runtime's service.
pub(super) struct RuntimeService {
    arrivals: Arrivals,
}

impl RuntimeService {
    pub(super) fn new() -> (Self, Arrivals) {
        let arrivals = Arrivals::default();
        let service = RuntimeService {
            arrivals: arrivals.clone(),
        };
        (service, arrivals)
    }

    fn register(&self, payload: Bytes) -> Result<Bytes, Status> {
        let registration = RegisterPluginRequest::decode(payload).map_err(malformed)?;
        let mut state = self.arrivals.state();
        let refused = state.refuse;
        if !refused {
            state.registrations.truncate(MAX_UPDATES);
            state.registrations.push_back(registration);
        }
        drop(state);
        self.arrivals.0.changed.notify_waiters();
        if refused {
            return Err(Status::new(Code::UNKNOWN, "registration refused"));
        }
        Ok(Bytes::new())
    }

    async fn update(&self, payload: Bytes) -> Result<Bytes, Status> {
        let update = UpdateContainersRequest::decode(payload).map_err(malformed)?;
        let answer = {
            let mut state = self.arrivals.state();
            if state.updates.len() < MAX_UPDATES {
                state.updates.push_back(update);
            }
            state.answer.clone()
        };
        self.arrivals.0.changed.notify_waiters();
        match answer {
            UpdateAnswer::Success => Ok(UpdateContainersResponse::default().encode_to_vec().into()),
            UpdateAnswer::Error => Err(Status::new(Code::UNKNOWN, "the update failed")),
            UpdateAnswer::Never => pending().await,
        }
    }
}

fn malformed(error: prost::DecodeError) -> Status {
    Status::new(Code::INVALID_ARGUMENT, error.to_string())
}

impl Service for RuntimeService {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        match (&*request.service, &*request.method) {
            (RUNTIME_SERVICE, "RegisterPlugin") => self.register(request.payload),
            (RUNTIME_SERVICE, "UpdateContainers") => self.update(request.payload).await,
            (service, method) => {
                self.arrivals.state().unknown.push(method.to_owned());
                Err(Status::unknown_method(service, method))
            }
        }
    }
}
