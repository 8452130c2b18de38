//! The plugin's requests to the runtime.

use bytes::Bytes;
use nri::api::RegisterPluginRequest;
use nri::codec::Message as _;
use nri::wire::{CallError, Caller, Request, Service, Status};
use tokio::sync::mpsc;

use super::{End, Label, status_of, unanswered};

/// Passes the plugin's requests to the runtime, and its answers back.
pub(super) struct FromPlugin<'r> {
    pub(super) runtime: Caller,
    pub(super) label: &'r Label,
    pub(super) failed: mpsc::Sender<End>,
}

impl Service for FromPlugin<'_> {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        if request.method == "RegisterPlugin" {
            self.note(&request.payload);
        }
        let Request { service, method, payload, timeout, .. } = request;
        match self.runtime.call(&service, &method, payload, timeout).await {
            Ok(answer) => Ok(answer),
            Err(CallError::Status(status)) => Err(status),
            Err(CallError::Closed) => unanswered(&self.failed, End::Runtime(None)).await,
            Err(
                error @ (CallError::Timeout(_)
                | CallError::TooLarge(_)
                | CallError::Protocol(_)
                | CallError::Unreadable(_)),
            ) => Err(status_of(error)),
        }
    }
}

impl FromPlugin<'_> {
    /// Remembers what the plugin registers as.
    fn note(&self, payload: &[u8]) {
        // Whether the request is valid is for the runtime to say.
        if let Ok(request) = RegisterPluginRequest::decode(payload) {
            let label = format!("{}-{}", request.plugin_idx, request.plugin_name);
            tracing::info!("{label}: registers through the bridge");
            let _ = self.label.0.set(label);
        }
    }
}
