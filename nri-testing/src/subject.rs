//! A plugin under test, on its stub.

use std::time::Duration;

use tokio::io::{DuplexStream, duplex};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use nri::plugin::Plugin;
use nri::stub::{Backoff, Builder, Metrics, StatusWatch, Stub, Updater};
use nri::{Error, ErrorKind, Result};

/// Bytes that one side of a connection may be ahead of the other.
const BUFFER: usize = 64 << 10;

/// Used for plugins whose `#[nri(…)]` has no name or index.
const DEFAULT_NAME: &str = "plugin";
const DEFAULT_INDEX: &str = "10";

/// The wait before a plugin connects again to a runtime that was restarted.
const RECONNECT: Duration = Duration::from_millis(1);

/// A plugin that runs on its stub.
#[derive(Debug)]
pub(super) struct Subject {
    streams: mpsc::UnboundedSender<DuplexStream>,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<Result<()>>,
    pub(super) updater: Updater,
    pub(super) status: StatusWatch,
    pub(super) metrics: Metrics,
}

impl Subject {
    /// Starts the plugin with these settings, and with another index if one is given. It waits for a connection.
    pub(super) fn start<P: Plugin>(
        plugin: P,
        settings: impl FnOnce(Builder<P>) -> Builder<P>,
        index: Option<String>,
    ) -> Result<Self> {
        let index = index.unwrap_or_else(|| P::INDEX.unwrap_or(DEFAULT_INDEX).to_owned());
        let (streams, connections) = mpsc::unbounded_channel();
        let stub = settings(Stub::builder(plugin))
            .name(P::NAME.unwrap_or(DEFAULT_NAME))
            .index(index)
            .connections(connections)
            .no_logging()
            .reconnect(Backoff {
                first: RECONNECT,
                longest: RECONNECT,
            })
            .build()?;
        let (stop, stopped) = oneshot::channel();
        let (updater, status, metrics) = (stub.updater(), stub.status(), stub.metrics());
        let running = tokio::spawn(stub.run_until(async move {
            let _ = stopped.await;
        }));
        Ok(Subject {
            streams,
            stop: Some(stop),
            running,
            updater,
            status,
            metrics,
        })
    }

    /// Connects the plugin. Returns the runtime's end of the connection.
    pub(super) fn connect(&self) -> Result<DuplexStream> {
        let (ours, theirs) = duplex(BUFFER);
        let sent = self.streams.send(theirs);
        sent.map_err(|_| Error::with_kind(ErrorKind::Connection, "the plugin has ended"))?;
        Ok(ours)
    }

    /// Waits for the plugin to end after it was refused, and returns the result of its stub.
    pub(super) async fn ended(mut self) -> Result<()> {
        (&mut self.running).await.map_err(Error::other)?
    }

    /// Stops the plugin like SIGTERM, and returns the result of its stub.
    pub(super) async fn stop(mut self) -> Result<()> {
        if let Some(stop) = self.stop.take() {
            // The plugin may have ended before.
            let _ = stop.send(());
        }
        (&mut self.running).await.map_err(Error::other)?
    }
}

/// Ends the plugin even if the test failed.
impl Drop for Subject {
    fn drop(&mut self) {
        self.running.abort();
    }
}
