//! `nri::wire` against the multiplexer of the reference implementation and ttrpc in Go.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use bytes::Bytes;
use nri::__private::wire::{
    Demux, FrameHeader, Kind, MessageHeader, RequestEnvelope, ResponseEnvelope,
};
use nri::codec::Message as _;
use nri::wire::{
    CallError, Caller, Channels, Code, Connection, ConnectionError, Ended, Limits, Request,
    Service, Status,
};
use nri_tests::peers::{self, NRI_RELEASES};
use nri_tests::process::{PATIENCE, Process, Stream};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio::time::timeout;

const NEWEST: &str = "v0.12.5";
const SERVICE: &str = "wire.Test";

/// Sizes of payloads that end in every shape of frames: one, two, and those around the limits.
const SIZES: [usize; 6] = [0, 1, 65_536, 1 << 20, (4 << 20) - 4096, (4 << 20) - 64];

/// Payload sizes whose messages lie on both sides of the 4096 bytes that a Go peer buffers.
const AROUND_THE_BUFFER: std::ops::RangeInclusive<usize> = 4000..=4110;

struct Echo;

impl Service for Echo {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        match (request.service.as_str(), request.method.as_str()) {
            (SERVICE, "Echo") => Ok(request.payload),
            (SERVICE, "Fail") => Err(Status::new(Code::ABORTED, "as asked")),
            (SERVICE, "Wait") => {
                tokio::time::sleep_until(request.deadline.expect("a deadline")).await;
                Err(Status::new(Code::DEADLINE_EXCEEDED, "too late"))
            }
            (SERVICE, method) => Err(Status::unknown_method(SERVICE, method)),
            (service, _) => Err(Status::unknown_service(service)),
        }
    }
}

/// A connection with a Go program at its other end.
struct Pair {
    go: Process,
    caller: Caller,
    served: JoinHandle<Result<Ended, ConnectionError>>,
    runtime: Runtime,
}

/// Starts the Go program; its end of the connection. Our connection ids are given, its are the
/// other way round.
fn dial(runtime: &Runtime, nri: &str, ours: Channels) -> (Process, UnixStream) {
    let folder = tempfile::tempdir().expect("temp folder");
    let socket = folder.path().join("s");
    let _context = runtime.enter();
    let listener = UnixListener::bind(&socket).expect("socket");
    let go = Process::spawn(&mut command(&peers::wire(nri), &socket, ours), Stream::Output);
    let accepted = runtime.block_on(async { timeout(PATIENCE, listener.accept()).await });
    (go, accepted.expect("dials in time").expect("dials").0)
}

fn command(program: &Path, socket: &Path, ours: Channels) -> Command {
    let theirs = ours.flipped();
    let mut command = Command::new(program);
    command.arg("-socket").arg(socket);
    command.arg(format!("-serve={}", theirs.serve)).arg(format!("-call={}", theirs.call));
    command
}

const AS_PLUGIN: Channels = Channels::PLUGIN;

fn connect(nri: &str, channels: Channels) -> Pair {
    let runtime = Runtime::new().expect("runtime");
    let (go, stream) = dial(&runtime, nri, channels);
    let (connection, caller) = Connection::new(stream, channels, Limits::default());
    let served = runtime.spawn(async move { connection.serve(&Echo).await });
    Pair { go, caller, served, runtime }
}

impl Pair {
    /// Lets the Go program call us.
    fn go_calls(&mut self, task: Value) -> Value {
        self.go.write(&task.to_string());
        self.go.wait_for("an outcome", |line| line.get("good").is_some())
    }

    fn call(&self, service: &str, method: &str, payload: Vec<u8>) -> Result<Bytes, CallError> {
        self.runtime.block_on(self.caller.call(service, method, payload, Some(PATIENCE)))
    }

    fn echo(&self, size: usize) {
        let payload = bytes_value(size);
        let answer = self.call(SERVICE, "Echo", payload.clone()).expect("an answer");
        assert!(answer == payload, "{} bytes back for {size}", answer.len());
    }
}

/// `google.protobuf.BytesValue`, which the Go program takes and gives.
fn bytes_value(size: usize) -> Vec<u8> {
    prost::Message::encode_to_vec(&vec![size as u8; size])
}

