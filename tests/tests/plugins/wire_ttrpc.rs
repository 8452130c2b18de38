//! `nri::wire` against the `ttrpc` crate, which knows no multiplexer: a small one stands between
//! them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream;
use nri::wire::{CallError, Caller, Channels, Code, Connection, Limits, Request, Service, Status};
use tokio::io::{
    AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};
use tokio::sync::Mutex;
use tokio::time::timeout;
use ttrpc::asynchronous::transport::{Listener, Socket};
use ttrpc::asynchronous::{self, Client, MethodHandler, Server, TtrpcContext};

const PATIENCE: Duration = Duration::from_secs(30);
const SERVICE: &str = "wire.Test";
const SIZES: [usize; 12] =
    [0, 1, 4000, 4085, 4086, 4087, 4095, 4096, 4097, 65_536, 1 << 20, (4 << 20) - 64];

struct Echo;

impl Service for Echo {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        match (request.service.as_str(), request.method.as_str()) {
            (SERVICE, "Echo") => Ok(request.payload),
            (SERVICE, "Fail") => Err(Status::new(Code::ABORTED, "as asked")),
            (SERVICE, "Time") => Ok(format!("{:?}", request.timeout).into()),
            (SERVICE, method) => Err(Status::unknown_method(SERVICE, method)),
            (service, _) => Err(Status::unknown_service(service)),
        }
    }
}

#[async_trait]
impl MethodHandler for Echo {
    async fn handler(
        &self,
        _: TtrpcContext,
        request: ttrpc::Request,
    ) -> ttrpc::Result<ttrpc::Response> {
        let mut response = ttrpc::Response::new();
        if request.method == "Fail" {
            // As generated code does; an error returned here is sent as UNKNOWN.
            response.set_status(ttrpc::get_status(ttrpc::Code::ABORTED, "as asked"));
        }
        response.payload = request.payload;
        Ok(response)
    }
}

/// The far end: a server and a client of the `ttrpc` crate.
struct Far {
    client: Client,
    _server: Server,
}

/// Connects us, serving `channels.serve`, with the `ttrpc` crate. Frames of the far end have at
/// most `cut` bytes.
async fn connect(channels: Channels, cut: usize) -> (Caller, Far) {
    let (near, trunk) = duplex(100_000);
    let (connection, caller) = Connection::new(near, channels, Limits::default());
    tokio::spawn(async move { connection.serve(&Echo).await });
    let [for_client, for_server] = multiplex(trunk, [channels.serve, channels.call], cut);
    let far =
        Far { client: Client::new(Socket::new(for_client)), _server: serve(for_server).await };
    (caller, far)
}

async fn serve(stream: DuplexStream) -> Server {
    let method = || Box::new(Echo) as Box<dyn MethodHandler + Send + Sync>;
    let methods = ["Echo", "Fail"].map(|name| (name.to_owned(), method())).into();
    let service = asynchronous::Service { methods, streams: HashMap::new() };
    let accepted = stream::once(std::future::ready(Ok(stream)));
    let connections = stream::StreamExt::chain(accepted, stream::pending());
    let mut server = Server::new()
        .add_listener(Listener::new(connections))
        .register_service(HashMap::from([(SERVICE.to_owned(), service)]));
    server.start().await.expect("starts");
    server
}

/// Returns a multiplexer written without any of ours: the ends of two logical connections.
fn multiplex(trunk: DuplexStream, ids: [u32; 2], cut: usize) -> [DuplexStream; 2] {
    let (trunk_in, writer) = split(trunk);
    let trunk_out = Arc::new(Mutex::new(writer));
    let mut far_ins = HashMap::new();
    let ends = ids.map(|id| {
        let (end, inner) = duplex(100_000);
        let (from_end, to_end) = split(inner);
        far_ins.insert(id, to_end);
        tokio::spawn(wrap(id, from_end, trunk_out.clone(), cut));
        end
    });
    tokio::spawn(unwrap(trunk_in, far_ins));
    ends
}

async fn wrap(
    id: u32,
    mut from: ReadHalf<DuplexStream>,
    trunk: Arc<Mutex<WriteHalf<DuplexStream>>>,
    cut: usize,
) -> std::io::Result<()> {
    let mut buffer = vec![0; cut];
    loop {
        let count = from.read(&mut buffer).await?;
        if count == 0 {
            return Ok(());
        }
        let mut trunk = trunk.lock().await;
        trunk.write_u32(id).await?;
        trunk.write_u32(count as u32).await?;
        trunk.write_all(&buffer[..count]).await?;
    }
}

