//! The memory that plugins occupy: little while they are connected, and nothing after they have
//! gone.
//!
//! An allocator counts the bytes that are allocated. The resident memory says nothing, because the
//! allocator keeps freed memory for later.

#![allow(unsafe_code, reason = "an allocator is unsafe")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use nri::api::{ConfigureResponse, ContainerUpdate, PodSandbox, RegisterPluginRequest};
use nri::api::{SynchronizeResponse, UpdateContainersRequest};
use nri::codec::Message as _;
use nri::wire::{
    CallError, Caller, Channels, Connection, Limits, Request, Service, Socket, Status,
};
use nri_adaptation::Adaptation;
use tokio::net::UnixStream;
use tokio::task::JoinHandle;

const RUNTIME: &str = "nri.pkg.api.v1alpha1.Runtime";

/// The number of plugins that are connected at once.
const PLUGINS: usize = 40;

/// The number of times that all plugins connect.
const ROUNDS: usize = 25;

/// The size of a large message, just below the limit of 4 MiB.
const LARGE: usize = (4 << 20) - 1024;

/// The bytes that both ends of the connection to a plugin may occupy: two read buffers, two write
/// buffers, and the state.
const MAX_PER_PLUGIN: isize = 96 << 10;

/// The bytes that may stay when all plugins have gone: the read buffer of the thread, and some that
/// tokio keeps.
const MAX_LEFT: isize = 80 << 10;

static LIVE: AtomicIsize = AtomicIsize::new(0);

struct Counting;

// SAFETY: every call is passed on unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size().cast_signed(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size().cast_signed(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn live() -> isize {
    LIVE.load(Ordering::Relaxed)
}

/// Answers every request with success, and wants every event.
struct Agreeable;

impl Service for Agreeable {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        let answer = match &*request.method {
            "Configure" => ConfigureResponse::default().encode_to_vec(),
            "Synchronize" => SynchronizeResponse::default().encode_to_vec(),
            _ => Vec::new(),
        };
        Ok(answer.into())
    }
}

/// The plugin's end of a connection.
struct Plugin {
    caller: Caller,
    serving: JoinHandle<()>,
}

async fn connect(adaptation: &Adaptation) -> Plugin {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let channels = Channels::PLUGIN;
    let socket = Socket::new(theirs).unwrap();
    let (connection, caller) = Connection::new(socket, channels, Limits::default());
    let serving = tokio::spawn(async move {
        let _ = connection.serve(&Agreeable).await;
    });
    let registration = RegisterPluginRequest {
        plugin_name: "memory".to_owned(),
        plugin_idx: "10".to_owned(),
        nri_version: "v0.12.5".to_owned(),
    }
    .encode_to_vec();
    let (connected, registered) = tokio::join!(
        adaptation.connect(Socket::new(ours).unwrap()),
        caller.call(RUNTIME, "RegisterPlugin", registration, None),
    );
    connected.unwrap();
    registered.unwrap();
    Plugin { caller, serving }
}

/// Sends a large update, and passes a large event to all plugins.
async fn exchange(adaptation: &Adaptation, plugin: &Plugin) {
    let update = UpdateContainersRequest {
        update: vec![ContainerUpdate::new("x".repeat(LARGE))],
        ..UpdateContainersRequest::default()
    }
    .encode_to_vec();
    let updated = plugin.caller.call(RUNTIME, "UpdateContainers", update, None);
    // The runtime refuses all updates, after it has read them.
    assert!(matches!(updated.await, Err(CallError::Status(_))));
    let pod = PodSandbox { id: "pod".to_owned(), name: "x".repeat(LARGE), ..PodSandbox::default() };
    let relayed = adaptation.run_pod_sandbox(&pod).await.unwrap();
    assert!(relayed.outcomes.iter().all(|outcome| outcome.error.is_none()));
}

/// Waits until the adaptation has noticed that the plugins have gone.
async fn all_gone(adaptation: &Adaptation) {
    while !adaptation.plugins().is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn plugins_occupy_little_memory_and_none_after_they_have_gone() {
    let adaptation = Adaptation::builder("test", "1")
        .request_timeout(Duration::from_secs(60))
        .start()
        .await
        .unwrap();
    let mut before = None;
    for round in 0..ROUNDS {
        let start = live();
        let mut plugins = Vec::new();
        for _ in 0..PLUGINS {
            plugins.push(connect(&adaptation).await);
        }
        if round < 2 {
            exchange(&adaptation, &plugins[0]).await;
        }
        let each = (live() - start) / PLUGINS.cast_signed();
        assert!(each < MAX_PER_PLUGIN, "{each} bytes per plugin");
        for plugin in plugins {
            plugin.serving.abort();
            let _ = plugin.serving.await;
        }
        all_gone(&adaptation).await;
        let left = live() - *before.get_or_insert(start);
        assert!(left < MAX_LEFT, "round {round}: {left} bytes left");
    }
}
