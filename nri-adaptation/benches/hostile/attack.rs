//! Hostile plugins.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use nri::api::{ConfigureResponse, EventMask, RegisterPluginRequest};
use nri::codec::Message as _;
use nri::prelude::*;
use nri::wire::{
    CallError, Caller, Channels, Connection, Limits, Request, Service, Socket, Status,
};
use tokio::net::UnixStream;

const RUNTIME: &str = "nri.pkg.api.v1alpha1.Runtime";

/// The size of an attack, just below the limit of 4 MiB.
const LARGE: usize = (4 << 20) - 1024;

#[derive(Clone, Copy)]
pub(crate) enum Attack {
    /// Unsolicited updates.
    Updates,
    /// The answer to Synchronize, after which the plugin connects again.
    Synchronize,
    /// Answers to CreateContainer with this field full of empty elements.
    Create(&'static [u8]),
}

/// `UpdateContainersRequest.update`, `SynchronizeResponse.update`, with nothing in it.
const UPDATE: &[u8] = &[0x0a, 0];
/// `CreateContainerResponse.update`.
pub(crate) const CREATE_UPDATE: &[u8] = &[0x12, 0];
/// `ContainerAdjustment.hooks.prestart`, below `adjust`.
pub(crate) const HOOK: &[u8] = &[0x0a, 0];

/// Connects and attacks until it is aborted.
pub(crate) async fn attack(
    path: PathBuf,
    number: usize,
    attack: Attack,
    in_flight: usize,
    attacks: Arc<AtomicUsize>,
) {
    loop {
        let hostile = Hostile { attack, attacks: Arc::clone(&attacks) };
        let Ok(stream) = UnixStream::connect(&path).await else { return };
        let Ok(socket) = Socket::new(stream) else { return };
        let (connection, caller) = Connection::new(socket, Channels::PLUGIN, Limits::default());
        let caller = Arc::new(caller);
        let calls = async {
            register(&caller, number).await;
            match attack {
                Attack::Updates => {
                    let calls = (0..in_flight)
                        .map(|_| tokio::spawn(update(Arc::clone(&caller), Arc::clone(&attacks))));
                    for call in calls.collect::<Vec<_>>() {
                        drop(call.await);
                    }
                }
                Attack::Create(_) => std::future::pending().await,
                // Long enough for the answer to Synchronize.
                Attack::Synchronize => tokio::time::sleep(Duration::from_millis(500)).await,
            }
        };
        tokio::select! {
            _ = connection.serve(&hostile) => {}
            () = calls => {}
        }
    }
}

async fn register(caller: &Caller, number: usize) {
    let request = RegisterPluginRequest {
        plugin_name: "hostile".to_owned(),
        plugin_idx: format!("{}", 10 + number),
        nri_version: "v0.12.5".to_owned(),
    };
    drop(caller.call(RUNTIME, "RegisterPlugin", request.encode_to_vec(), None).await);
}

async fn update(caller: Arc<Caller>, attacks: Arc<AtomicUsize>) {
    // The runtime takes no requests before the plugin has synchronized.
    tokio::time::sleep(Duration::from_millis(100)).await;
    loop {
        let request = UPDATE.repeat(LARGE / UPDATE.len());
        attacks.fetch_add(1, Ordering::Relaxed);
        if let Err(CallError::Closed) =
            caller.call(RUNTIME, "UpdateContainers", request, None).await
        {
            return;
        }
    }
}

struct Hostile {
    attack: Attack,
    attacks: Arc<AtomicUsize>,
}

impl Service for Hostile {
    async fn call(&self, request: Request) -> std::result::Result<Bytes, Status> {
        let large = match (&*request.method, self.attack) {
            ("Configure", attack) => return Ok(subscription(attack).encode_to_vec().into()),
            ("Synchronize", Attack::Synchronize) => UPDATE.repeat(LARGE / UPDATE.len()),
            ("CreateContainer", Attack::Create(CREATE_UPDATE)) => {
                CREATE_UPDATE.repeat(LARGE / CREATE_UPDATE.len())
            }
            ("CreateContainer", Attack::Create(hook)) => adjustment(hook),
            _ => return Ok(Bytes::new()),
        };
        self.attacks.fetch_add(1, Ordering::Relaxed);
        Ok(large.into())
    }
}

/// Returns the events that a hostile plugin wants: creations only if it attacks with its answers to
/// them. Any plugin may be late with its own answers.
fn subscription(attack: Attack) -> ConfigureResponse {
    let event = match attack {
        Attack::Updates | Attack::Synchronize => Event::StopPodSandbox,
        Attack::Create(_) => Event::CreateContainer,
    };
    let events = EventMask::EMPTY.with(event).bits();
    ConfigureResponse { events, ..ConfigureResponse::default() }
}

/// An answer to CreateContainer with hooks: `adjust` around `hooks` around the elements.
fn adjustment(hook: &[u8]) -> Vec<u8> {
    let hooks = delimited(HOOKS_FIELD, &hook.repeat(LARGE / hook.len()));
    delimited(1, &hooks)
}

/// The number of `ContainerAdjustment.hooks`.
const HOOKS_FIELD: u8 = 5;

fn delimited(field: u8, content: &[u8]) -> Vec<u8> {
    let mut encoded = vec![(field << 3) | 2];
    let mut len = content.len();
    while len > 0x7f {
        encoded.push((len & 0x7f) as u8 | 0x80);
        len >>= 7;
    }
    encoded.push(len as u8);
    encoded.extend(content);
    encoded
}
