//! A runtime to run plugins under: `nri::wire` in the other role, controlled by the test.
#![allow(dead_code, reason = "each test binary uses a part")]

pub(crate) mod actor;
pub(crate) mod logs;
pub(crate) mod survivor;

use std::time::Duration;

use bytes::Bytes;
use nri::api::{
    ConfigureRequest, ConfigureResponse, Container, PodSandbox, RegisterPluginRequest,
    SynchronizeRequest, SynchronizeResponse, UpdateContainersRequest, UpdateContainersResponse,
};
use nri::codec::Message;
use nri::wire::{
    CallError, Caller, Channels, Connection, ConnectionError, Ended, Limits, Request, Service,
    Status,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

/// A time limit longer than anything takes on the busiest machine: only a failing test waits for
/// it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

const PLUGIN: &str = "nri.pkg.api.v1alpha1.Plugin";

/// The runtime's end of one connection.
pub(crate) struct Runtime {
    caller: Caller,
    registrations: mpsc::UnboundedReceiver<RegisterPluginRequest>,
    pub(crate) updates: mpsc::UnboundedReceiver<UpdateContainersRequest>,
    serving: JoinHandle<Result<Ended, ConnectionError>>,
}

/// The runtime's answers to the plugin.
#[derive(Default)]
pub(crate) struct Answers {
    /// Refuses the registration with this message.
    pub(crate) refuse: Option<&'static str>,
    /// Never answers to the registration.
    pub(crate) silent: bool,
    /// The answers to UpdateContainers, one after the other; success when none is left.
    pub(crate) updates: Vec<Result<UpdateContainersResponse, Status>>,
}

struct RuntimeService {
    refuse: Option<&'static str>,
    silent: bool,
    answers: Mutex<Vec<Result<UpdateContainersResponse, Status>>>,
    registered: mpsc::UnboundedSender<RegisterPluginRequest>,
    updated: mpsc::UnboundedSender<UpdateContainersRequest>,
}

impl Service for RuntimeService {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        assert_eq!(request.service, "nri.pkg.api.v1alpha1.Runtime");
        match &*request.method {
            "RegisterPlugin" => {
                let message = RegisterPluginRequest::decode(request.payload).expect("is readable");
                let _ = self.registered.send(message);
                if self.silent {
                    std::future::pending::<()>().await;
                }
                match self.refuse {
                    Some(reason) => Err(Status::new(nri::wire::Code::UNKNOWN, reason)),
                    None => Ok(Bytes::new()),
                }
            }
            "UpdateContainers" => {
                let message =
                    UpdateContainersRequest::decode(request.payload).expect("is readable");
                let _ = self.updated.send(message);
                let answer = self.answers.lock().await.pop();
                answer
                    .unwrap_or_else(|| Ok(UpdateContainersResponse::default()))
                    .map(|answer| answer.encode_to_vec().into())
            }
            other => panic!("the plugin called {other}"),
        }
    }
}

impl Runtime {
    pub(crate) fn over(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Self {
        Self::answering(stream, Answers::default())
    }

    pub(crate) fn answering(
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        answers: Answers,
    ) -> Self {
        // Before a stub of the test logs, because the first subscriber of the process stays.
        logs::collect();
        let channels = Channels::PLUGIN.flipped();
        let (connection, caller) = Connection::new(stream, channels, Limits::default());
        let (registered, registrations) = mpsc::unbounded_channel();
        let (updated, updates) = mpsc::unbounded_channel();
        let service = RuntimeService {
            refuse: answers.refuse,
            silent: answers.silent,
            answers: Mutex::new(answers.updates),
            registered,
            updated,
        };
        let serving = tokio::spawn(async move { connection.serve(&service).await });
        Runtime { caller, registrations, updates, serving }
    }

    /// Waits for the plugin to register.
    pub(crate) async fn registered(&mut self) -> RegisterPluginRequest {
        patiently(self.registrations.recv()).await.expect("the plugin registers")
    }

    /// Calls the plugin.
    pub(crate) async fn call<R: Message + Default>(
        &self,
        method: &str,
        request: &impl Message,
        timeout: Option<Duration>,
    ) -> Result<R, CallError> {
        let called = self.caller.call(PLUGIN, method, request.encode_to_vec(), timeout);
        patiently(called).await.map(|answer| R::decode(answer).expect("is readable"))
    }

    pub(crate) async fn raw(&self, service: &str, method: &str) -> Result<Bytes, CallError> {
        patiently(self.caller.call(service, method, Bytes::new(), None)).await
    }

    pub(crate) async fn configure(&self, nri: &str) -> Result<ConfigureResponse, CallError> {
        let request = ConfigureRequest {
            runtime_name: "containerd".to_owned(),
            runtime_version: "v9.9.9".to_owned(),
            nri_version: nri.to_owned(),
            ..ConfigureRequest::default()
        };
        self.call("Configure", &request, None).await
    }

    pub(crate) async fn synchronize(
        &self,
        pods: Vec<PodSandbox>,
        containers: Vec<Container>,
        more: bool,
    ) -> Result<SynchronizeResponse, CallError> {
        let request = SynchronizeRequest { pods, containers, more };
        self.call("Synchronize", &request, None).await
    }

    /// Registration, Configure as the newest runtime, Synchronize without pods.
    pub(crate) async fn handshake(&mut self) {
        self.registered().await;
        self.configure("v0.12.5").await.expect("is configured");
        self.synchronize(Vec::new(), Vec::new(), false).await.expect("is synchronized");
    }

    /// Closes the connection.
    pub(crate) fn close(self) {
        self.serving.abort();
    }

    /// Waits for the plugin to close the connection.
    pub(crate) async fn closed(self) -> Result<Ended, ConnectionError> {
        patiently(self.serving).await.expect("no panic")
    }
}

/// Returns the output of what should end soon.
pub(crate) async fn patiently<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work).await.expect("ends in time")
}

pub(crate) fn pod(name: &str) -> PodSandbox {
    PodSandbox {
        id: format!("{name}-id"),
        name: name.to_owned(),
        namespace: "default".to_owned(),
        ..PodSandbox::default()
    }
}

pub(crate) fn container(name: &str) -> Container {
    Container { id: format!("{name}-id"), name: name.to_owned(), ..Container::default() }
}
