//! A plugin that outlives its runtime, and notes what happens to its connection.

use std::sync::Mutex;

use nri::api::PodSandbox;
use nri::prelude::*;
use tokio::net::UnixListener;
use tokio::sync::{mpsc, oneshot};

use super::{Runtime, patiently};

/// Records the hooks of the connection, and lets its handler wait for the test.
#[derive(NriPlugin)]
#[nri(name = "survivor", index = "10")]
pub(crate) struct Survivor {
    notes: mpsc::UnboundedSender<String>,
    pub(crate) go_on: Mutex<Option<oneshot::Receiver<()>>>,
}

impl Survivor {
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<String>) {
        let (notes, hear) = mpsc::unbounded_channel();
        let plugin = Survivor { notes, go_on: Mutex::default() };
        (plugin, hear)
    }

    fn note(&self, text: impl Into<String>) {
        let _ = self.notes.send(text.into());
    }
}

impl RunPodSandbox for Survivor {
    async fn run_pod_sandbox(&self, _: &EventContext, pod: PodSandbox) -> nri::Result<()> {
        self.note(format!("started {}", pod.name));
        let go_on = self.go_on.lock().unwrap().take();
        if let Some(go_on) = go_on {
            let _ = go_on.await;
        }
        self.note(format!("finished {}", pod.name));
        Ok(())
    }
}

impl Synchronize for Survivor {
    async fn synchronize(
        &self,
        _: &EventContext,
        pods: Vec<PodSandbox>,
        _: Vec<Container>,
    ) -> nri::Result<Updates> {
        self.note(format!("synchronized {}", pods.len()));
        Ok(Updates::default())
    }
}

impl Connection for Survivor {
    async fn on_disconnect(&self, _: &EventContext, reason: &nri::Error) {
        self.note(format!("lost: {reason}"));
    }

    async fn on_reconnect(&self, cx: &EventContext) {
        let known = cx.runtime().is_some();
        self.note(format!("back, runtime known: {known}"));
        panic!("too happy");
    }
}

/// Returns the runtime's end of the next connection to the socket.
pub(crate) async fn accept(listener: &UnixListener) -> Runtime {
    let (stream, _) = patiently(listener.accept()).await.unwrap();
    Runtime::over(stream)
}

/// Returns the next note of the plugin.
pub(crate) async fn heard(hear: &mut mpsc::UnboundedReceiver<String>) -> String {
    patiently(hear.recv()).await.expect("there is more")
}
