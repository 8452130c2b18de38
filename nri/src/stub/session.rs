//! One connection, from registration to its end.

use std::future::{pending, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use tokio::time::{Instant, timeout};

use super::CHANNELS;
use super::connect::Stream;
use super::deadline::first_poll;
use super::panic::caught;
use super::serve::{Phase, Serving};
use super::shared::Shared;
use crate::context::Status;
use crate::plugin::rpcs::PROTOCOL;
use crate::plugin::{Change, Plugin};
use crate::wire::{CallError, Caller, Connection, ConnectionError, Ended, Limits};
use crate::{Error, ErrorKind, EventContext, Result, runtime_calls};

/// The request to stop, observed by several connections, one after the other; `None` once it was
/// made.
pub(super) struct StopRequest<'a>(pub(super) Option<Pin<&'a mut (dyn Future<Output = ()> + Send)>>);

impl StopRequest<'_> {
    /// Waits for the request.
    async fn requested(&mut self) {
        if let Some(request) = &mut self.0 {
            request.await;
            self.0 = None;
        }
    }

    /// Returns the output of the work, or `None` if stopping is requested first.
    pub(super) async fn or<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        let stopped = async {
            self.requested().await;
            None
        };
        first(stopped, async { Some(work.await) }).await
    }
}

/// Returns the output of the future that is done first. If both are, it is that of the first one.
pub async fn first<T>(one: impl Future<Output = T>, other: impl Future<Output = T>) -> T {
    let (mut one, mut other) = (pin!(one), pin!(other));
    poll_fn(|cx| match one.as_mut().poll(cx) {
        Poll::Pending => other.as_mut().poll(cx),
        done => done,
    })
    .await
}

/// A connection that is lost.
pub(super) struct Lost {
    /// The time at which Synchronize was answered; `None` if the connection was lost before that.
    pub(super) serving_since: Option<Instant>,
    /// The error; `None` if the runtime closed the connection in an orderly way.
    pub(super) cause: Option<Error>,
}

impl<P: Plugin> Shared<P> {
    /// Registers over this stream and serves until the connection is lost. Returns `None` if the
    /// plugin was asked to stop.
    pub(super) async fn session(
        &self,
        stream: Box<dyn Stream>,
        stop: &mut StopRequest<'_>,
        again: bool,
    ) -> Option<Lost> {
        let (connection, caller) = Connection::new(stream, CHANNELS, Limits::default());
        let serving = Serving::new(self);
        let opened = Instant::now();
        let mut serving_since = None;
        let ended = {
            let handshake = self.handshake(&serving, caller, again, &mut serving_since);
            both(connection.serve_until(&serving, stop.requested()), handshake).await
        };
        self.tools.link.down();
        let since = std::time::Instant::now();
        self.tools.status.send_replace(Status::Disconnected { since });
        let cause = match ended {
            Ok(Ended::ByShutdown) => return None,
            Ok(Ended::ByPeer) => closed_early(serving.phase(), opened),
            Err(error) => Some(error),
        };
        Some(Lost { serving_since, cause })
    }

    async fn handshake(
        &self,
        serving: &Serving<'_, P>,
        caller: Caller,
        again: bool,
        serving_since: &mut Option<Instant>,
    ) -> Result<()> {
        timeout(self.settings.registration_timeout, self.registered(serving, &caller))
            .await
            .unwrap_or_else(|_| Err(self.not_configured()))?;
        self.tools.status.send_replace(Status::Registered);
        serving.reach(Phase::Serving).await?;
        *serving_since = Some(Instant::now());
        self.tools.link.up(caller);
        if again {
            self.tools.metrics.count_reconnect();
        }
        self.tools.status.send_replace(Status::Serving);
        tracing::info!(plugin = %self.identity, "synchronized; handling events");
        let change = if again { Change::Reconnected } else { Change::Connected };
        self.run_hook(change).await;
        Ok(())
    }

    /// Tells the plugin about a change of the connection, if it wants to know.
    pub(super) async fn run_hook(&self, change: Change<'_>) {
        let name = match change {
            Change::Connected => "on_connect",
            Change::Disconnected(_) => "on_disconnect",
            Change::Reconnected => "on_reconnect",
        };
        if let Some(hook) = P::CONNECTION {
            let cx = EventContext::of_stub(Arc::clone(&self.tools));
            if let Err(error) = caught(hook(self.plugin.inner(), &cx, change)).await {
                tracing::error!("{name} failed: {error:#}");
            }
        }
    }

