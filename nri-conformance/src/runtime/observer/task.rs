//! A running observing plugin.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use nri::stub::{StatusWatch, Stub};
use tokio::runtime;
use tokio::sync::oneshot;

use super::journal::Journal;
use super::plugin::Watcher;
use super::script::Script;
use super::view::Viewer;
use crate::{Error, Result};

/// The name and index of an observer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity {
    pub(crate) name: &'static str,
    pub(crate) index: &'static str,
}

/// The plugin that is called first.
pub(crate) const FIRST: Identity = Identity {
    name: "first",
    index: "00",
};
/// The plugin that misbehaves.
pub(crate) const MIDDLE: Identity = Identity {
    name: "middle",
    index: "50",
};
/// The plugin that is called last.
pub(crate) const LAST: Identity = Identity {
    name: "last",
    index: "99",
};

/// The names of the plugins that only watch.
pub(crate) const WATCHING: [&str; 2] = [FIRST.name, LAST.name];

/// A plugin that is connected. It disconnects when it is dropped.
#[derive(Debug)]
pub(crate) struct Observer {
    name: &'static str,
    status: StatusWatch,
    stop: Option<oneshot::Sender<()>>,
    ended: oneshot::Receiver<nri::Result<()>>,
}

/// The environment that observers share.
#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    pub(crate) socket: PathBuf,
    pub(crate) journal: Journal,
    pub(crate) viewer: Arc<Viewer>,
    pub(crate) run: String,
}

impl Surroundings {
    /// Starts a plugin without waiting for it to be synchronized.
    ///
    /// # Errors
    ///
    /// Returns an error if the plugin cannot be set up.
    pub(crate) fn start(&self, identity: Identity, script: Script) -> Result<Observer> {
        let blocks = script.blocks();
        let watcher = Watcher {
            name: identity.name,
            journal: self.journal.clone(),
            script,
            viewer: Arc::clone(&self.viewer),
            run: self.run.clone(),
            failed: AtomicBool::new(false),
        };
        let stub = stub(watcher, identity, &self.socket)?;
        let status = stub.status();
        let (stop, stopped) = oneshot::channel();
        let (report, ended) = oneshot::channel();
        let run = async move {
            let result = stub.run_until(async { drop(stopped.await) }).await;
            // Fails only if the observer was dropped, which makes the result irrelevant.
            let _ = report.send(result);
        };
        if blocks {
            on_own_thread(run)?;
        } else {
            tokio::spawn(run);
        }
        Ok(Observer {
            name: identity.name,
            status,
            stop: Some(stop),
            ended,
        })
    }

    /// Starts a plugin, and waits until the runtime has synchronized it.
    ///
    /// # Errors
    ///
    /// Returns an error if this does not happen in time, or if the runtime refuses the plugin.
    pub(crate) async fn connect(
        &self,
        identity: Identity,
        script: Script,
        limit: Duration,
    ) -> Result<Observer> {
        let mut observer = self.start(identity, script)?;
        observer.serving(limit).await?;
        Ok(observer)
    }
}

impl Observer {
    /// Waits until the runtime has synchronized the plugin.
    ///
    /// # Errors
    ///
    /// Returns an error if this does not happen in time, or if the runtime refuses the plugin.
    pub(crate) async fn serving(&mut self, limit: Duration) -> Result<()> {
        let name = self.name;
        let served = tokio::time::timeout(limit, async {
            // The result is checked first, because it contains the reason for which a plugin has ended.
            tokio::select! {
                result = &mut self.ended => Err(refused(name, result.ok().and_then(Result::err))),
                true = self.status.serving() => Ok(()),
            }
        });
        served.await.unwrap_or_else(|_| Err(late(name, limit)))
    }

    /// Disconnects the plugin, and waits until it is gone.
    pub(crate) async fn disconnect(mut self) {
        drop(self.stop.take());
        // It ends within the two seconds that the stub gives to requests in progress.
        let _ = tokio::time::timeout(Duration::from_secs(3), &mut self.ended).await;
    }
}

fn stub(watcher: Watcher, identity: Identity, socket: &Path) -> Result<Stub<Watcher>> {
    Stub::builder(watcher)
        .name(format!("nri-conformance-{}", identity.name))
        .index(identity.index)
        .socket(socket)
        .no_reconnect()
        .build()
        .map_err(|error| refused(identity.name, Some(error)))
}

/// Runs a plugin that blocks its thread.
fn on_own_thread(run: impl Future<Output = ()> + Send + 'static) -> Result<()> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(thread_failed)?;
    thread::Builder::new()
        .name("observer".to_owned())
        .spawn(move || runtime.block_on(run))
        .map(drop)
        .map_err(thread_failed)
}

fn refused(name: &str, cause: Option<nri::Error>) -> Error {
    let Some(cause) = cause else {
        return Error::new(format!("the observing plugin {name} lost the runtime"));
    };
    let error = Error::new(format!(
        "the observing plugin {name} cannot connect: {cause}"
    ));
    error
        .with_source(cause)
        .with_help("check that NRI is enabled in the runtime, and that the socket belongs to it")
}

fn late(name: &str, limit: Duration) -> Error {
    Error::new(format!(
        "the runtime did not synchronize the observing plugin {name} within {limit:?}"
    ))
}

fn thread_failed(error: io::Error) -> Error {
    Error::new("cannot start a thread for an observing plugin").with_source(error)
}