fn both_roles(mut test: impl FnMut(Pair)) {
    for channels in [AS_PLUGIN, AS_PLUGIN.flipped()] {
        for release in NRI_RELEASES {
            test(connect(release, channels));
        }
    }
}

#[test]
fn go_calls_and_reads_answers_of_every_shape() {
    both_roles(|mut pair| {
        let (from, to) = (*AROUND_THE_BUFFER.start(), *AROUND_THE_BUFFER.end());
        let outcome =
            pair.go_calls(json!({"method": "Echo", "from": from, "to": to, "parallel": 1}));
        assert_eq!(outcome, json!({"good": to - from + 1, "code": 0, "error": ""}));
        for size in SIZES {
            let task = json!({"method": "Echo", "from": size, "to": size, "parallel": 3});
            assert_eq!(pair.go_calls(task), json!({"good": 3, "code": 0, "error": ""}), "{size}");
        }
    });
}

#[test]
fn go_reads_and_answers_calls_of_every_shape() {
    both_roles(|pair| {
        for size in AROUND_THE_BUFFER.chain(SIZES) {
            pair.echo(size);
        }
    });
}

#[test]
fn many_calls_both_ways_at_once_get_their_own_answers() {
    both_roles(|mut pair| {
        let ours: Vec<_> = (0..400)
            .map(|turn| {
                let (caller, payload) = (pair.caller.clone(), bytes_value(turn * 50));
                pair.runtime.spawn(async move {
                    caller.call(SERVICE, "Echo", payload.clone(), None).await == Ok(payload.into())
                })
            })
            .collect();
        let outcome =
            pair.go_calls(json!({"method": "Echo", "from": 3900, "to": 4000, "parallel": 20}));
        assert_eq!(outcome, json!({"good": 2020, "code": 0, "error": ""}));
        for call in ours {
            assert!(pair.runtime.block_on(call).expect("no panic"));
        }
    });
}

#[test]
fn errors_have_the_same_codes_on_both_sides() {
    let mut pair = connect(NEWEST, AS_PLUGIN);
    for (service, method, code) in [
        (SERVICE, "Fail", Code::ABORTED),
        (SERVICE, "New", Code::UNIMPLEMENTED),
        ("wire.New", "Echo", Code::UNIMPLEMENTED),
    ] {
        let error = pair.call(service, method, bytes_value(3)).expect_err("refused");
        assert_eq!(error.code(), code, "Go answers {service}/{method}: {error}");
    }
    for (method, code) in [("Fail", Code::ABORTED), ("New", Code::UNIMPLEMENTED)] {
        let outcome = pair.go_calls(json!({"method": method, "from": 3, "to": 3, "parallel": 1}));
        assert_eq!(outcome["code"], code.0, "Go reads {method}: {outcome}");
    }
    let task = json!({"method": "Echo", "from": 4 << 20, "to": 4 << 20, "parallel": 1});
    assert_eq!(pair.go_calls(task)["code"], Code::RESOURCE_EXHAUSTED.0);
    let error = pair.call(SERVICE, "Echo", bytes_value(4 << 20)).expect_err("too large");
    assert_eq!(error.code(), Code::RESOURCE_EXHAUSTED);
    pair.echo(5);
}

#[test]
fn timeouts_are_told_in_both_directions() {
    let mut pair = connect(NEWEST, AS_PLUGIN);
    // The Go handler waits as long as the request says, so its error races with the timeout.
    let short = Some(Duration::from_millis(50));
    let call = pair.caller.call(SERVICE, "Wait", Bytes::new(), short);
    let error = pair.runtime.block_on(call).expect_err("no answer");
    assert_eq!(error.code(), Code::DEADLINE_EXCEEDED, "{error}");
    let task = json!({"method": "Wait", "from": 0, "to": 0, "parallel": 4, "timeout_ms": 50});
    let outcome = pair.go_calls(task);
    assert_eq!(outcome["good"], 0);
    let reason = outcome["error"].as_str().unwrap_or_default();
    assert!(reason == "context deadline exceeded" || outcome["code"] == 4, "{outcome}");
    pair.echo(5);
    let echo = json!({"method": "Echo", "from": 5, "to": 5, "parallel": 1});
    assert_eq!(pair.go_calls(echo)["good"], 1);
}