    /// Registers, and waits for Configure. A runtime handles the two independently: the answer to
    /// the registration may come after Synchronize, or not at all if the runtime ends.
    async fn registered(&self, serving: &Serving<'_, P>, caller: &Caller) -> Result<()> {
        first(serving.reach(Phase::Configured), async {
            self.register(caller).await?;
            pending().await
        })
        .await
    }

    async fn register(&self, caller: &Caller) -> Result<()> {
        let asked = Instant::now();
        let registered = runtime_calls::register(caller, &self.identity, PROTOCOL, None).await;
        registered.map_err(|error| self.refused(error, asked))
    }

    fn refused(&self, error: CallError, asked: Instant) -> Error {
        let identity = &self.identity;
        match error {
            CallError::Status(status) => Error::with_kind(
                ErrorKind::Config,
                format!("the runtime refused to register plugin {identity}: {}", status.message),
            )
            .with_help(
                "check name and index, and that no plugin of this name and index is connected",
            ),
            // A runtime closes the connection when its time limit is over, and says so only in its
            // log.
            CallError::Closed => Error::with_kind(
                ErrorKind::Connection,
                format!(
                    "plugin {identity} was not registered: the runtime closed the connection after {:.1?}",
                    asked.elapsed()
                ),
            )
            .with_help(NOT_REGISTERED),
            error @ (CallError::Timeout(_)
            | CallError::TooLarge(_)
            | CallError::Protocol(_)
            | CallError::Unreadable(_)) => Error::with_kind(
                ErrorKind::Connection,
                format!("plugin {identity} was not registered: {error}"),
            )
            .with_help(NOT_REGISTERED),
        }
    }

    fn not_configured(&self) -> Error {
        let (identity, timeout) = (&self.identity, self.settings.registration_timeout);
        let message =
            format!("plugin {identity} was not registered and configured within {timeout:?}");
        Error::with_kind(ErrorKind::Timeout, message).with_help("see the log of the runtime")
    }
}

/// Waits for the end of the connection, or an error of the handshake, which needs the connection to
/// be polled.
async fn both(
    connection: impl Future<Output = Result<Ended, ConnectionError>>,
    handshake: impl Future<Output = Result<()>>,
) -> Result<Ended> {
    let mut failed = pin!(async {
        match handshake.await {
            Ok(()) => pending().await,
            Err(error) => error,
        }
    });
    let connection = async { connection.await.map_err(lost) };
    match first(connection, async { Err(failed.as_mut().await) }).await {
        // A runtime that refuses the plugin closes the connection as well.
        Ok(Ended::ByPeer) => first_poll(&mut failed).await.map_or(Ok(Ended::ByPeer), Err),
        ended => ended,
    }
}

fn lost(error: ConnectionError) -> Error {
    let kind = match error {
        ConnectionError::Io(_) => ErrorKind::Connection,
        ConnectionError::FrameTooLarge { .. }
        | ConnectionError::MessageTooLarge { .. }
        | ConnectionError::Truncated(_)
        | ConnectionError::StreamsExhausted => ErrorKind::Protocol,
    };
    Error::with_kind(kind, error.to_string()).with_source(error)
}

/// How to find out why a runtime closed the connection during the registration.
const NOT_REGISTERED: &str = "see the log of the runtime: \"plugin registration timed out\" there means that its plugin_registration_timeout is too short for this machine; check that this is its NRI socket";

/// Returns the error for a connection that was closed in this phase; `None` once events could
/// arrive.
fn closed_early(phase: Phase, opened: Instant) -> Option<Error> {
    let (when, help) = match phase {
        Phase::Serving => return None,
        Phase::Registering => (
            format!("before Configure, {:.1?} after it was opened", opened.elapsed()),
            NOT_REGISTERED,
        ),
        Phase::Configured | Phase::Failed => (
            "after Configure, without Synchronize".to_owned(),
            "see the log of the runtime: \"invalid plugin events\" there means that the runtime \
                 is older than it claims",
        ),
    };
    let message = format!("the runtime closed the connection {when}");
    Some(Error::with_kind(ErrorKind::Connection, message).with_help(help))
}
