//! The plugin: a service that records, then acts as scripted.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use nri::api::{
    ConfigureRequest, ConfigureResponse, Event, EventMask, PodSandbox, SynchronizeRequest,
};
use nri::codec::Message as _;
use nri::stub::Runtime;
use nri::wire::{Code, Ended, Request, Service, Socket, Status};
use nri_adaptation::Revision;
use tokio::net::UnixStream;
use tokio::sync::watch;

use crate::peer;
use crate::runtime::event::{EventRequest, Hook, LABEL, completed};
use crate::runtime::observer::FAILURE;
use crate::runtime::observer::journal::{Journal, Synchronized};
use crate::runtime::observer::view::Viewer;

/// The time for which a hanging plugin continues to hang after the deadline of the runtime.
const BEYOND_DEADLINE: Duration = Duration::from_millis(500);

/// The name and index of an observer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity {
    pub(crate) name: &'static str,
    pub(crate) index: &'static str,
}

impl Identity {
    pub(crate) const fn new(name: &'static str, index: &'static str) -> Identity {
        Identity { name, index }
    }
}

/// The plugin that is called first.
pub(crate) const FIRST: Identity = Identity::new("first", "00");
/// The plugin that misbehaves.
pub(crate) const MIDDLE: Identity = Identity::new("middle", "50");
/// The plugin that is called last.
pub(crate) const LAST: Identity = Identity::new("last", "99");

/// The names of the plugins that only watch.
pub(crate) const WATCHING: [&str; 2] = [FIRST.name, LAST.name];

/// One observing plugin.
pub(super) struct Watcher {
    pub(super) identity: Identity,
    pub(super) journal: Journal,
    pub(super) script: Script,
    pub(super) viewer: Arc<Viewer>,
    /// The seed of the run; pods of others are left alone.
    pub(super) run: String,
    pub(super) failed: AtomicBool,
    /// The ids of the pods and of the containers in the parts of Synchronize so far.
    pub(super) parts: Mutex<(Vec<String>, Vec<String>)>,
    /// True once Synchronize has been answered.
    pub(super) serving: watch::Sender<bool>,
}

impl Watcher {
    /// Connects to a runtime, and serves until the connection is lost or `stop` completes.
    pub(super) async fn serve(
        self,
        socket: &Path,
        stop: impl Future<Output = ()>,
    ) -> Result<(), String> {
        let stream = UnixStream::connect(socket).await.and_then(Socket::new);
        let stream =
            stream.map_err(|error| format!("cannot connect to {}: {error}", socket.display()))?;
        let Identity { name, index } = self.identity;
        let full_name = format!("nri-conformance-{name}");
        let ended = peer::serve(stream, &full_name, index, &self, stop).await;
        if let Ok(Ended::ByShutdown) = ended {
            return Ok(());
        }
        let lost = (name, Instant::now());
        self.journal.write(|record| record.lost.push(lost));
        Err(ended
            .err()
            .unwrap_or_else(|| "the runtime closed the connection".to_owned()))
    }

    /// Records an event, and performs the action of the script.
    async fn on(&self, event: EventRequest, request: &Request) -> Result<(), Status> {
        let (hook, pod) = (event.hook, event.pod.clone());
        let earlier = self.journal.first_sight(&pod.id);
        let number = self.journal.begin(self.identity.name, event);
        let complete = match earlier {
            Some(earlier) => completed(pod, earlier),
            None => pod,
        };
        let answer = match self.script.action(hook) {
            Some(action) => self.act(action, &complete, number, request).await,
            None => Ok(()),
        };
        self.journal
            .update(number, |entry| entry.ended = Some(Instant::now()));
        answer
    }

    async fn act(
        &self,
        action: Action,
        pod: &PodSandbox,
        number: usize,
        request: &Request,
    ) -> Result<(), Status> {
        let is_ours = pod.labels.get(LABEL) == Some(&self.run);
        match action {
            Action::Look => self.add_view(pod, number).await,
            Action::Watch(time) => {
                self.add_view(pod, number).await;
                if is_ours {
                    tokio::time::sleep(time).await;
                    self.add_view(pod, number).await;
                }
            }
            // The plugin misbehaves only for the pods of this run.
            _misbehaviour if !is_ours => {}
            Action::Hold(time) => tokio::time::sleep(time).await,
            Action::StartWorkload => {
                let attempt = self.viewer.start_workload(pod).await;
                self.journal.update(number, |entry| entry.attempt = attempt);
            }
            Action::FailOnce if self.failed.swap(true, Ordering::Relaxed) => {}
            Action::FailOnce | Action::Fail => return Err(Status::new(Code::UNKNOWN, FAILURE)),
            Action::Hang => {
                let now = tokio::time::Instant::now();
                let deadline = request.deadline.unwrap_or(now);
                tokio::time::sleep_until(deadline + BEYOND_DEADLINE).await;
            }
        }
        Ok(())
    }

