//! Runs a plugin over one connection after the other.

use std::future::pending;
use std::pin::pin;

use tokio::signal::unix::{SignalKind, signal};
use tokio::time::sleep;

use super::backoff::Attempts;
use super::session::{Lost, StopRequest, first};
use super::{RuntimeExit, Stub};
use crate::plugin::{Change, Plugin};
use crate::{Error, ErrorKind, Result};

impl<P: Plugin> Stub<P> {
    /// Runs the plugin until SIGTERM or SIGINT. Requests in progress then have two seconds to
    /// finish.
    ///
    /// An external plugin reconnects when the connection is lost. A launched one ends, because the
    /// runtime has ended or wants it to end.
    ///
    /// Logs to standard error unless the program has installed a `tracing` subscriber, see
    /// [`logging`](crate::logging).
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime cannot be reached, refuses the plugin, is too old for it
    /// ([`ErrorKind::Unsupported`]) or breaks the protocol, unless the plugin tries again.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with time and I/O enabled.
    pub async fn run(self) -> Result<()> {
        self.run_until(stop_requested()).await
    }

    /// Runs the plugin until `stop` completes, ignoring signals.
    ///
    /// # Errors
    ///
    /// Behaves like [`run`](Self::run).
    ///
    /// # Panics
    ///
    /// Behaves like [`run`](Self::run).
    pub async fn run_until(mut self, stop: impl Future<Output = ()> + Send) -> Result<()> {
        let settings = &self.shared.settings;
        if settings.logs {
            crate::logging::from_env();
        }
        announce::<P>();
        let stop = pin!(stop);
        let mut stop_request = StopRequest(Some(stop));
        let mut again = false;
        let mut attempts = Attempts::new(settings.reconnect.unwrap_or_default());
        loop {
            let Some(lost) = self.connect(&mut stop_request, again).await else {
                return Ok(());
            };
            again |= lost.serving_since.is_some();
            let orderly = lost.cause.is_none();
            let cause = lost.cause.unwrap_or_else(closed);
            if let Some(since) = lost.serving_since {
                attempts.held(since.elapsed());
                let hook = self.shared.run_hook(Change::Disconnected(&cause));
                if stop_request.or(hook).await.is_none() {
                    return Ok(());
                }
            }
            if !self.tries_again(&cause, again) {
                return self.shared.settings.runtime_exit.end(cause, orderly);
            }
            let wait = attempts.next_wait();
            tracing::warn!(help = cause.help(), "connecting again in {wait:.1?}: {cause:#}");
            if stop_request.or(sleep(wait)).await.is_none() {
                return Ok(());
            }
        }
    }

    async fn connect(&mut self, stop: &mut StopRequest<'_>, again: bool) -> Option<Lost> {
        match stop.or(self.endpoint.open()).await? {
            Err(error) => Some(Lost { serving_since: None, cause: Some(error) }),
            Ok(stream) => self.shared.session(stream, stop, again).await,
        }
    }

    fn tries_again(&self, cause: &Error, again: bool) -> bool {
        let settings = &self.shared.settings;
        let external = self.endpoint.is_external() && settings.reconnect.is_some();
        // A further attempt cannot succeed after these.
        let hopeless = matches!(cause.kind(), ErrorKind::Unsupported | ErrorKind::Config);
        external && !hopeless && (again || settings.wait_for_runtime)
    }
}

impl RuntimeExit {
    /// Returns the result of a plugin that does not connect again.
    fn end(self, cause: Error, orderly: bool) -> Result<()> {
        match self {
            RuntimeExit::Success if orderly => {
                tracing::info!("{cause:#}: exiting");
                Ok(())
            }
            RuntimeExit::Success | RuntimeExit::Failure => Err(cause),
        }
    }
}

/// Completes with the first SIGTERM or SIGINT.
async fn stop_requested() {
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    let (mut terminate, mut interrupt) = match signals {
        (Ok(terminate), Ok(interrupt)) => (terminate, interrupt),
        (Err(error), _) | (_, Err(error)) => {
            tracing::warn!(%error, "cannot listen for signals: they will kill the plugin");
            return pending().await;
        }
    };
    let named = |_, name| name;
    let terminated = async { named(terminate.recv().await, "SIGTERM") };
    let interrupted = async { named(interrupt.recv().await, "SIGINT") };
    let name = first(terminated, interrupted).await;
    tracing::info!("{name}: stopping after the requests in progress");
}

fn closed() -> Error {
    Error::with_kind(ErrorKind::Connection, "the runtime closed the connection")
}

/// Logs warnings that do not depend on the runtime, once.
fn announce<P: Plugin>() {
    // Keeps the manifest in the binary.
    std::hint::black_box(P::MANIFEST);
    for row in P::TABLE.iter().filter(|row| row.handler.is_some()) {
        if let Some(deprecation) = row.rpc.deprecated {
            let instead = deprecation.instead.join(", ");
            tracing::warn!(
                help = %format_args!("implement the handlers of the events that the plugin needs: {instead}"),
                "the plugin handles {}, which is deprecated since NRI {}; its removal is planned \
                     for {}",
                row.rpc.name, deprecation.since, deprecation.removal,
            );
        }
    }
}
