//! The runtime's requests to the plugin.

use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use nri::api::SynchronizeResponse;
use nri::codec::Message as _;
use nri::plugin::missing_rpc;
use nri::wire::{Request, Service, Status};
use tokio::time::Instant;

use super::configure::{Configure, share};
use super::{Forward, Label, Options};
use crate::state::{Serving, State};

/// The RPC that older runtimes sent most events with.
const STATE_CHANGE: &str = "StateChange";

/// The time limit before Configure has named one, and for Configure itself.
const FIRST_LIMIT: Duration = Duration::from_secs(10);

/// Passes the runtime's requests to the plugin, and its answers back. An event whose RPC the plugin
/// does not implement becomes StateChange.
pub(super) struct FromRuntime<'r> {
    plugin: Forward,
    label: &'r Label,
    options: &'r Options,
    state: &'r State,
    /// The time limit of a request without one, from Configure.
    limit: OnceLock<Duration>,
    /// The RPCs that the plugin does not implement and that became StateChange, which it is not
    /// asked again.
    unimplemented: Mutex<BTreeSet<String>>,
    serving: OnceLock<Serving>,
}

impl<'r> FromRuntime<'r> {
    pub(super) fn new(
        plugin: Forward,
        label: &'r Label,
        options: &'r Options,
        state: &'r State,
    ) -> Self {
        FromRuntime {
            plugin,
            label,
            options,
            state,
            limit: OnceLock::new(),
            unimplemented: Mutex::default(),
            serving: OnceLock::new(),
        }
    }
}

impl Service for FromRuntime<'_> {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        match request.method.as_str() {
            "Configure" => self.configure(request).await,
            "Synchronize" => self.synchronize(request).await,
            _ => self.event(request).await,
        }
    }
}

impl FromRuntime<'_> {
    async fn configure(&self, mut request: Request) -> Result<Bytes, Status> {
        let configure = Configure::new(&request.payload, self.options).map_err(|error| {
            Status::invalid_argument(format!("the bridge cannot read Configure: {error}"))
        })?;
        request.payload = configure.request;
        let answer = self.forward(&request).await;
        let _ = self.limit.set(configure.limit);
        answer
    }

    /// Passes a part of the pods and containers. The plugin serves once it has answered the last
    /// one.
    async fn synchronize(&self, request: Request) -> Result<Bytes, Status> {
        let answer = self.forward(&request).await?;
        let has_more = SynchronizeResponse::decode(&answer[..]).is_ok_and(|answer| answer.more);
        if !has_more {
            self.serving.get_or_init(|| self.state.serve());
        }
        Ok(answer)
    }

    /// Passes an event with its own RPC, and if the plugin does not implement that, as StateChange.
    async fn event(&self, request: Request) -> Result<Bytes, Status> {
        if self.is_unimplemented(&request.method) {
            let unknown = Status::unknown_method(&request.service, &request.method);
            return self.as_state_change(request, unknown).await;
        }
        match self.forward(&request).await {
            Err(status) if missing_rpc(&status).is_some() => {
                self.as_state_change(request, status).await
            }
            answer => answer,
        }
    }

    /// Passes an event as StateChange, or returns the refusal of its own RPC if StateChange does
    /// not carry it.
    async fn as_state_change(
        &self,
        mut request: Request,
        refusal: Status,
    ) -> Result<Bytes, Status> {
        let method = &request.method;
        let Some(change) = translated(&request)? else {
            return Err(refusal);
        };
        if !self.is_unimplemented(method) {
            self.known().insert(method.clone());
        }
        if self.state.translate(method) {
            tracing::warn!(
                "{}: does not implement {method}, and gets it as StateChange. It needs the bridge until it is rebuilt with NRI v0.12 or later",
                self.label.get()
            );
        }
        request.method = STATE_CHANGE.to_owned();
        request.payload = change;
        self.forward(&request).await
    }

    fn is_unimplemented(&self, method: &str) -> bool {
        self.known().contains(method)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.unimplemented.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn forward(&self, request: &Request) -> Result<Bytes, Status> {
        let default = self.limit.get().copied().unwrap_or(FIRST_LIMIT);
        let left = |deadline: Instant| share(deadline.saturating_duration_since(Instant::now()));
        let limit = request.deadline.map_or(default, left);
        let payload = request.payload.clone();
        self.plugin.call(&request.service, &request.method, payload, limit).await
    }
}

/// Returns the StateChange with the event of a request; `None` if StateChange does not carry it.
fn translated(request: &Request) -> Result<Option<Bytes>, Status> {
    let change = nri::plugin::state_change(&request.method, &request.payload).map_err(|error| {
        let method = &request.method;
        Status::invalid_argument(format!("the bridge cannot read {method}: {error}"))
    })?;
    Ok(change.map(Bytes::from))
}
