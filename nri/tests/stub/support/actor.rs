//! A plugin that fails, waits or blocks as the name of the pod asks.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use nri::api::{RunPodSandboxRequest, StartContainerRequest, StopPodSandboxRequest};
use nri::prelude::*;
use nri::stub::{Metrics, Stub};
use nri::wire::CallError;

use super::{PATIENCE, Runtime, container, logs, pod};

/// A plugin whose handlers follow the name of the pod.
#[derive(NriPlugin)]
#[nri(name = "actor", index = "10")]
#[nri(on_error(StopPodSandbox = "ignore"))]
#[nri(on_timeout(StopPodSandbox = "ok"))]
#[nri(blocking(StartContainer))]
pub(crate) struct Actor {
    /// Ends what blocks.
    release: Arc<Mutex<mpsc::Receiver<()>>>,
}

impl Actor {
    async fn act(&self, cx: &EventContext, pod: &PodSandbox) -> nri::Result<()> {
        match pod.name.split('.').next() {
            Some("fail") => Err(nri::Error::new("not today")),
            Some("chain") => Err(nri::Error::other(anyhow::anyhow!("inner").context("outer"))),
            Some("unimplemented") => {
                Err(nri::Error::with_kind(nri::ErrorKind::Unimplemented, "not by this plugin"))
            }
            Some("panic") => panic!("lost my head"),
            Some("hang") => std::future::pending().await,
            Some("slow") => {
                let left = cx.time_left().expect("there is a deadline");
                tokio::time::sleep(left * 85 / 100).await;
                Ok(())
            }
            Some("block") => {
                let release = self.release.lock().unwrap();
                let _ = release.recv_timeout(PATIENCE);
                Ok(())
            }
            Some("aside") => {
                let release = Arc::clone(&self.release);
                let work = move || release.lock().unwrap().recv_timeout(PATIENCE).is_ok();
                nri::blocking(work).await.map(drop)
            }
            _ => Ok(()),
        }
    }
}

impl RunPodSandbox for Actor {
    async fn run_pod_sandbox(&self, cx: &EventContext, pod: PodSandbox) -> nri::Result<()> {
        self.act(cx, &pod).await
    }
}

impl StopPodSandbox for Actor {
    async fn stop_pod_sandbox(&self, cx: &EventContext, pod: PodSandbox) -> nri::Result<()> {
        self.act(cx, &pod).await
    }
}

impl CreateContainer for Actor {
    async fn create_container(
        &self,
        cx: &EventContext,
        pod: PodSandbox,
        _: Container,
    ) -> nri::Result<Adjustment> {
        self.act(cx, &pod).await?;
        let adjustment = Adjustment::new();
        Ok(if pod.name == "invalid.answer" { adjustment.env("A=B", "1") } else { adjustment })
    }
}

impl StartContainer for Actor {
    async fn start_container(
        &self,
        cx: &EventContext,
        pod: PodSandbox,
        _: Container,
    ) -> nri::Result<()> {
        self.act(cx, &pod).await
    }
}

/// Returns a plugin that is synchronized, and what ends its blocking.
pub(crate) async fn act() -> (Runtime, Metrics, mpsc::Sender<()>) {
    logs::collect();
    let (release, released) = mpsc::channel();
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let plugin = Actor { release: Arc::new(Mutex::new(released)) };
    let stub = Stub::builder(plugin).stream(ours).build().unwrap();
    let metrics = stub.metrics();
    tokio::spawn(stub.run_until(std::future::pending()));
    let mut runtime = Runtime::over(theirs);
    runtime.handshake().await;
    (runtime, metrics, release)
}

pub(crate) async fn run_pod(
    runtime: &Runtime,
    name: &str,
    timeout: Option<Duration>,
) -> Result<(), CallError> {
    let request = RunPodSandboxRequest { pod: Some(pod(name)) };
    runtime.call("RunPodSandbox", &request, timeout).await
}

pub(crate) async fn stop_pod(runtime: &Runtime, name: &str) -> Result<(), CallError> {
    let request = StopPodSandboxRequest { pod: Some(pod(name)) };
    runtime.call("StopPodSandbox", &request, None).await
}

pub(crate) async fn start(
    runtime: &Runtime,
    name: &str,
    timeout: Duration,
) -> Result<(), CallError> {
    let request = StartContainerRequest { pod: Some(pod(name)), container: Some(container("c")) };
    runtime.call("StartContainer", &request, Some(timeout)).await
}

pub(crate) fn status(outcome: Result<(), CallError>) -> nri::wire::Status {
    match outcome {
        Err(CallError::Status(status)) => status,
        other => panic!("{other:?} is no status"),
    }
}