async fn unwrap(
    mut trunk: ReadHalf<DuplexStream>,
    mut ends: HashMap<u32, WriteHalf<DuplexStream>>,
) -> std::io::Result<()> {
    loop {
        let id = trunk.read_u32().await?;
        let length = trunk.read_u32().await?;
        let mut payload = vec![0; length as usize];
        trunk.read_exact(&mut payload).await?;
        ends.get_mut(&id).expect("a known connection id").write_all(&payload).await?;
    }
}

fn request(service: &str, method: &str, payload: Vec<u8>) -> ttrpc::Request {
    let mut request = ttrpc::Request::new();
    request.service = service.into();
    request.method = method.into();
    request.payload = payload;
    request
}

impl Far {
    async fn call(&self, request: ttrpc::Request) -> Result<Vec<u8>, i32> {
        match timeout(PATIENCE, self.client.request(request)).await.expect("in time") {
            Ok(response) => Ok(response.payload),
            Err(ttrpc::Error::RpcStatus(status)) => Err(status.code() as i32),
            Err(other) => panic!("{other}"),
        }
    }
}

const AS_PLUGIN: Channels = Channels::PLUGIN;

/// Both roles, with the far end's messages cut into frames of a few bytes up to several messages a
/// frame.
const SETTINGS: [(Channels, usize); 3] =
    [(AS_PLUGIN, 3000), (Channels::PLUGIN.flipped(), 100_000), (AS_PLUGIN, 7)];

#[tokio::test]
async fn every_size_goes_there_and_back_in_both_directions() {
    for (channels, cut) in SETTINGS {
        let (caller, far) = connect(channels, cut).await;
        for size in SIZES.into_iter().filter(|size| size / cut < 10_000) {
            let payload = vec![size as u8; size];
            let ours = far.call(request(SERVICE, "Echo", payload.clone())).await;
            assert!(ours == Ok(payload.clone()), "the crate calls with {size} bytes");
            let theirs = caller.call(SERVICE, "Echo", payload.clone(), Some(PATIENCE)).await;
            assert!(theirs.expect("an answer") == payload, "the crate answers {size} bytes");
        }
    }
}

#[tokio::test]
async fn errors_keep_their_codes_in_both_directions() {
    let (caller, far) = connect(AS_PLUGIN, 4096).await;
    for (service, method, code) in [
        (SERVICE, "Fail", Code::ABORTED),
        (SERVICE, "New", Code::UNIMPLEMENTED),
        ("wire.New", "Echo", Code::UNIMPLEMENTED),
    ] {
        assert_eq!(
            far.call(request(service, method, vec![])).await,
            Err(code.0),
            "{service}/{method}"
        );
    }
    let refused =
        async |service, method| match caller.call(service, method, "", Some(PATIENCE)).await {
            Err(CallError::Status(status)) => status.code,
            other => panic!("{other:?}"),
        };
    assert_eq!(refused(SERVICE, "Fail").await, Code::ABORTED);
    assert_eq!(refused(SERVICE, "New").await, Code::UNIMPLEMENTED);
    // The crate's own choice for an unknown service, unlike Go's.
    assert_eq!(refused("wire.New", "Echo").await, Code::INVALID_ARGUMENT);
}

#[tokio::test]
async fn the_timeout_arrives() {
    let (_caller, far) = connect(AS_PLUGIN, 4096).await;
    let mut request = request(SERVICE, "Time", vec![]);
    request.timeout_nano = 12_000_000_000;
    assert_eq!(far.call(request).await, Ok(b"Some(12s)".to_vec()));
}

/// On one thread: on several, the crate's client sends stream ids out of order, which Go refuses
/// and so do we.
#[tokio::test]
async fn many_calls_both_ways_at_once_get_their_own_answers() {
    let (caller, far) = connect(AS_PLUGIN, 5000).await;
    let mut calls = Vec::new();
    for turn in 0..300usize {
        let (caller, client) = (caller.clone(), far.client.clone());
        let payload = vec![turn as u8; turn * 40];
        let other = payload.clone();
        calls.push(tokio::spawn(async move {
            let ours = caller.call(SERVICE, "Echo", payload.clone(), Some(PATIENCE)).await;
            ours.is_ok_and(|answer| answer == payload)
        }));
        calls.push(tokio::spawn(async move {
            let theirs = client.request(request(SERVICE, "Echo", other.clone())).await;
            theirs.is_ok_and(|answer| answer.payload == other)
        }));
        if turn % 30 == 29 {
            for call in calls.drain(..) {
                assert!(call.await.expect("no panic"), "around turn {turn}");
            }
        }
    }
}
