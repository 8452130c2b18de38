//! A connection to a plugin, and the task that serves it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::{AbortHandle, JoinHandle};

use nri::api::PLUGIN_SERVICE;
use nri::wire::{CallError, Caller, Channels, Connection, ConnectionError, Ended, Limits, Service};

/// The runtime calls on the first logical connection and serves on the second.
pub(super) const CHANNELS: Channels = Channels { serve: 2, call: 1 };

/// The task that serves a connection, until it ends.
pub(super) type Serving = JoinHandle<Result<Ended, ConnectionError>>;

/// A handle to call a plugin and to close its connection. Clones share the connection.
#[derive(Clone, Debug)]
pub(super) struct Link {
    caller: Caller,
    task: AbortHandle,
}

impl Link {
    /// Serves a connection over this stream in a new task.
    pub(super) fn start<S>(
        stream: S,
        service: Arc<impl Service + Send + 'static>,
    ) -> (Self, Serving)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let (connection, caller) = Connection::new(stream, CHANNELS, Limits::default());
        let serving = tokio::spawn(async move { connection.serve(&*service).await });
        let task = serving.abort_handle();
        (Link { caller, task }, serving)
    }

    /// Calls a method of the plugin and waits for its encoded answer.
    ///
    /// # Errors
    ///
    /// Returns a [`CallError`] if the plugin answers with an error, does not answer, or cannot be called.
    pub(super) async fn call(
        &self,
        method: &str,
        payload: impl Into<Bytes>,
        within: Duration,
    ) -> Result<Bytes, CallError> {
        self.caller
            .call(PLUGIN_SERVICE, method, payload, Some(within))
            .await
    }

    /// Closes the connection. Pending calls fail with [`CallError::Closed`].
    pub(super) fn close(&self) {
        self.task.abort();
    }

    /// Returns true if the connection has ended. Every call fails from then on.
    pub(super) fn is_closed(&self) -> bool {
        self.caller.is_closed()
    }
}
