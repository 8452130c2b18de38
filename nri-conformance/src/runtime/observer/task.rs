//! A running observing plugin.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::journal::Journal;
use super::plugin::Script;
use super::plugin::{Identity, Watcher};
use super::view::Viewer;
use crate::{Error, Result};

/// A plugin that is connected. It disconnects when it is dropped.
#[derive(Debug)]
pub(crate) struct Observer {
    name: &'static str,
    serving: watch::Receiver<bool>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), String>>,
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
    pub(crate) fn start(&self, identity: Identity, script: Script) -> Observer {
        let (stop, stopped) = oneshot::channel();
        let watcher = Watcher {
            identity,
            journal: self.journal.clone(),
            script,
            viewer: Arc::clone(&self.viewer),
            run: self.run.clone(),
            failed: AtomicBool::new(false),
            parts: Mutex::default(),
            serving: watch::Sender::new(false),
        };
        let serving = watcher.serving.subscribe();
        let socket = self.socket.clone();
        let served = async move {
            let stop = async { drop(stopped.await) };
            watcher.serve(&socket, stop).await
        };
        Observer {
            name: identity.name,
            serving,
            stop,
            task: tokio::spawn(served),
        }
    }

    /// Starts a plugin, and waits until the runtime has synchronized it.
    pub(crate) async fn connect(
        &self,
        identity: Identity,
        script: Script,
        limit: Duration,
    ) -> Result<Observer> {
        let mut observer = self.start(identity, script);
        observer.serving(limit).await?;
        Ok(observer)
    }
}

impl Observer {
    /// Waits until the runtime has synchronized the plugin.
    pub(crate) async fn serving(&mut self, limit: Duration) -> Result<()> {
        let name = self.name;
        let served = timeout(limit, async {
            tokio::select! {
                ended = &mut self.task => Err(refused(name, ended.ok().and_then(Result::err))),
                Ok(_) = self.serving.wait_for(|serving| *serving) => Ok(()),
            }
        });
        served.await.unwrap_or_else(|_| Err(late(name, limit)))
    }

    /// Disconnects the plugin, and waits until it is gone.
    pub(crate) async fn disconnect(self) {
        drop(self.stop);
        // It ends within the two seconds that the connection gives to requests in progress.
        let _ = timeout(Duration::from_secs(3), self.task).await;
    }
}

fn refused(name: &str, cause: Option<String>) -> Error {
    let cause = cause.unwrap_or_else(|| "its task has ended".to_owned());
    let message = format!("the observing plugin {name} cannot connect: {cause}");
    Error::new(message)
        .with_help("check that NRI is enabled in the runtime, and that the socket belongs to it")
}

fn late(name: &str, limit: Duration) -> Error {
    Error::new(format!(
        "the runtime did not synchronize the observing plugin {name} within {limit:?}"
    ))
}
