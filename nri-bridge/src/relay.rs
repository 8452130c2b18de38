//! The messages between one runtime and one plugin.

mod configure;
mod plugin;
mod runtime;

use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::OnceLock;
use std::task::Poll;
use std::time::Duration;

use nri::wire::{CallError, Caller, Channels, Connection, ConnectionError, Ended, Limits};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::task::unconstrained;

use crate::state::State;
use plugin::FromPlugin;
use runtime::FromRuntime;

/// The changes that the bridge makes in addition to translating events.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The NRI version that Configure names, in place of the runtime's own, for a plugin that
    /// insists.
    pub speak: Option<String>,
}

/// Why a relay ended.
#[derive(Debug)]
pub enum End {
    /// The runtime closed the connection, or broke the protocol.
    Runtime(Option<ConnectionError>),
    /// The plugin closed the connection.
    PluginClosed,
    /// The plugin broke the protocol, or did not answer a request.
    PluginFailed(String),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Runtime(None) => f.write_str("the runtime closed the connection"),
            End::Runtime(Some(error)) => write!(f, "the connection to the runtime ended: {error}"),
            End::PluginClosed => f.write_str("the plugin closed the connection"),
            End::PluginFailed(reason) => f.write_str(reason),
        }
    }
}

/// The plugin as it registered: `NN-name`, or `?` before.
#[derive(Debug, Default)]
struct Label(OnceLock<String>);

impl Label {
    fn get(&self) -> &str {
        self.0.get().map_or("?", String::as_str)
    }
}

/// Relays between a runtime and a plugin until one of them closes its connection, or the plugin
/// fails. Then both connections are closed at once, and requests in progress stay unanswered, as if
/// the plugin itself had ended. The answers that the plugin gave before it ended are sent.
pub async fn relay<R, P>(runtime: R, plugin: P, options: &Options, state: &State) -> End
where
    R: AsyncRead + AsyncWrite + Unpin,
    P: AsyncRead + AsyncWrite + Unpin,
{
    let (runtime, to_runtime) = Connection::new(runtime, Channels::PLUGIN, Limits::default());
    let flipped = Channels::PLUGIN.flipped();
    let (plugin, to_plugin) = Connection::new(plugin, flipped, Limits::default());
    let (failed, mut failure) = mpsc::channel(1);
    let label = Label::default();
    let from_plugin = FromPlugin { runtime: to_runtime, label: &label, failed: failed.clone() };
    let plugin_calls = Forward { to: to_plugin, failed };
    let from_runtime = FromRuntime::new(plugin_calls, &label, options, state);
    let mut serving = pin!(runtime.serve(&from_runtime));
    let end = tokio::select! {
        Some(end) = failure.recv() => end,
        ended = serving.as_mut() => End::Runtime(ended.err()),
        ended = plugin.serve(&from_plugin) => match ended {
            Ok(Ended::ByPeer | Ended::ByShutdown) => End::PluginClosed,
            Err(error) => End::PluginFailed(format!("the plugin broke the protocol: {error}")),
        },
    };
    match &end {
        End::Runtime(_) => tracing::info!("{}: {end}", label.get()),
        End::PluginClosed | End::PluginFailed(_) => {
            send_answers(serving).await;
            state.lose();
            tracing::warn!("{}: {end}", label.get());
        }
    }
    end
}

/// Sends the answers that arrived together with the end of the plugin, such as that to Shutdown, as
/// far as the socket has room.
async fn send_answers(serving: Pin<&mut impl Future>) {
    // Without a budget, because the relay may have used up that of its task.
    let mut serving = pin!(unconstrained(serving));
    poll_fn(|cx| {
        // The relay ends, whatever the result is.
        let _ = serving.as_mut().poll(cx);
        Poll::Ready(())
    })
    .await;
}

/// Calls that end the relay if they are not answered.
struct Forward {
    to: Caller,
    failed: mpsc::Sender<End>,
}

impl Forward {
    /// Calls the plugin. Returns the error that it answers with, if any; if there is no answer at
    /// all, the relay ends, and this never returns.
    async fn call(
        &self,
        service: &str,
        method: &str,
        payload: bytes::Bytes,
        limit: Duration,
    ) -> Result<bytes::Bytes, nri::wire::Status> {
        match self.to.call(service, method, payload, Some(limit)).await {
            Ok(answer) => Ok(answer),
            Err(CallError::Status(status)) => Err(status),
            Err(CallError::TooLarge(error)) => Err(status_of(CallError::TooLarge(error))),
            Err(CallError::Closed) => unanswered(&self.failed, End::PluginClosed).await,
            Err(
                error @ (CallError::Timeout(_) | CallError::Protocol(_) | CallError::Unreadable(_)),
            ) => {
                let reason = format!("the plugin failed to handle {method}: {error}");
                unanswered(&self.failed, End::PluginFailed(reason)).await
            }
        }
    }
}

/// Ends the relay, and never returns.
async fn unanswered<T>(failed: &mpsc::Sender<End>, end: End) -> T {
    // If the channel is full, the relay ends already.
    let _ = failed.try_send(end);
    std::future::pending().await
}

/// Returns the status with the code that corresponds to the error of a call.
fn status_of(error: CallError) -> nri::wire::Status {
    nri::wire::Status::new(error.code(), error.to_string())
}
