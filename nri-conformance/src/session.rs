//! A connection to a plugin whose runtime end is controlled by a test, under any revision of the
//! protocol.
//!
//! A session works at a lower level than [`nri_adaptation`]: it sends exactly what a test requests,
//! including messages that no runtime would send, and returns the answers without judging them,
//! except that they can be decoded.

mod recut;
mod requests;
mod service;
mod trace;
#[doc(hidden)]
pub mod world;

use std::time::Duration;

use bytes::Bytes;
use nri::__private::changes;
use nri::api::{
    ConfigureRequest, ConfigureResponse, Empty, Event, EventMask, RegisterPluginRequest,
    SynchronizeRequest, SynchronizeResponse,
};
use nri::codec::Message;
use nri::wire::{CallError, Caller, Channels, Code, Connection, Limits, Status};
use nri_adaptation::{Revision, Via};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;
use tokio::time::timeout;

#[doc(hidden)]
pub use nri::api::{PLUGIN_SERVICE, RUNTIME_SERVICE};
pub(crate) use recut::{Cut, recut};
pub(crate) use requests::life;
#[doc(hidden)]
pub use requests::{request, sample_request};
pub(crate) use service::{Arrivals, MAX_UPDATE_BYTES, SessionEnd, UpdateAnswer};
pub(crate) use trace::Trace;
pub use world::RuntimeKind;

use crate::incident::Incident;
use crate::tapped::{Party, Tapped};

/// Time limits of a runtime. The defaults are those of the reference runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeouts {
    /// The time limit for the registration of the plugin.
    pub registration: Duration,
    /// The time limit for the answer to each request.
    pub request: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts { registration: Duration::from_secs(5), request: Duration::from_secs(2) }
    }
}

impl Timeouts {
    /// Sets the time limit for the registration of the plugin.
    #[must_use]
    pub fn registration(mut self, limit: Duration) -> Self {
        self.registration = limit;
        self
    }

    /// Sets the time limit for the answer to each request.
    #[must_use]
    pub fn request(mut self, limit: Duration) -> Self {
        self.request = limit;
        self
    }
}

/// The runtime's end of a connection to a plugin.
#[derive(Debug)]
#[doc(hidden)]
pub struct Session {
    revision: Revision,
    timeouts: Timeouts,
    caller: Caller,
    arrivals: Arrivals,
    trace: Trace,
    serving: JoinHandle<()>,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Session {
    /// Serves the runtime's end of a stream.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with time enabled.
    pub fn new<S>(stream: S, revision: Revision, timeouts: Timeouts) -> Self
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let trace = Trace::default();
        let channels = Channels::PLUGIN.flipped();
        let recorder = trace.clone();
        let tap = Tapped::new(stream, Party::Plugin, move |by, bytes| recorder.add(by, bytes));
        let (connection, caller) = Connection::new(tap, channels, Limits::default());
        let arrivals = Arrivals::default();
        let service = arrivals.clone();
        let serving = tokio::spawn(async move {
            let ended = connection.serve(&service).await;
            service.set_end(SessionEnd::from(&ended));
        });
        Session { revision, timeouts, caller, arrivals, trace, serving }
    }

    /// Returns the release that is spoken.
    pub fn revision(&self) -> &Revision {
        &self.revision
    }

    /// Returns the bytes of the connection.
    pub(crate) fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Returns the requests of the plugin to the runtime.
    pub(crate) fn arrivals(&self) -> &Arrivals {
        &self.arrivals
    }

