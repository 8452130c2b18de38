//! A proxy between a runtime and its plugins that breaks one thing.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
// The pod and the container, which most requests have in the same fields.
use nri::api::CreateContainerRequest as About;
use nri::codec::Message as _;
use nri::wire::{CallError, Caller, Channels, Code, Connection, Limits, Request, Service, Status};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;

#[path = "broken.rs"]
mod broken;

pub(crate) use broken::{Act, MUTANTS, Mutant};
use broken::{CONFIGURE, RUN, SYNCHRONIZE};

/// The delay of an event that arrives twice.
const SHORTLY: Duration = Duration::from_millis(20);

/// A running proxy. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Proxy {
    mutant: Option<Mutant>,
    /// The number of requests that are sent later.
    late: watch::Sender<usize>,
}

impl Proxy {
    /// Accepts plugins as long as the runtime of this task exists, with a defect unless there is
    /// none.
    pub(crate) fn listen(socket: &Path, runtime: &Path, mutant: Option<Mutant>) -> Proxy {
        let listener = UnixListener::bind(socket).expect("a socket");
        let runtime = runtime.to_owned();
        let proxy = Proxy { mutant, late: watch::Sender::new(0) };
        let clone = proxy.clone();
        tokio::spawn(async move {
            while let Ok((plugin, _)) = listener.accept().await {
                tokio::spawn(clone.clone().forward(plugin, runtime.clone()));
            }
        });
        proxy
    }

    /// Waits until everything that was to be sent later has been answered.
    pub(crate) async fn settled(&self) {
        let settled = self.late.subscribe().wait_for(|late| *late == 0).await.is_ok();
        assert!(settled, "the sender is part of `self`");
    }

    /// Forwards a connection until one of its ends closes it.
    async fn forward(self, accepted: UnixStream, path: PathBuf) {
        let connected = UnixStream::connect(path).await.expect("the runtime");
        let (plugin, to_plugin) =
            Connection::new(accepted, Channels::PLUGIN.flipped(), Limits::default());
        let (runtime, to_runtime) = Connection::new(connected, Channels::PLUGIN, Limits::default());
        let tampering = Tampering { plugin: to_plugin, proxy: self, progress: Mutex::default() };
        let forwarding = Forwarding(to_runtime);
        // Either end is closed after the other.
        tokio::select! {
            _ = runtime.serve(&tampering) => {}
            _ = plugin.serve(&forwarding) => {}
        }
    }
}

/// Forwards the requests of a plugin.
struct Forwarding(Caller);

impl Service for Forwarding {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        send(&self.0, &request).await
    }
}

/// Forwards the requests of the runtime, except for one.
struct Tampering {
    plugin: Caller,
    proxy: Proxy,
    progress: Mutex<Progress>,
}

/// The calls that have happened on a connection.
#[derive(Default)]
struct Progress {
    /// The ids of the pods that were run.
    pods: Vec<String>,
    /// True once the request has been tampered with.
    done: bool,
    /// A request that is sent later.
    held: Option<Request>,
    /// True if the next request of the method was sent already.
    sent_before: bool,
}

impl Service for Tampering {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        let Some(mutant) = self.proxy.mutant else {
            return send(&self.plugin, &request).await;
        };
        let about = About::decode(request.payload.clone()).unwrap_or_default();
        let concerned = self.concerns(&request.method, &about, mutant);
        if concerned && request.method == mutant.method {
            return self.tamper(request, about, mutant).await;
        }
        match mutant.act {
            Act::Before(method) if concerned && method == request.method => {
                self.send_before(&request, about, mutant).await;
                send(&self.plugin, &request).await
            }
            Act::HoldUntil(method) if concerned && method == request.method => {
                let answer = send(&self.plugin, &request).await;
                let held = self.progress().held.take();
                if let Some(held) = held {
                    let _ = send(&self.plugin, &held).await;
                }
                answer
            }
            Act::Before(_)
            | Act::HoldUntil(_)
            | Act::Double
            | Act::DoubleLater
            | Act::Drop
            | Act::OtherPod => send(&self.plugin, &request).await,
        }
    }
}

impl Tampering {
    /// Returns true for a request about the pod of the mutant, and for Configure and Synchronize.
    fn concerns(&self, method: &str, about: &About, mutant: Mutant) -> bool {
        let handshake = [CONFIGURE, SYNCHRONIZE].contains(&method);
        let Some(pod) = about.pod.as_ref().filter(|_| !handshake) else {
            return handshake;
        };
        let mut progress = self.progress();
        if method == RUN && !progress.pods.contains(&pod.id) {
            progress.pods.push(pod.id.clone());
        }
        progress.pods.get(mutant.pod) == Some(&pod.id)
    }

    async fn tamper(
        &self,
        request: Request,
        about: About,
        mutant: Mutant,
    ) -> Result<Bytes, Status> {
        let skipped = std::mem::take(&mut self.progress().sent_before);
        if skipped {
            return Ok(Bytes::new());
        }
        let done = std::mem::replace(&mut self.progress().done, true);
        if done {
            return send(&self.plugin, &request).await;
        }
        match mutant.act {
            Act::Drop => Ok(Bytes::new()),
            Act::HoldUntil(_) => {
                self.progress().held = Some(request);
                Ok(Bytes::new())
            }
            Act::Double => {
                let _ = send(&self.plugin, &request).await;
                send(&self.plugin, &request).await
            }
            Act::DoubleLater => self.send_again(request).await,
            Act::OtherPod => self.send_about_another_pod(request, about).await,
            Act::Before(_) => send(&self.plugin, &request).await,
        }
    }

    async fn send_before(&self, next: &Request, about: About, mutant: Mutant) {
        if std::mem::replace(&mut self.progress().done, true) {
            return;
        }
        self.progress().sent_before = true;
        let mut early = next.clone();
        mutant.method.clone_into(&mut early.method);
        early.payload = about.encode_to_vec().into();
        let _ = send(&self.plugin, &early).await;
    }

    async fn send_again(&self, request: Request) -> Result<Bytes, Status> {
        let answer = send(&self.plugin, &request).await;
        let (plugin, late) = (self.plugin.clone(), self.proxy.late.clone());
        late.send_modify(|late| *late += 1);
        tokio::spawn(async move {
            tokio::time::sleep(SHORTLY).await;
            let _ = send(&plugin, &request).await;
            late.send_modify(|late| *late -= 1);
        });
        answer
    }

    async fn send_about_another_pod(
        &self,
        mut request: Request,
        mut about: About,
    ) -> Result<Bytes, Status> {
        if let Some(pod) = &mut about.pod {
            pod.id.push_str("-other");
        }
        request.payload = about.encode_to_vec().into();
        send(&self.plugin, &request).await
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn send(to: &Caller, request: &Request) -> Result<Bytes, Status> {
    let Request { service, method, payload, timeout, .. } = request;
    let answer = to.call(service, method, payload.clone(), *timeout).await;
    answer.map_err(|error| match error {
        CallError::Status(status) => status,
        lost => Status::new(Code::UNAVAILABLE, lost.to_string()),
    })
}
