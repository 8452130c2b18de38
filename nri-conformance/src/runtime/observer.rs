//! The plugins that observe the runtime. Each records every event, and misbehaves only according to
//! its script and only for the pods of this run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use nri::api::{
    ConfigureRequest, ConfigureResponse, Event, EventMask, PodSandbox, SynchronizeRequest,
};
use nri::codec::Message as _;
use nri::stub::Runtime;
use nri::wire::{Code, Ended, Request, Service, Socket, Status};
use nri_adaptation::Revision;
use tokio::net::UnixStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::Stage;
use super::event::{Hook, LABEL};
use super::journal::Journal;
use super::sequence::Arrival;
use super::view::{View, start_workload};
use crate::peer::{self, malformed};
use crate::{Error, Result};

/// The message of an error that a script requests.
pub(super) const FAILURE: &str = "nri-conformance: this plugin fails the request on purpose";

/// The time for which a hanging plugin continues to hang after the deadline of the runtime.
const BEYOND_DEADLINE: Duration = Duration::from_millis(500);

/// The name and index of an observer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity {
    pub(super) name: &'static str,
    index: &'static str,
}

impl Identity {
    pub(super) const fn new(name: &'static str, index: &'static str) -> Identity {
        Identity { name, index }
    }
}

/// The plugin that is called first.
pub(super) const FIRST: Identity = Identity::new("first", "00");
/// The plugin that misbehaves.
pub(super) const MIDDLE: Identity = Identity::new("middle", "50");
/// The plugin that is called last.
pub(super) const LAST: Identity = Identity::new("last", "99");

/// The names of the plugins that only watch.
pub(super) const WATCHING: [&str; 2] = [FIRST.name, LAST.name];

/// The actions of an observer, by hook.
pub(super) type Script = Vec<(Hook, Action)>;

/// An action during a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Inspects the pod.
    Inspect,
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

/// A plugin that is connected. It disconnects when it is dropped.
#[derive(Debug)]
pub(super) struct Observer {
    name: &'static str,
    journal: Journal,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), String>>,
}

impl Observer {
    /// Starts a plugin without waiting for it to be synchronized.
    pub(super) fn start(
        stage: &Arc<Stage>,
        journal: &Journal,
        identity: Identity,
        script: Script,
    ) -> Observer {
        let (stop, stopped) = oneshot::channel();
        let watcher = Watcher {
            identity,
            stage: Arc::clone(stage),
            journal: journal.clone(),
            script,
            failed: AtomicBool::new(false),
        };
        let served = async move { watcher.serve(async { drop(stopped.await) }).await };
        Observer { name: identity.name, journal: journal.clone(), stop, task: tokio::spawn(served) }
    }

    /// Waits until the runtime has synchronized the plugin.
    pub(super) async fn serving(&mut self, limit: Duration) -> Result<()> {
        let name = self.name;
        let serving = self.journal.wait(limit, |record| {
            let synchronize = record.synchronize(name);
            synchronize.is_some_and(|arrival| arrival.answered.is_some())
        });
        tokio::select! {
            ended = &mut self.task => Err(refused(name, ended.ok().and_then(Result::err))),
            in_time = serving => if in_time { Ok(()) } else { Err(late(name, limit)) },
        }
    }

