//! The Plugin service: Configure and Synchronize, in which the stub takes part, and everything
//! else.

use std::sync::{Arc, Mutex, PoisonError};

use crate::codec::Message;
use bytes::Bytes;
use tokio::sync::watch;

use super::deadline::Moments;
use super::shared::Shared;
use super::subscription::subscription;
use super::synchronize::{Assembly, Part};
use crate::api::{ConfigureRequest, ConfigureResponse, PLUGIN_SERVICE, SynchronizeResponse};
use crate::context::Runtime;
use crate::plugin::{Plugin, malformed};
use crate::store::record::RECORDED_EVENTS;
use crate::wire::{Code, Request, Service, Status};
use crate::{Error, ErrorKind, Result};

/// The phase that a connection has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Registering,
    Configured,
    Serving,
    /// Configure or Synchronize failed: the connection is unusable.
    Failed,
}

/// The service of one connection.
pub(super) struct Serving<'s, P> {
    stub: &'s Shared<P>,
    phase: watch::Sender<Phase>,
    failure: Mutex<Option<Error>>,
    assembly: Mutex<Assembly>,
}

impl<'s, P: Plugin> Serving<'s, P> {
    pub(super) fn new(stub: &'s Shared<P>) -> Self {
        Serving {
            stub,
            phase: watch::Sender::new(Phase::Registering),
            failure: Mutex::default(),
            assembly: Mutex::default(),
        }
    }

    pub(super) fn phase(&self) -> Phase {
        *self.phase.borrow()
    }

    /// Waits until the connection has reached a phase.
    ///
    /// # Errors
    ///
    /// Returns the error of Configure or Synchronize.
    pub(super) async fn reach(&self, phase: Phase) -> Result<()> {
        let _ = self.phase.subscribe().wait_for(|now| *now >= phase).await;
        if self.phase() != Phase::Failed {
            return Ok(());
        }
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = || Error::with_kind(ErrorKind::Connection, "the handshake failed");
        Err(failure.take().unwrap_or_else(taken))
    }

    /// Ends the connection after an error, once the runtime has been sent the error.
    fn advance(&self, phase: Phase, outcome: Result<Bytes>) -> Result<Bytes, Status> {
        outcome.inspect(|_| _ = self.phase.send_replace(phase)).map_err(|error| {
            let status = status(&error);
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            self.phase.send_replace(Phase::Failed);
            status
        })
    }

    async fn configure(&self, payload: &Bytes, moments: Moments) -> Result<Bytes> {
        let request =
            ConfigureRequest::decode(&**payload).map_err(|error| malformed("Configure", error))?;
        self.stub.set_request_timeout(request.request_timeout);
        let runtime = Arc::new(Runtime::of(&request));
        self.stub.tools.set_runtime(Arc::clone(&runtime));
        tracing::info!(plugin = %self.stub.identity, "registered with {runtime}");
        let answer = self.stub.answer("Configure", payload.clone(), moments).await?;
        let answer =
            ConfigureResponse::decode(answer).map_err(|error| malformed("Configure", error))?;
        let (mut response, warnings) = subscription::<P>(&runtime, answer.events)?;
        if self.stub.settings.record.is_some() {
            response.events |= RECORDED_EVENTS.bits();
        }
        if !warnings.is_empty() {
            self.stub.warn_once(warnings.join("; "));
        }
        Ok(response.encode_to_vec().into())
    }

    async fn synchronize(&self, part: Bytes, moments: Moments) -> Result<Bytes, Status> {
        let added = {
            let mut assembly = self.assembly.lock().unwrap_or_else(PoisonError::into_inner);
            assembly.add(part, self.stub.settings.max_synchronize)
        };
        let outcome = match added {
            // A runtime drops a plugin that gives any other answer to a part that is not the last.
            Ok(Part::More) => {
                let more = SynchronizeResponse { more: true, ..SynchronizeResponse::default() };
                return Ok(more.encode_to_vec().into());
            }
            Ok(Part::Whole(request)) => self.stub.answer("Synchronize", request, moments).await,
            Err(error) => Err(error),
        };
        self.advance(Phase::Serving, outcome)
    }
}

impl<P: Plugin> Service for Serving<'_, P> {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        if request.service != PLUGIN_SERVICE {
            return Err(Status::unknown_service(&request.service));
        }
        let moments = Moments::new(request.timeout.unwrap_or_else(|| self.stub.request_timeout()));
        match request.method.as_str() {
            "Configure" => {
                let outcome = self.configure(&request.payload, moments).await;
                self.advance(Phase::Configured, outcome)
            }
            "Synchronize" => self.synchronize(request.payload, moments).await,
            method => self
                .stub
                .answer(method, request.payload, moments)
                .await
                .map_err(|error| status(&error)),
        }
    }
}

/// Returns the status that the runtime gets for an error: its message with all causes.
pub(super) fn status(error: &Error) -> Status {
    Status::new(Code(error.kind().code()), format!("{error:#}"))
}
