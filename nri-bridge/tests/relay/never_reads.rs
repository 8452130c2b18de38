//! The program with two plugins, of which one stops to read.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use bytes::Bytes;
use nri::api::{
    ConfigureRequest, Event, PLUGIN_SERVICE, RegisterPluginRequest, SynchronizeRequest,
};
use nri::codec::Message as _;
use nri::wire::{
    CallError, Caller, Channels, Code, Connection, Limits, Request, Service, Socket, Status,
};
use tokio::net::{UnixListener, UnixStream};
use tokio::process::{Child, Command};
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

use crate::old::{Behaviour, Old, handled};

const PATIENCE: Duration = Duration::from_secs(120);

/// The time limit of the requests that are never read: the flood must be sent within it, also on a
/// busy machine.
const LIMIT: Duration = Duration::from_secs(30);

/// The size of a request in bytes, and the number of them that are sent at once.
const LARGE: usize = 1 << 20;
const FLOOD: usize = 200;

/// The memory in KiB that the bridge may ever hold: less than half of the flood, and more than what
/// the limits of two connections allow.
const MOST: u64 = 90 << 10;

/// Starts the bridge between two sockets.
fn bridge(runtime: &Path, plugins: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nri-bridge"));
    command.arg("--socket").arg(runtime).arg("--listen").arg(plugins);
    command.stdin(Stdio::null()).kill_on_drop(true).spawn().expect("it starts")
}

/// Connects a plugin to the bridge and registers it. It reads until it is told to stop.
async fn plugin(socket: &Path, name: &str, stop: &'static Notify) {
    let deadline = Instant::now() + PATIENCE;
    let stream = loop {
        match UnixStream::connect(socket).await {
            Ok(stream) => break stream,
            Err(error) => assert!(Instant::now() < deadline, "the bridge does not listen: {error}"),
        }
        sleep(Duration::from_millis(5)).await;
    };
    let stream = Socket::new(stream).expect("a socket");
    let (connection, caller) = Connection::new(stream, Channels::PLUGIN, Limits::default());
    let register = RegisterPluginRequest {
        plugin_name: name.to_owned(),
        plugin_idx: "10".to_owned(),
        ..RegisterPluginRequest::default()
    };
    tokio::spawn(async move {
        let plugin = Old::new(handled(), Behaviour::Answers);
        let mut serving = std::pin::pin!(connection.serve(&plugin));
        tokio::select! {
            _ = serving.as_mut() => {}
            // It stays connected.
            () = stop.notified() => std::future::pending().await,
        }
    });
    let service = "nri.pkg.api.v1alpha1.Runtime";
    let registered = caller.call(service, "RegisterPlugin", register.encode_to_vec(), None);
    registered.await.expect("the runtime accepts it");
}

/// A runtime that accepts every plugin.
struct Accepting;

impl Service for Accepting {
    async fn call(&self, _: Request) -> Result<Bytes, Status> {
        Ok(Bytes::new())
    }
}

/// A plugin as the runtime sees it.
struct Member {
    caller: Caller,
    served: JoinHandle<()>,
}

impl Member {
    /// Accepts the next plugin at the socket of the runtime.
    async fn accept(listener: &UnixListener) -> Self {
        let accepted = timeout(PATIENCE, listener.accept()).await.expect("the bridge connects");
        let stream = Socket::new(accepted.expect("a connection").0).expect("a socket");
        let mut limits = Limits::default();
        limits.calls = FLOOD;
        let channels = Channels::PLUGIN.flipped();
        let (connection, caller) = Connection::new(stream, channels, limits);
        let served = tokio::spawn(async move {
            let _ = connection.serve(&Accepting).await;
        });
        Self { caller, served }
    }

    /// Configures and synchronizes it.
    async fn admit(&self) {
        let limit = i64::try_from(PATIENCE.as_millis()).expect("a sensible time");
        let configure = ConfigureRequest { request_timeout: limit, ..ConfigureRequest::default() };
        for (method, request) in [
            ("Configure", configure.encode_to_vec()),
            ("Synchronize", SynchronizeRequest::default().encode_to_vec()),
        ] {
            let answer = self.caller.call(PLUGIN_SERVICE, method, request, Some(PATIENCE)).await;
            answer.unwrap_or_else(|error| panic!("{method}: {error}"));
        }
    }

    /// Sends an event.
    async fn send(&self, request: Bytes, limit: Duration) -> Result<Bytes, CallError> {
        self.caller.call(PLUGIN_SERVICE, Event::RunPodSandbox.name(), request, Some(limit)).await
    }
}

/// Returns the most memory that a process has held, in KiB.
fn most_memory(process: &Child) -> u64 {
    let id = process.id().expect("it runs");
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[tokio::test]
async fn a_plugin_that_never_reads_is_dropped_and_costs_bounded_memory() {
    static STUCK: Notify = Notify::const_new();
    static HONEST: Notify = Notify::const_new();
    let folder = tempfile::tempdir().expect("a folder");
    let (runtime, plugins) = (folder.path().join("nri.sock"), folder.path().join("bridge.sock"));
    let listener = UnixListener::bind(&runtime).expect("a socket");
    let bridge = bridge(&runtime, &plugins);
    let (stuck, ()) = tokio::join!(Member::accept(&listener), plugin(&plugins, "stuck", &STUCK));
    let (honest, ()) = tokio::join!(Member::accept(&listener), plugin(&plugins, "honest", &HONEST));
    stuck.admit().await;
    honest.admit().await;
    STUCK.notify_one();

    let large = Bytes::from(vec![0; LARGE]);
    let mut flood = JoinSet::new();
    for _ in 0..FLOOD {
        let (caller, request) = (stuck.caller.clone(), large.clone());
        flood.spawn(async move {
            let method = Event::CreateContainer.name();
            let answer = caller.call(PLUGIN_SERVICE, method, request, Some(LIMIT)).await;
            match answer {
                Ok(_) => panic!("a plugin that does not read has answered"),
                Err(CallError::Status(status)) => status.code == Code::RESOURCE_EXHAUSTED,
                Err(_) => false,
            }
        });
    }
    for _ in 0..100 {
        honest.send(Bytes::new(), PATIENCE).await.expect("the neighbour answers");
    }
    let refused = flood.join_all().await.into_iter().filter(|refused| *refused).count();
    timeout(PATIENCE, stuck.served).await.expect("the connection is closed").expect("no panic");
    honest.send(Bytes::new(), PATIENCE).await.expect("the neighbour still answers");
    let most = most_memory(&bridge);
    assert!(most < MOST, "the bridge held {most} KiB, and refused {refused} requests");
    assert!(refused > 0, "all {FLOOD} requests were accepted");
}
