//! A plugin on the wire, without handlers: a service answers the requests of the runtime.

use std::future::pending;
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use nri::__private::register;
use nri::api::SynchronizeResponse;
use nri::codec::{DecodeError, Message as _};
use nri::wire::{CallError, Channels, Connection, Ended, Limits, Service, Status};
use nri_adaptation::{PluginId, Revision};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

/// The time that a runtime has to answer the registration.
const REGISTRATION: Duration = Duration::from_secs(30);

/// Registers over a stream, and serves until the runtime closes the connection or `stop` completes.
///
/// An empty answer to Configure subscribes to all events that the runtime knows, and one to an
/// event changes nothing.
pub(crate) async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    name: &str,
    index: &str,
    service: &impl Service,
    stop: impl Future<Output = ()>,
) -> Result<Ended, String> {
    let newest = Revision::newest();
    let id = PluginId::new(index, name).map_err(|invalid| invalid.to_string())?;
    let channels = Channels::PLUGIN;
    let (connection, caller) = Connection::new(stream, channels, Limits::default());
    let refusal = async {
        match register(&caller, &id, newest.release(), Some(REGISTRATION)).await {
            Err(CallError::Status(status)) => {
                let message = status.message;
                format!("the runtime refused to register plugin {id}: {message}")
            }
            Ok(()) | Err(CallError::Closed) => pending().await,
            Err(error) => format!("plugin {id} was not registered: {error}"),
        }
    };
    let mut refusal = pin!(refusal);
    let ended = tokio::select! {
        ended = connection.serve_until(service, stop) => ended,
        reason = refusal.as_mut() => return Err(reason),
    };
    // The refusal may arrive together with the end of the connection.
    match timeout(Duration::ZERO, refusal).await {
        Ok(reason) => Err(reason),
        Err(_) => ended.map_err(|error| error.to_string()),
    }
}

/// Returns the answer to a request that cannot be decoded.
pub(crate) fn malformed(error: DecodeError) -> Status {
    Status::invalid_argument(error.to_string())
}

/// Returns the answer to a part of Synchronize. A runtime drops a plugin that does not repeat
/// whether there are more parts.
pub(crate) fn synchronized(more: bool) -> Bytes {
    let answer = SynchronizeResponse { more, ..SynchronizeResponse::default() };
    answer.encode_to_vec().into()
}