#[test]
fn a_go_peer_that_ends_ends_the_connection_in_order() {
    let mut pair = connect(NEWEST, AS_PLUGIN);
    pair.echo(5);
    pair.go.kill();
    let ended = pair.runtime.block_on(async { timeout(PATIENCE, pair.served).await });
    let ended = ended.expect("in time").expect("no panic").expect("no error");
    assert_eq!(ended, Ended::ByPeer);
}

/// Returns a message to connection id 1, in one frame.
fn raw(kind: u8, stream: u32, data: &[u8]) -> Vec<u8> {
    let header =
        MessageHeader { length: data.len() as u32, stream, kind: Kind::from(kind), flags: 0 };
    let frame = FrameHeader { connection: 1, length: 10 + data.len() as u32 };
    [&frame.encode()[..], &header.encode(), data].concat()
}

fn raw_request(stream: u32, service: &str, method: &str) -> Vec<u8> {
    let envelope = RequestEnvelope {
        service: service.into(),
        method: method.into(),
        payload: bytes_value(3).into(),
        timeout_nano: 0,
    };
    raw(1, stream, &envelope.encode_to_vec())
}

/// Every frame that the Go server survives, with one answer or none.
fn provocations() -> Vec<(&'static str, Vec<u8>, bool)> {
    vec![
        ("a request", raw_request(1, SERVICE, "Echo"), true),
        ("an even stream id", raw_request(2, SERVICE, "Echo"), true),
        ("a stream id again", raw_request(1, SERVICE, "Echo"), true),
        ("a larger stream id", raw_request(9, SERVICE, "Echo"), true),
        ("a smaller stream id", raw_request(7, SERVICE, "Echo"), true),
        ("a request that is none", raw(1, 11, b"\xff\xff\xff"), true),
        ("an unknown method", raw_request(13, SERVICE, "New"), true),
        ("an unknown service", raw_request(15, "wire.New", "Echo"), true),
        ("an error", raw_request(17, SERVICE, "Fail"), true),
        ("a response", raw(2, 19, b""), false),
        ("an unknown type", raw(77, 21, b"data"), false),
        ("an even unknown type", raw(77, 22, b"data"), true),
        (
            "another connection id",
            FrameHeader { connection: 5, length: 0 }.encode().to_vec(),
            false,
        ),
        ("the last stream id", raw_request(u32::MAX, SERVICE, "Echo"), true),
        ("no stream id is left", raw_request(u32::MAX, SERVICE, "Echo"), true),
    ]
}

/// Sends one after the other; the stream and code of each answer.
async fn provoke(mut stream: UnixStream) -> Vec<(&'static str, u32, i32)> {
    let mut answers = Vec::new();
    let mut demux = Demux::new([1, 2]);
    for (what, bytes, answered) in provocations() {
        stream.write_all(&bytes).await.expect("taken");
        if answered {
            let (id, response) = next_answer(&mut stream, &mut demux).await;
            answers.push((what, id, response.status.map_or(0, |status| status.code)));
        }
    }
    answers
}

async fn next_answer(stream: &mut UnixStream, demux: &mut Demux) -> (u32, ResponseEnvelope) {
    loop {
        if let Some(message) = demux.next_message().expect("well-formed") {
            let response = ResponseEnvelope::decode(message.data).expect("a response");
            return (message.header.stream, response);
        }
        let mut bytes = [0; 4096];
        let count =
            timeout(PATIENCE, stream.read(&mut bytes)).await.expect("in time").expect("open");
        assert!(count > 0, "closed");
        demux.extend(&bytes[..count]);
    }
}

#[test]
fn provocations_are_answered_as_go_answers_them() {
    let runtime = Runtime::new().expect("runtime");
    let (_go, stream) = dial(&runtime, NEWEST, AS_PLUGIN.flipped());
    let of_go = runtime.block_on(provoke(stream));

    let ours = runtime.block_on(async {
        let (near, peer) = UnixStream::pair().expect("socket pair");
        let (connection, _caller) = Connection::new(near, AS_PLUGIN, Limits::default());
        tokio::spawn(async move { connection.serve(&Echo).await });
        provoke(peer).await
    });
    assert_eq!(ours, of_go);
    assert_eq!(ours.len(), 12);
}
