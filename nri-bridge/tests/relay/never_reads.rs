//! The program with two plugins, of which one stops to read.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use bytes::Bytes;
use nri::api::{Event, PLUGIN_SERVICE, RegisterPluginRequest};
use nri::codec::Message as _;
use nri::wire::{CallError, Channels, Code, Connection, Limits, Socket};
use tokio::net::{UnixListener, UnixStream};
use tokio::process::{Child, Command};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::bare::{Bare, PATIENCE};
use crate::old::{Behaviour, Old, handled};

/// The time limit of the request that ends the connection of a plugin that never reads.
const SHORT: Duration = Duration::from_millis(500);

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
    let connected = loop {
        match UnixStream::connect(socket).await {
            Ok(stream) => break stream,
            Err(error) => assert!(Instant::now() < deadline, "the bridge does not listen: {error}"),
        }
        sleep(Duration::from_millis(5)).await;
    };
    let stream = Socket::new(connected).expect("a socket");
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

/// Accepts the next plugin at the socket of the runtime.
async fn accept(listener: &UnixListener) -> Bare {
    let accepted = timeout(PATIENCE, listener.accept()).await.expect("the bridge connects");
    Bare::over(Socket::new(accepted.expect("a connection").0).expect("a socket"))
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
    let (stuck, ()) = tokio::join!(accept(&listener), plugin(&plugins, "stuck", &STUCK));
    let (honest, ()) = tokio::join!(accept(&listener), plugin(&plugins, "honest", &HONEST));
    stuck.admit().await;
    honest.admit().await;
    STUCK.notify_one();

    let large = Bytes::from(vec![0; LARGE]);
    let mut flood = JoinSet::new();
    for _ in 0..FLOOD {
        let (caller, request) = (stuck.caller.clone(), large.clone());
        flood.spawn(async move {
            let method = Event::CreateContainer.name();
            let answer = caller.call(PLUGIN_SERVICE, method, request, Some(PATIENCE)).await;
            match answer {
                Ok(_) => panic!("a plugin that does not read has answered"),
                Err(CallError::Status(status)) => status.code == Code::RESOURCE_EXHAUSTED,
                Err(_) => false,
            }
        });
    }
    for _ in 0..100 {
        let answer = honest.send(Event::RunPodSandbox, Bytes::new(), PATIENCE).await;
        answer.expect("the neighbour answers");
    }
    // All but those that the limits of a connection allow.
    for _ in 0..FLOOD - Limits::default().request_bytes / LARGE {
        let refused = flood.join_next().await.expect("requests are left").expect("no panic");
        assert!(refused, "the connection was closed before the flood was read");
    }
    // A small one still fits, and its time limit ends the connection.
    let unanswered = stuck.send(Event::RunPodSandbox, Bytes::new(), SHORT).await;
    assert!(!matches!(unanswered, Ok(_) | Err(CallError::Status(_))), "{unanswered:?}");
    timeout(PATIENCE, stuck.served).await.expect("the connection is closed").expect("no panic");
    let answer = honest.send(Event::RunPodSandbox, Bytes::new(), PATIENCE).await;
    answer.expect("the neighbour still answers");
    let most = most_memory(&bridge);
    assert!(most < MOST, "the bridge held {most} KiB");
}
