//! A plugin that records every request as it arrives.

use std::path::Path;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use nri::api::{ConfigureResponse, RegisterPluginRequest};
use nri::codec::Message as _;
use nri::wire::{Channels, Code, Connection, Limits, Request, Service, Status};
use nri_tests::messages::{newest, of_release};
use nri_tests::process::PATIENCE;
use prost_reflect::{DescriptorPool, DynamicMessage};
use tokio::net::UnixStream;

/// The RPCs that a plugin of any age implements, if its protocol has them.
const OLD_RPCS: [&str; 8] = [
    "Configure",
    "Synchronize",
    "Shutdown",
    "CreateContainer",
    "UpdateContainer",
    "StopContainer",
    "UpdatePodSandbox",
    "StateChange",
];

/// A request as it arrived.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Seen {
    pub(super) rpc: String,
    pub(super) message: DynamicMessage,
}

/// A connected plugin.
pub(super) struct Tape(Arc<State>);

impl Tape {
    /// Connects and registers as `10-tape`, for all events that the release has.
    pub(super) async fn connect(socket: &Path, release: &str, knows_dedicated: bool) -> Self {
        let state = Arc::new(State {
            pool: newest(),
            events: all_events(&of_release(release)),
            knows_dedicated,
            seen: Mutex::default(),
        });
        let stream = UnixStream::connect(socket).await.expect("it listens");
        let channels = Channels::PLUGIN;
        let (connection, caller) = Connection::new(stream, channels, Limits::default());
        let served = Arc::clone(&state);
        tokio::spawn(async move { connection.serve(&Recorder(served)).await });
        let request = RegisterPluginRequest {
            plugin_name: "tape".to_owned(),
            plugin_idx: "10".to_owned(),
            ..RegisterPluginRequest::default()
        };
        let service = "nri.pkg.api.v1alpha1.Runtime";
        let payload = request.encode_to_vec();
        let registered = caller.call(service, "RegisterPlugin", payload, Some(PATIENCE));
        registered.await.expect("it registers");
        Tape(state)
    }

    /// Takes the requests so far.
    pub(super) fn taken(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.0.seen.lock().expect("no test has failed"))
    }
}

struct State {
    pool: DescriptorPool,
    /// The mask of events.
    events: i32,
    /// False for a plugin that implements no RPC of v0.12.0.
    knows_dedicated: bool,
    seen: Mutex<Vec<Seen>>,
}

struct Recorder(Arc<State>);

impl Service for Recorder {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        let state = &self.0;
        let rpc = request.method;
        let is_old = OLD_RPCS.contains(&&*rpc) || rpc == "ValidateContainerAdjustment";
        if !state.knows_dedicated && !is_old {
            return Err(Status::new(Code::UNIMPLEMENTED, format!("no {rpc} here")));
        }
        let message = state.decoded(&rpc, request.payload);
        let seen = Seen { rpc: rpc.clone(), message };
        state.seen.lock().expect("no test has failed").push(seen);
        Ok(match &*rpc {
            "Configure" => state.configured().encode_to_vec().into(),
            _ => Bytes::new(),
        })
    }
}

impl State {
    fn configured(&self) -> ConfigureResponse {
        ConfigureResponse { events: self.events, ..ConfigureResponse::default() }
    }

    fn decoded(&self, rpc: &str, payload: Bytes) -> DynamicMessage {
        let plugin = self.pool.get_service_by_name("nri.pkg.api.v1alpha1.Plugin");
        let plugin = plugin.expect("the service exists");
        let method = plugin.methods().find(|method| method.name() == rpc);
        let input = method.expect("the method exists").input();
        DynamicMessage::decode(input, payload).expect("it is a request of this method")
    }
}

fn all_events(pool: &DescriptorPool) -> i32 {
    let events = pool.get_enum_by_name("nri.pkg.api.v1alpha1.Event");
    let events = events.expect("the enum exists");
    let known = events.values().filter(|event| !matches!(event.name(), "UNKNOWN" | "LAST"));
    known.map(|event| 1 << (event.number() - 1)).sum()
}
