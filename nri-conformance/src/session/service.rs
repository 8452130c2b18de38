//! The runtime's answers to the plugin.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use nri::api::{RegisterPluginRequest, UpdateContainersRequest, UpdateContainersResponse};
use nri::codec::Message;
use nri::wire::{Code, ConnectionError, Ended, Request, Service, Status};
use tokio::sync::Notify;

use super::RUNTIME_SERVICE;

/// The maximum number of requests of a plugin that are remembered, of each kind.
const MAX_REMEMBERED: usize = 10_000;

/// The maximum number of bytes in the requests of a plugin that are remembered.
const MAX_REMEMBERED_BYTES: usize = 16 << 20;

/// The answers of the runtime to UpdateContainers.
#[derive(Clone, Debug, Default)]
pub enum UpdateAnswer {
    /// Success.
    #[default]
    Success,
    /// An error.
    Error,
    /// No answer.
    Never,
}

/// The registrations and updates that a plugin has sent.
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
    /// The number of bytes in the remembered requests.
    bytes: usize,
    /// The number of requests that are not remembered.
    forgotten: u64,
    end: Option<End>,
}

impl State {
    /// Returns true if a request of this size may be remembered in addition to `count` others of its kind.
    fn has_room(&mut self, count: usize, bytes: usize) -> bool {
        let fits =
            count < MAX_REMEMBERED && bytes <= MAX_REMEMBERED_BYTES.saturating_sub(self.bytes);
        if fits {
            self.bytes += bytes;
        } else {
            self.forgotten += 1;
        }
        fits
    }

    /// Frees the space of a request that is no longer remembered.
    fn release(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}

/// The end of a connection, from the perspective of the runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The plugin closed it between two messages.
    Closed,
    /// It was lost, for example in the middle of a message.
    Lost(String),
    /// The plugin broke the protocol in this way.
    Broken(String),
}

impl From<&Result<Ended, ConnectionError>> for End {
    fn from(ended: &Result<Ended, ConnectionError>) -> Self {
        use ConnectionError::{FrameTooLarge, MessageTooLarge};
        match ended {
            Ok(Ended::ByPeer | Ended::ByShutdown) => Self::Closed,
            Err(error @ (FrameTooLarge { .. } | MessageTooLarge { .. })) => {
                Self::Broken(error.to_string())
            }
            Err(error) => Self::Lost(error.to_string()),
        }
    }
}

impl Arrivals {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next registration. Returns `None` when the connection ends before it.
    pub(super) async fn registration(&self) -> Option<RegisterPluginRequest> {
        loop {
            let changed = self.0.changed.notified();
            {
                let mut state = self.state();
                if let Some(registration) = state.registrations.pop_front() {
                    state.release(registration.encoded_len());
                    return Some(registration);
                }
                if state.end.is_some() {
                    return None;
                }
            }
            changed.await;
        }
    }

    /// Records that the connection has ended.
    pub(super) fn set_end(&self, end: End) {
        self.state().end = Some(end);
        self.0.changed.notify_waiters();
    }

    /// Returns how the connection ended, if it has.
    pub fn end(&self) -> Option<End> {
        self.state().end.clone()
    }

    /// Returns the number of requests that were not remembered because they were too many or too large.
    pub fn forgotten(&self) -> u64 {
        self.state().forgotten
    }

    /// Waits for the next update.
    pub async fn update(&self) -> UpdateContainersRequest {
        loop {
            let changed = self.0.changed.notified();
            {
                let mut state = self.state();
                if let Some(update) = state.updates.pop_front() {
                    state.release(update.encoded_len());
                    return update;
                }
            }
            changed.await;
        }
    }

    /// Returns the number of updates that no test has waited for.
    pub fn pending_updates(&self) -> usize {
        self.state().updates.len()
    }

    /// Returns the methods called by the plugin that no runtime has.
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
        let size = payload.len();
        let registration = RegisterPluginRequest::decode(payload).map_err(malformed)?;
        let mut state = self.arrivals.state();
        let refused = state.refuse;
        let remembered = state.registrations.len();
        if !refused && state.has_room(remembered, size) {
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
        let size = payload.len();
        let update = UpdateContainersRequest::decode(payload).map_err(malformed)?;
        let answer = {
            let mut state = self.arrivals.state();
            let remembered = state.updates.len();
            if state.has_room(remembered, size) {
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

fn malformed(error: nri::codec::DecodeError) -> Status {
    Status::new(Code::INVALID_ARGUMENT, error.to_string())
}

impl Service for RuntimeService {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        match (&*request.service, &*request.method) {
            (RUNTIME_SERVICE, "RegisterPlugin") => self.register(request.payload),
            (RUNTIME_SERVICE, "UpdateContainers") => self.update(request.payload).await,
            (service, method) => {
                let mut state = self.arrivals.state();
                let remembered = state.unknown.len();
                if state.has_room(remembered, method.len()) {
                    state.unknown.push(method.to_owned());
                }
                drop(state);
                Err(Status::unknown_method(service, method))
            }
        }
    }
}
