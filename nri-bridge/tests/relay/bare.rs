//! A runtime that passes the bytes of messages, and accepts every plugin.

use std::time::Duration;

use bytes::Bytes;
use nri::api::{ConfigureRequest, Event, PLUGIN_SERVICE, SynchronizeRequest};
use nri::codec::Message as _;
use nri::wire::{CallError, Caller, Channels, Connection, Limits, Request, Service, Status};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;

/// The time limit of what must happen, also on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// The number of requests that the runtime sends at once.
const AT_ONCE: usize = 1_000;

/// Accepts every request of the plugin.
struct Accepting;

impl Service for Accepting {
    async fn call(&self, _: Request) -> Result<Bytes, Status> {
        Ok(Bytes::new())
    }
}

/// The runtime's end of the connection to a plugin.
pub(crate) struct Bare {
    pub(crate) caller: Caller,
    /// Ends with the connection.
    pub(crate) served: JoinHandle<()>,
}

impl Bare {
    /// Serves the plugin at the other end of a stream.
    pub(crate) fn over(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Self {
        let mut limits = Limits::default();
        limits.calls = AT_ONCE;
        let channels = Channels::PLUGIN.flipped();
        let (connection, caller) = Connection::new(stream, channels, limits);
        let served = tokio::spawn(async move {
            let _ = connection.serve(&Accepting).await;
        });
        Self { caller, served }
    }

    /// Configures and synchronizes the plugin.
    pub(crate) async fn admit(&self) {
        let limit = i64::try_from(PATIENCE.as_millis()).expect("a sensible time");
        let configure = ConfigureRequest { request_timeout: limit, ..ConfigureRequest::default() };
        for (method, request) in [
            ("Configure", configure.encode_to_vec()),
            ("Synchronize", SynchronizeRequest::default().encode_to_vec()),
        ] {
            let answer = self.caller.call(PLUGIN_SERVICE, method, request, Some(PATIENCE)).await;
            answer.unwrap_or_else(|error| panic!("{method}: {error}"));
        }
    }

    /// Sends an event.
    pub(crate) async fn send(
        &self,
        event: Event,
        request: Bytes,
        limit: Duration,
    ) -> Result<Bytes, CallError> {
        self.caller.call(PLUGIN_SERVICE, event.name(), request, Some(limit)).await
    }
}