    /// Returns true if the connection has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.serving.is_finished()
    }

    /// Waits for the plugin to close the connection. Returns false if it is still open after
    /// `within`.
    pub(crate) async fn closed(&mut self, within: Duration) -> bool {
        self.serving.is_finished() || timeout(within, &mut self.serving).await.is_ok()
    }

    /// Waits for the plugin to register. Returns `None` if it does not within the registration
    /// timeout, or if the connection ends.
    pub async fn registration(&self) -> Option<RegisterPluginRequest> {
        let registration = self.arrivals.registration();
        timeout(self.timeouts.registration, registration).await.ok()?
    }

    /// Calls an RPC of the plugin with an encoded request, and waits for the request timeout.
    pub(crate) async fn call(
        &self,
        method: &str,
        request: impl Into<Bytes>,
    ) -> Result<Bytes, CallError> {
        self.call_within(method, request, self.timeouts.request).await
    }

    /// Calls an RPC of the plugin with a time limit.
    ///
    /// # Errors
    ///
    /// Returns the failure if there is no successful answer.
    pub async fn call_within(
        &self,
        method: &str,
        request: impl Into<Bytes>,
        within: Duration,
    ) -> Result<Bytes, CallError> {
        self.caller.call(PLUGIN_SERVICE, method, request, Some(within)).await
    }

    /// Returns the Configure request of this revision.
    pub fn configuration(&self, config: &str) -> ConfigureRequest {
        let millis = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        ConfigureRequest {
            config: config.to_owned(),
            runtime_name: "nri-conformance".to_owned(),
            runtime_version: format!("v{}", env!("CARGO_PKG_VERSION")),
            registration_timeout: millis(self.timeouts.registration),
            request_timeout: millis(self.timeouts.request),
            nri_version: self.revision.release().to_owned(),
        }
    }

    /// Configures the plugin and returns its answer.
    ///
    /// # Errors
    ///
    /// Returns the failure if there is no successful answer.
    pub async fn configure(
        &self,
        request: &ConfigureRequest,
    ) -> Result<ConfigureResponse, CallError> {
        let encoded = request.encode_to_vec();
        let payload = self.revision.without_newer("ConfigureRequest", &encoded);
        decoded(self.call("Configure", payload).await?)
    }

    /// Synchronizes the plugin with one part of the state, with a time limit.
    ///
    /// # Errors
    ///
    /// Returns the failure if there is no successful answer.
    pub async fn synchronize(
        &self,
        part: &SynchronizeRequest,
        within: Duration,
    ) -> Result<SynchronizeResponse, CallError> {
        let encoded = part.encode_to_vec();
        let payload = self.revision.without_newer("SynchronizeRequest", &encoded);
        decoded(self.call_within("Synchronize", payload, within).await?)
    }

    /// Sends an event as a runtime of this revision does: with its dedicated RPC, falling back to
    /// StateChange if the plugin does not implement the RPC and the event can be sent as
    /// StateChange; or as StateChange only.
    ///
    /// `request` is the encoded request of the dedicated RPC.
    pub(crate) async fn send(&self, event: Event, request: &[u8]) -> Answer {
        let Some(via) = self.revision.carrier(event) else {
            return Answer::unsent(event);
        };
        let answer = self.send_via(event, via, request).await;
        if via == Via::Dedicated && answer.is_unimplemented() && can_fall_back(event) {
            return self.send_via(event, Via::StateChange, request).await;
        }
        answer
    }

    /// Sends an event in one of the two ways, regardless of the revision.
    pub(crate) async fn send_via(&self, event: Event, via: Via, request: &[u8]) -> Answer {
        let Some((method, payload)) = self.revision.request(event, via, request) else {
            return Answer::unsent(event);
        };
        let response = self.call(method, payload).await;
        let result = response.and_then(|response| checked(event, via, response));
        Answer { event, via, result }
    }

    /// Returns the events of a mask that this revision knows; 0 means all of them.
    pub(crate) fn subscribed(&self, mask: i32) -> EventMask {
        let known = self.revision.events();
        if mask == 0 {
            return known;
        }
        EventMask::from_bits_truncate(mask & known.bits())
    }
}

/// Returns true if an event may be sent as StateChange to plugins that lack its dedicated RPC.
pub(crate) fn can_fall_back(event: Event) -> bool {
    Revision::rpcs().iter().any(|rpc| rpc.event == Some(event) && rpc.change_fields.is_some())
}

/// Decodes an answer.
pub(crate) fn decoded<M: Message + Default>(answer: Bytes) -> Result<M, CallError> {
    M::decode(answer).map_err(|error| CallError::Unreadable(error.to_string()))
}

/// The answer to an event, or the failure instead of it.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The event that was answered.
    pub(crate) event: Event,
    /// The RPC that it was sent through.
    pub(crate) via: Via,
    /// The encoded response, or the failure instead of it.
    pub(crate) result: Result<Bytes, CallError>,
}

impl Answer {
    /// Creates the answer to an event that the revision does not send, as if the plugin did not
    /// implement it.
    fn unsent(event: Event) -> Self {
        let status = Status::new(Code::UNIMPLEMENTED, "not sent under this revision");
        Answer { event, via: Via::Dedicated, result: Err(status.into()) }
    }

    /// Returns true if the plugin does not implement the RPC.
    pub(crate) fn is_unimplemented(&self) -> bool {
        self.code() == Some(Code::UNIMPLEMENTED)
    }

    /// Returns the status code of the answer; `None` for success, or if there was no answer.
    pub(crate) fn code(&self) -> Option<Code> {
        match &self.result {
            Err(CallError::Status(status)) => Some(status.code),
            Ok(_) | Err(_) => None,
        }
    }

    /// Returns what the log of a runtime would say about the answer; `None` for success.
    pub(crate) fn incident(&self) -> Option<Incident> {
        Incident::of_call(self.event.name(), self.result.as_ref().err()?)
    }

    /// Describes the request, such as `StopPodSandbox as StateChange`.
    pub(crate) fn sent(&self) -> String {
        let name = self.event.name();
        match self.via {
            Via::Dedicated => name.to_owned(),
            Via::StateChange => format!("{name} as StateChange"),
        }
    }

    /// Describes the answer.
    pub(crate) fn got(&self) -> String {
        match &self.result {
            Ok(_) => "success".to_owned(),
            Err(error) => describe(error),
        }
    }
}

/// Describes the failure of a call.
pub(crate) fn describe(error: &CallError) -> String {
    match error {
        CallError::Status(status) => format!("the error {:?}, {}", status.message, status.code),
        CallError::Closed => "the end of the connection".to_owned(),
        CallError::Timeout(within) => format!("no answer within {within:?}"),
        CallError::TooLarge { .. } | CallError::Protocol(_) | CallError::Unreadable(_) => {
            error.to_string()
        }
    }
}

/// Returns the response to an event if a runtime can decode it.
pub(crate) fn checked(event: Event, via: Via, response: Bytes) -> Result<Bytes, CallError> {
    let decoded = match via {
        Via::Dedicated => changes(event, &response).map(drop),
        Via::StateChange => Empty::decode(&response).map(drop),
    };
    let unreadable = decoded.map_err(|error| CallError::Unreadable(error.to_string()));
    unreadable.map(|()| response)
}