    async fn add_view(&self, pod: &PodSandbox, number: usize) {
        let view = self.viewer.look(pod).await;
        self.journal.update(number, |entry| entry.views.push(view));
    }

    fn configure(&self, request: Bytes) -> Result<Bytes, Status> {
        let request = ConfigureRequest::decode(request).map_err(malformed)?;
        self.begin(Hook::Configure);
        let answer = ConfigureResponse {
            events: subscription(&Runtime::of(&request)).bits(),
            ..ConfigureResponse::default()
        };
        let runtime = (request.runtime_name, request.runtime_version);
        self.journal.write(|record| record.runtime = Some(runtime));
        Ok(answer.encode_to_vec().into())
    }

    fn begin(&self, hook: Hook) {
        let request = EventRequest::of_all(hook);
        self.journal.begin(self.identity.name, request);
    }

    async fn synchronize(&self, request: Bytes) -> Result<Bytes, Status> {
        let part = SynchronizeRequest::decode(request).map_err(malformed)?;
        {
            let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
            parts.0.extend(part.pods.into_iter().map(|pod| pod.id));
            let containers = part.containers.into_iter();
            parts.1.extend(containers.map(|container| container.id));
            if part.more {
                return Ok(peer::synchronized(true));
            }
            self.begin(Hook::Synchronize);
            let (pods, containers) = std::mem::take(&mut *parts);
            let state = Synchronized {
                observer: self.identity.name,
                pods,
                containers,
            };
            self.journal.write(|record| record.synchronized.push(state));
        }
        if let Some(Action::Hold(time)) = self.script.action(Hook::Synchronize) {
            tokio::time::sleep(time).await;
        }
        self.serving.send_replace(true);
        Ok(peer::synchronized(false))
    }
}

impl Service for Watcher {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        match request.method.as_str() {
            "Configure" => self.configure(request.payload),
            "Synchronize" => self.synchronize(request.payload).await,
            method => {
                if let Some(event) = EventRequest::read(method, request.payload.clone()) {
                    self.on(event, &request).await?;
                }
                Ok(Bytes::new())
            }
        }
    }
}

/// Returns all events that a runtime knows, except the validation of adjustments: a runtime refuses containers when a
/// validator goes. A runtime whose release of NRI is not known gets those of the first release, as from the stub.
fn subscription(runtime: &Runtime) -> EventMask {
    let release = runtime.nri_version();
    let release = release.as_deref().unwrap_or("v0.2.0");
    let revision = Revision::of(release).unwrap_or_else(|_| Revision::newest());
    revision
        .events()
        .without(Event::ValidateContainerAdjustment)
}

fn malformed(error: nri::codec::DecodeError) -> Status {
    Status::invalid_argument(error.to_string())
}

/// The actions of an observer, by hook.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    actions: Vec<(Hook, Action)>,
}

/// An action during a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Inspects the pod.
    Look,
    /// Inspects the pod, waits, and inspects it again.
    Watch(Duration),
    /// Waits.
    Hold(Duration),
    /// Tries to start a container in the pod before the hook returns.
    StartWorkload,
    /// Returns an error, the first time only.
    FailOnce,
    /// Returns an error.
    Fail,
    /// Does not answer until some time after the deadline of the runtime.
    Hang,
}

impl Script {
    /// Adds an action.
    pub(crate) fn on(mut self, hook: Hook, action: Action) -> Script {
        self.actions.push((hook, action));
        self
    }

    /// Returns the action during a hook.
    pub(super) fn action(&self, hook: Hook) -> Option<Action> {
        let mut actions = self.actions.iter();
        actions
            .find(|(scripted, _)| *scripted == hook)
            .map(|(_, action)| *action)
    }
}
