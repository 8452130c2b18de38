//! A plugin controlled by the test, over the wire layer or byte by byte.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use nri::api::{ConfigureResponse, FailurePolicy, RegisterPluginRequest, SynchronizeResponse};
use nri::codec::Message;
use nri::wire::{CallError, Caller, Channels, Code, Connection, Limits, Request, Service, Status};
use nri_adaptation::{Adaptation, PluginId};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// A time limit longer than anything takes on the busiest machine: only a failing test waits for
/// it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

const CHANNELS: Channels = Channels::PLUGIN;
const RUNTIME: &str = "nri.pkg.api.v1alpha1.Runtime";

/// How a peer answers one RPC.
#[derive(Clone)]
pub(crate) enum Answer {
    With(Bytes),
    Error(Code, &'static str),
    Never,
    After(Arc<tokio::sync::Notify>),
}

/// A plugin as the test wants it.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) name: &'static str,
    pub(crate) index: &'static str,
    pub(crate) nri_version: &'static str,
    pub(crate) events: i32,
    pub(crate) policy: Option<FailurePolicy>,
    pub(crate) answers: BTreeMap<&'static str, Answer>,
}

impl Script {
    pub(crate) fn new(index: &'static str, name: &'static str) -> Self {
        Script {
            name,
            index,
            nri_version: "v0.12.5",
            events: 0,
            policy: None,
            answers: BTreeMap::new(),
        }
    }

    pub(crate) fn events(mut self, events: i32) -> Self {
        self.events = events;
        self
    }

    pub(crate) fn policy(mut self, fail_request: bool, keep_connected: bool) -> Self {
        self.policy = Some(FailurePolicy { fail_request, keep_connected });
        self
    }

    pub(crate) fn on(mut self, method: &'static str, answer: Answer) -> Self {
        self.answers.insert(method, answer);
        self
    }

    pub(crate) fn error(self, method: &'static str, code: Code, message: &'static str) -> Self {
        self.on(method, Answer::Error(code, message))
    }

    pub(crate) fn never(self, method: &'static str) -> Self {
        self.on(method, Answer::Never)
    }

    pub(crate) fn message(self, method: &'static str, answer: &impl Message) -> Self {
        self.on(method, Answer::With(answer.encode_to_vec().into()))
    }
}

/// A request that a peer got.
#[derive(Debug, Clone)]
pub(crate) struct Got {
    pub(crate) method: String,
    pub(crate) payload: Bytes,
}

impl Got {
    pub(crate) fn read<M: Message + Default>(&self) -> M {
        M::decode(self.payload.clone()).expect("is readable")
    }
}

/// A connected plugin.
pub(crate) struct Peer {
    pub(crate) caller: Caller,
    got: Arc<Mutex<Vec<Got>>>,
    pub(crate) arrivals: mpsc::UnboundedReceiver<Got>,
    pub(crate) serving: JoinHandle<()>,
}

struct Scripted {
    script: Script,
    got: Arc<Mutex<Vec<Got>>>,
    arrived: mpsc::UnboundedSender<Got>,
}

impl Service for Scripted {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        let got = Got { method: request.method.clone(), payload: request.payload.clone() };
        self.got.lock().unwrap().push(got.clone());
        let _ = self.arrived.send(got);
        match self.script.answers.get(&*request.method) {
            Some(Answer::With(bytes)) => Ok(bytes.clone()),
            Some(Answer::Error(code, message)) => Err(Status::new(*code, *message)),
            Some(Answer::Never) => std::future::pending().await,
            Some(Answer::After(permission)) => {
                permission.notified().await;
                Ok(Bytes::new())
            }
            None => self.default(&request),
        }
    }
}

impl Scripted {
    fn default(&self, request: &Request) -> Result<Bytes, Status> {
        let answer = match &*request.method {
            "Configure" => {
                ConfigureResponse { events: self.script.events, failure_policy: self.script.policy }
                    .encode_to_vec()
            }
            "Synchronize" => {
                let part = nri::api::SynchronizeRequest::decode(request.payload.clone()).unwrap();
                SynchronizeResponse { more: part.more, ..SynchronizeResponse::default() }
                    .encode_to_vec()
            }
            _ => Vec::new(),
        };
        Ok(answer.into())
    }
}

impl Peer {
    /// Connects a plugin and waits until it is synchronized.
    pub(crate) async fn join(adaptation: &Adaptation, script: Script) -> Peer {
        let (peer, joined) = Self::try_join(adaptation, script).await;
        joined.expect("is taken in");
        peer
    }

    /// Connects a plugin and waits until it is synchronized or refused.
    pub(crate) async fn try_join(
        adaptation: &Adaptation,
        script: Script,
    ) -> (Peer, nri::Result<PluginId>) {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let (peer, register) = Self::over(theirs, script);
        let (joined, _) = tokio::join!(patiently(adaptation.connect(ours)), register);
        (peer, joined)
    }

    /// Serves a plugin at the end of a stream. The future registers it.
    pub(crate) fn over(
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        script: Script,
    ) -> (Peer, impl Future<Output = Result<Bytes, CallError>>) {
        let (connection, caller) = Connection::new(stream, CHANNELS, Limits::default());
        let (arrived, arrivals) = mpsc::unbounded_channel();
        let got = Arc::default();
        let scripted = Scripted { script: script.clone(), got: Arc::clone(&got), arrived };
        let serving = tokio::spawn(async move {
            let _ = connection.serve(&scripted).await;
        });
        let registration = RegisterPluginRequest {
            plugin_name: script.name.to_owned(),
            plugin_idx: script.index.to_owned(),
            nri_version: script.nri_version.to_owned(),
        };
        let calling = caller.clone();
        let register = async move {
            let request = registration.encode_to_vec();
            calling.call(RUNTIME, "RegisterPlugin", request, None).await
        };
        let peer = Peer { caller, got, arrivals, serving };
        (peer, register)
    }

    /// Returns the RPCs that reached the plugin, without those of the handshake.
    pub(crate) fn events(&self) -> Vec<String> {
        let handshake = ["Configure", "Synchronize"];
        let all = self.got().into_iter().map(|got| got.method);
        all.filter(|method| !handshake.contains(&&**method)).collect()
    }

    /// Everything that reached the plugin.
    pub(crate) fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }

    /// Returns the requests of one RPC that reached the plugin.
    pub(crate) fn requests<M: Message + Default>(&self, method: &str) -> Vec<M> {
        let of_method = |got: &Got| got.method == method;
        let got = self.got();
        got.iter().filter(|got| of_method(got)).map(Got::read).collect()
    }

    /// Waits for the next request of an RPC.
    pub(crate) async fn arrival(&mut self, method: &str) -> Got {
        loop {
            let got = patiently(self.arrivals.recv()).await.expect("is connected");
            if got.method == method {
                return got;
            }
        }
    }

    /// Calls the runtime.
    pub(crate) async fn call(
        &self,
        method: &str,
        request: &impl Message,
    ) -> Result<Bytes, CallError> {
        patiently(self.caller.call(RUNTIME, method, request.encode_to_vec(), None)).await
    }

    /// Closes the connection, as a process that is killed does.
    pub(crate) fn kill(&self) {
        self.serving.abort();
    }
}

/// Returns the output of what should end soon.
pub(crate) async fn patiently<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work).await.expect("ends in time")
}
