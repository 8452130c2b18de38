//! The runtime's answers to the plugin.

use std::future::pending;
use std::sync::Arc;

use bytes::Bytes;
use nri::__private::{RuntimeRpc, called};
use nri::api::{RegisterPluginRequest, UpdateContainersRequest};
use nri::codec::Message;
use nri::wire::{Code, ConnectionError, Ended, Request, Service, Status};
use tokio::sync::watch;

use crate::peer::malformed;

/// The number of requests and of their bytes after which a plugin floods the runtime.
const MAX_REQUESTS: usize = 10_000;
const MAX_BYTES: usize = 16 << 20;

/// The maximum number of bytes of the updates that are kept. Later updates are ignored.
pub(crate) const MAX_UPDATE_BYTES: usize = 16 << 20;

/// The answers of the runtime to UpdateContainers.
#[derive(Debug)]
pub(crate) enum UpdateAnswer {
    /// These answers to the first updates, and success to all further ones.
    InOrder(Vec<Result<Bytes, Status>>),
    /// An error.
    Error,
    /// No answer.
    Never,
}

/// The requests that a plugin has sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrivals(Arc<watch::Sender<State>>);

#[derive(Debug, Default)]
struct State {
    registration: Option<RegisterPluginRequest>,
    updates: Vec<Bytes>,
    update_bytes: usize,
    answer: UpdateAnswer,
    refuse: bool,
    /// The number of all requests, and of the bytes in them.
    requests: usize,
    bytes: usize,
    /// The number of requests beyond the limits.
    surplus: u64,
    end: Option<SessionEnd>,
}

/// The end of a connection, from the perspective of the runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SessionEnd {
    /// The plugin closed it between two messages.
    Closed,
    /// It was lost, for example in the middle of a message.
    Lost(String),
    /// The plugin broke the protocol in this way.
    Broken(String),
}

impl From<&Result<Ended, ConnectionError>> for SessionEnd {
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
    /// Waits for the registration. Returns `None` when the connection ends before it.
    pub(crate) async fn registration(&self) -> Option<RegisterPluginRequest> {
        let mut changes = self.0.subscribe();
        let come = |state: &State| state.registration.is_some() || state.end.is_some();
        // Cannot fail: the sender is part of `self`.
        let state = changes.wait_for(come).await.ok()?;
        state.registration.clone()
    }

    /// Records that the connection has ended.
    pub(crate) fn set_end(&self, end: SessionEnd) {
        self.0.send_modify(|state| state.end = Some(end));
    }

    /// Returns how the connection ended, if it has.
    pub(crate) fn end(&self) -> Option<SessionEnd> {
        self.0.borrow().end.clone()
    }

    /// Returns the number of requests by which the plugin floods the runtime.
    pub(crate) fn surplus(&self) -> u64 {
        self.0.borrow().surplus
    }

    /// Waits for this number of updates.
    pub(crate) async fn updated(&self, count: usize) {
        let mut state = self.0.subscribe();
        // Cannot fail: the sender is part of `self`.
        let _ = state.wait_for(|state| state.updates.len() >= count).await;
    }

    /// Returns the encoded updates.
    pub(crate) fn updates(&self) -> Vec<Bytes> {
        self.0.borrow().updates.clone()
    }

    /// Sets how UpdateContainers is answered from now on.
    pub(crate) fn answer_updates(&self, answer: UpdateAnswer) {
        self.0.send_modify(|state| state.answer = answer);
    }

    /// Answers registrations with an error from now on.
    pub(crate) fn refuse_registration(&self) {
        self.0.send_modify(|state| state.refuse = true);
    }

    fn count(&self, request: &Request) {
        self.0.send_modify(|state| {
            state.requests += 1;
            state.bytes = state.bytes.saturating_add(request.payload.len());
            let is_surplus = state.requests > MAX_REQUESTS || state.bytes > MAX_BYTES;
            state.surplus += u64::from(is_surplus);
        });
    }

    fn register(&self, payload: Bytes) -> Result<Bytes, Status> {
        let registration = RegisterPluginRequest::decode(payload).map_err(malformed)?;
        if self.0.borrow().refuse {
            return Err(Status::new(Code::UNKNOWN, "registration refused"));
        }
        self.0.send_modify(|state| _ = state.registration.get_or_insert(registration));
        Ok(Bytes::new())
    }

    async fn update(&self, payload: Bytes) -> Result<Bytes, Status> {
        let mut number = 0;
        self.0.send_modify(|state| {
            number = state.updates.len();
            state.update_bytes += payload.len();
            if state.update_bytes <= MAX_UPDATE_BYTES {
                state.updates.push(payload.clone());
            }
        });
        UpdateContainersRequest::decode(payload).map_err(malformed)?;
        let answer = match &self.0.borrow().answer {
            UpdateAnswer::InOrder(answers) => {
                Some(answers.get(number).cloned().unwrap_or(Ok(Bytes::new())))
            }
            UpdateAnswer::Error => Some(Err(Status::new(Code::UNKNOWN, "the update failed"))),
            UpdateAnswer::Never => None,
        };
        match answer {
            Some(answer) => answer,
            None => pending().await,
        }
    }
}

impl Default for UpdateAnswer {
    fn default() -> Self {
        UpdateAnswer::InOrder(Vec::new())
    }
}

impl Service for Arrivals {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        self.count(&request);
        match called(&request)? {
            RuntimeRpc::RegisterPlugin => self.register(request.payload),
            RuntimeRpc::UpdateContainers => self.update(request.payload).await,
        }
    }
}
