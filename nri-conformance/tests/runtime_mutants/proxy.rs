//! A proxy between a runtime and its plugins that breaks one thing.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nri::api::{Container, PodSandbox};
use nri::wire::{CallError, Caller, Channels, Code, Connection, Limits, Request, Service, Status};
use prost::Message;
use prost::bytes::Bytes;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;

/// The delay of an event that arrives twice.
const SHORTLY: Duration = Duration::from_millis(20);

/// A defect of a runtime.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mutant {
    pub(crate) name: &'static str,
    /// The method of the request that is tampered with, once for each plugin.
    pub(crate) method: &'static str,
    pub(crate) act: Act,
    /// The number of the pod, from 0.
    pub(crate) pod: usize,
    /// The statement that fails.
    pub(crate) breaks: &'static str,
    /// True if a recording shows it without the requests to the runtime.
    pub(crate) recorded: bool,
}

/// A way to tamper with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Sends it twice.
    Double,
    /// Sends it again after its answer was returned.
    DoubleLater,
    /// Does not send it.
    Drop,
    /// Sends it after the next request of another method.
    HoldUntil(&'static str),
    /// Sends it before a request of another method, and not when it arrives.
    Before(&'static str),
    /// Changes the id of its pod.
    OtherPod,
}

/// The pod and the container of a request.
#[derive(Clone, PartialEq, Message)]
struct About {
    #[prost(message, optional, tag = "1")]
    pod: Option<PodSandbox>,
    #[prost(message, optional, tag = "2")]
    container: Option<Container>,
}

const fn mutant(
    name: &'static str,
    method: &'static str,
    act: Act,
    pod: usize,
    breaks: &'static str,
) -> Mutant {
    Mutant {
        name,
        method,
        act,
        pod,
        breaks,
        recorded: true,
    }
}

/// A mutant that needs the requests to the runtime to be found.
const fn unrecorded(mutant: Mutant) -> Mutant {
    Mutant {
        recorded: false,
        ..mutant
    }
}

/// Every mutant, with the statement that fails.
pub(crate) const MUTANTS: &[Mutant] = &[
    mutant("runs-twice", RUN, Act::Double, 0, "O4"),
    mutant("second-pod-runs-twice", RUN, Act::Double, 1, "O4"),
    mutant("run-is-lost", RUN, Act::Drop, 0, "O1"),
    mutant("run-after-create", RUN, Act::HoldUntil(CREATE), 1, "O1"),
    mutant("stop-is-lost", STOP_POD, Act::Drop, 1, "O4"),
    mutant(
        "stop-after-removal",
        STOP_POD,
        Act::HoldUntil(REMOVE_POD),
        1,
        "O4",
    ),
    mutant("stop-of-another-pod", STOP_POD, Act::OtherPod, 1, "O4"),
    mutant("removes-twice", REMOVE_POD, Act::Double, 0, "O4"),
    mutant("removes-again-later", REMOVE_POD, Act::DoubleLater, 0, "O4"),
    mutant(
        "second-pod-removed-again-later",
        REMOVE_POD,
        Act::DoubleLater,
        1,
        "O4",
    ),
    unrecorded(mutant("removal-is-lost", REMOVE_POD, Act::Drop, 0, "O3")),
    mutant(
        "container-removed-after-pod",
        REMOVE,
        Act::HoldUntil(REMOVE_POD),
        0,
        "O8",
    ),
    mutant("create-is-lost", CREATE, Act::Drop, 0, "C1"),
    mutant("creates-twice", CREATE, Act::Double, 1, "C1"),
    mutant("start-is-lost", START, Act::Drop, 0, "C1"),
    mutant("start-of-another-pod", START, Act::OtherPod, 0, "C1"),
    mutant("stop-after-remove", STOP, Act::HoldUntil(REMOVE), 0, "C1"),
    mutant("container-stop-is-lost", STOP, Act::Drop, 1, "C1"),
    mutant("removes-container-twice", REMOVE, Act::Double, 0, "C1"),
    mutant("post-create-twice", POST_CREATE, Act::Double, 0, "C5"),
    mutant(
        "post-create-before-create",
        POST_CREATE,
        Act::Before(CREATE),
        0,
        "C5",
    ),
    mutant("post-create-is-lost", POST_CREATE, Act::Drop, 1, "C5"),
    mutant(
        "post-create-after-start",
        POST_CREATE,
        Act::HoldUntil(START),
        0,
        "C5",
    ),
    mutant(
        "post-start-before-start",
        POST_START,
        Act::Before(START),
        0,
        "C5",
    ),
    mutant(
        "post-start-again-later",
        POST_START,
        Act::DoubleLater,
        1,
        "C5",
    ),
    unrecorded(mutant("post-start-is-lost", POST_START, Act::Drop, 1, "C5")),
    mutant(
        "post-start-after-stop",
        POST_START,
        Act::HoldUntil(STOP),
        0,
        "C5",
    ),
    mutant(
        "post-start-after-removal",
        POST_START,
        Act::HoldUntil(REMOVE),
        1,
        "C5",
    ),
    mutant("post-update-twice", POST_UPDATE, Act::Double, 0, "C5"),
    mutant(
        "post-update-before-update",
        POST_UPDATE,
        Act::Before(UPDATE),
        0,
        "C5",
    ),
    mutant("update-is-lost", UPDATE, Act::Drop, 0, "C5"),
    unrecorded(mutant(
        "post-update-is-lost",
        POST_UPDATE,
        Act::Drop,
        0,
        "C5",
    )),
    mutant("synchronizes-twice", SYNCHRONIZE, Act::Double, 0, "Y3"),
];

const RUN: &str = "RunPodSandbox";
const STOP_POD: &str = "StopPodSandbox";
const REMOVE_POD: &str = "RemovePodSandbox";
const CREATE: &str = "CreateContainer";
const POST_CREATE: &str = "PostCreateContainer";
const START: &str = "StartContainer";
const POST_START: &str = "PostStartContainer";
const STOP: &str = "StopContainer";
const UPDATE: &str = "UpdateContainer";
const POST_UPDATE: &str = "PostUpdateContainer";
const REMOVE: &str = "RemoveContainer";
const SYNCHRONIZE: &str = "Synchronize";

/// A running proxy. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Proxy {
    mutant: Option<Mutant>,
    /// The number of requests that are sent later.
    late: watch::Sender<usize>,
}