    /// Disconnects the plugin, and waits until it is gone.
    pub(super) async fn disconnect(self) {
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

/// The service of a plugin, which records, then acts as scripted.
struct Watcher {
    identity: Identity,
    stage: Arc<Stage>,
    journal: Journal,
    script: Script,
    failed: AtomicBool,
}

impl Watcher {
    /// Connects to a runtime, and serves until the connection is lost or `stop` completes.
    async fn serve(self, stop: impl Future<Output = ()>) -> Result<(), String> {
        let socket = &self.stage.options.nri_socket;
        let stream = UnixStream::connect(socket)
            .await
            .and_then(Socket::new)
            .map_err(|error| format!("cannot connect to {}: {error}", socket.display()))?;
        let Identity { name, index } = self.identity;
        let full_name = format!("nri-conformance-{name}");
        let ended = peer::serve(stream, &full_name, index, &self, stop).await;
        if let Ok(Ended::ByShutdown) = ended {
            return Ok(());
        }
        self.journal.write(|record| record.lost.push(name));
        Err(ended.err().unwrap_or_else(|| "the runtime closed the connection".to_owned()))
    }

    /// Records an event, and performs the action of the script.
    async fn on(&self, event: Arrival, request: &Request) -> Result<(), Status> {
        let (hook, pod) = (event.hook, self.journal.pod(&event));
        let position = self.journal.begin(self.identity.name, event);
        let answer = match self.action(hook) {
            Some(action) => self.act(action, &pod, position, request).await,
            None => Ok(()),
        };
        self.journal.end(self.identity.name, position);
        answer
    }

    /// Returns the action during a hook.
    fn action(&self, hook: Hook) -> Option<Action> {
        self.script.iter().find(|(scripted, _)| *scripted == hook).map(|(_, action)| *action)
    }

    async fn act(
        &self,
        action: Action,
        pod: &PodSandbox,
        position: usize,
        request: &Request,
    ) -> Result<(), Status> {
        let is_ours = pod.labels.get(LABEL) == Some(&self.stage.run);
        match action {
            Action::Inspect => self.inspect(pod, position).await,
            Action::Watch(time) => {
                self.inspect(pod, position).await;
                if is_ours {
                    tokio::time::sleep(time).await;
                    self.inspect(pod, position).await;
                }
            }
            // The plugin misbehaves only for the pods of this run.
            _misbehaviour if !is_ours => {}
            Action::Hold(time) => tokio::time::sleep(time).await,
            Action::StartWorkload => self.start_workload(pod).await,
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

    async fn inspect(&self, pod: &PodSandbox, position: usize) {
        let client = self.stage.driver.as_ref().map(|driver| driver.client());
        let view = View::of(&self.stage.machine, client, pod).await;
        let name = self.identity.name;
        self.journal.update(name, position, |arrival| arrival.views.push(view));
    }

    async fn start_workload(&self, pod: &PodSandbox) {
        if let Some(driver) = &self.stage.driver {
            let container = driver.container("early");
            let attempt = start_workload(driver.client(), &pod.id, container).await;
            self.journal.write(|record| record.attempt = Some(attempt));
        }
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

    fn begin(&self, hook: Hook) -> usize {
        let arrival = Arrival::new(hook, self.journal.now());
        self.journal.begin(self.identity.name, arrival)
    }

    async fn synchronize(&self, request: Bytes) -> Result<Bytes, Status> {
        let part = SynchronizeRequest::decode(request).map_err(malformed)?;
        let (name, more) = (self.identity.name, part.more);
        self.journal.write(|record| record.sequence(name).learn(part));
        if !more {
            let position = self.begin(Hook::Synchronize);
            if let Some(Action::Hold(time)) = self.action(Hook::Synchronize) {
                tokio::time::sleep(time).await;
            }
            self.journal.end(name, position);
        }
        Ok(peer::synchronized(more))
    }
}

impl Service for Watcher {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        match request.method.as_str() {
            "Configure" => self.configure(request.payload),
            "Synchronize" => self.synchronize(request.payload).await,
            method => {
                let (payload, now) = (request.payload.clone(), self.journal.now());
                if let Some(event) = Arrival::read(method, payload, now) {
                    self.on(event, &request).await?;
                }
                Ok(Bytes::new())
            }
        }
    }
}

/// Returns all events that a runtime knows, except the validation of adjustments: a runtime refuses
/// containers when a validator goes. A runtime whose release of NRI is not known gets those of the
/// first release, as from the stub.
fn subscription(runtime: &Runtime) -> EventMask {
    let version = runtime.nri_version();
    let release = version.as_deref().unwrap_or("v0.2.0");
    let revision = Revision::of(release).unwrap_or_else(|_| Revision::newest());
    revision.events().without(Event::ValidateContainerAdjustment)
}