impl Proxy {
    /// Accepts plugins as long as the runtime of this task exists, with a defect unless there is none.
    pub(crate) fn listen(socket: &Path, runtime: &Path, mutant: Option<Mutant>) -> Proxy {
        let listener = UnixListener::bind(socket).expect("a socket");
        let runtime = runtime.to_owned();
        let proxy = Proxy {
            mutant,
            late: watch::Sender::new(0),
        };
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
        let settled = self
            .late
            .subscribe()
            .wait_for(|late| *late == 0)
            .await
            .is_ok();
        assert!(settled, "the sender is part of `self`");
    }

    /// Forwards a connection until one of its ends closes it.
    async fn forward(self, plugin: UnixStream, runtime: PathBuf) {
        let runtime = UnixStream::connect(runtime).await.expect("the runtime");
        let to_plugin = Channels { serve: 2, call: 1 };
        let (plugin, to_plugin) = Connection::new(plugin, to_plugin, Limits::default());
        let to_runtime = Channels { serve: 1, call: 2 };
        let (runtime, to_runtime) = Connection::new(runtime, to_runtime, Limits::default());
        let tampering = Tampering {
            plugin: to_plugin,
            proxy: self,
            progress: Mutex::default(),
        };
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

/// What has happened on a connection.
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
    /// Returns true for a request about the pod of the mutant, and for Synchronize.
    fn concerns(&self, method: &str, about: &About, mutant: Mutant) -> bool {
        let Some(pod) = about.pod.as_ref().filter(|_| method != SYNCHRONIZE) else {
            return method == SYNCHRONIZE;
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
    let Request {
        service,
        method,
        payload,
        timeout,
        ..
    } = request;
    let answer = to.call(service, method, payload.clone(), *timeout).await;
    answer.map_err(|error| match error {
        CallError::Status(status) => status,
        lost => Status::new(Code::UNAVAILABLE, lost.to_string()),
    })
}
