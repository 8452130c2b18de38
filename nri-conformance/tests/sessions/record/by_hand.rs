//! Recordings that are written by hand, and plugins that answer by hand.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use nri::api::{ConfigureRequest, ConfigureResponse, CreateContainerRequest, RunPodSandboxRequest};
use nri::codec::Message;
use nri::prelude::*;
use nri::wire::{Channels, Code, Connection as Wire, Limits, Request as Call, Service, Status};
use nri_conformance::record::replay::{Replay, Replayed, Speed};
use nri_conformance::record::{
    Frame, FrameEvent, Header, Party, Payload, Request, Response, Source, Writer, create_file,
};
use nri_conformance::session::PLUGIN_SERVICE;

use super::support::{container, plugin_at, pod};

/// A recorded request of the runtime, and its answer.
pub(crate) type Exchange = (&'static str, Vec<u8>, Option<Result<Vec<u8>, i32>>);

/// Writes a recording by hand. The times of requests are 20 ms apart.
pub(crate) fn write(file: &Path, source: Source, exchanges: &[Exchange], update: Option<&[u8]>) {
    let header = Header {
        nri: None,
        runtime: None,
        runtime_version: None,
        source,
        redacted: false,
        started: SystemTime::now(),
    };
    let mut writer = Writer::new(create_file(file).unwrap(), &header, u64::MAX).unwrap();
    let mut put = |at: u64, event| {
        let at = Duration::from_millis(at);
        let frame = Frame { at, connection: 1, event };
        writer.write(&frame).unwrap();
    };
    let payload = |bytes: &[u8]| Payload::Bytes(Bytes::copy_from_slice(bytes));
    if let Some(update) = update {
        put(
            0,
            FrameEvent::Request(Request {
                by: Party::Plugin,
                stream: 9,
                service: "nri.pkg.api.v1alpha1.Runtime".to_owned(),
                method: "UpdateContainers".to_owned(),
                timeout: None,
                payload: payload(update),
            }),
        );
    }
    for (number, (method, request, answer)) in (0..).zip(exchanges) {
        let (at, stream) = (number * 20, number as u32 * 2 + 1);
        put(
            at,
            FrameEvent::Request(Request {
                by: Party::Runtime,
                stream,
                service: PLUGIN_SERVICE.to_owned(),
                method: (*method).to_owned(),
                timeout: Some(Duration::from_secs(20)),
                payload: payload(request),
            }),
        );
        if let Some(answer) = answer {
            let result = match answer {
                Ok(bytes) => Ok(payload(bytes)),
                Err(code) => Err(Status::new(Code(*code), "recorded")),
            };
            put(at + 1, FrameEvent::Response(Response { by: Party::Plugin, stream, result }));
        }
    }
    writer.finish().unwrap();
}

pub(crate) fn configure(events: EventMask) -> Exchange {
    let request =
        ConfigureRequest { nri_version: "v0.12.5".to_owned(), ..ConfigureRequest::default() };
    let response = ConfigureResponse { events: events.bits(), ..ConfigureResponse::default() };
    let answer = Some(Ok(response.encode_to_vec()));
    ("Configure", request.encode_to_vec(), answer)
}

pub(crate) fn run_pod(answer: Result<Vec<u8>, i32>) -> Exchange {
    let pod = Some(pod("web"));
    let request = RunPodSandboxRequest { pod }.encode_to_vec();
    ("RunPodSandbox", request, Some(answer))
}

pub(crate) fn run_pod_as_change() -> Exchange {
    let request = RunPodSandboxRequest { pod: Some(pod("web")) };
    let (method, change) = nri_adaptation::Revision::newest()
        .request(Event::RunPodSandbox, nri_adaptation::Via::StateChange, &request.encode_to_vec())
        .unwrap();
    (method, change.to_vec(), Some(Ok(Vec::new())))
}

pub(crate) fn create(answer: Option<Result<Vec<u8>, i32>>) -> Exchange {
    let request =
        CreateContainerRequest { pod: Some(pod("web")), container: Some(container("web")) };
    ("CreateContainer", request.encode_to_vec(), answer)
}

pub(crate) fn session() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("session.nri");
    (folder, file)
}

/// A plugin on the wire with scripted answers, which records its requests.
struct ByHand {
    answer: fn(&Call) -> Result<Bytes, Status>,
    calls: Mutex<Vec<String>>,
}

impl Service for ByHand {
    async fn call(&self, request: Call) -> Result<Bytes, Status> {
        self.calls.lock().unwrap().push(request.method.clone());
        (self.answer)(&request)
    }
}

/// Replays to a plugin with scripted answers. Also returns its requests.
pub(crate) async fn by_hand(
    recording: &Path,
    speed: Speed,
    answer: fn(&Call) -> Result<Bytes, Status>,
) -> (Replayed, Vec<String>) {
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let channels = Channels::PLUGIN;
    let (connection, caller) = Wire::new(theirs, channels, Limits::default());
    let plugin = ByHand { answer, calls: Mutex::default() };
    let replay = Replay::new(recording, plugin_at(ours)).speed(speed);
    let register = async {
        let service = "nri.pkg.api.v1alpha1.Runtime";
        let registered = caller.call(service, "RegisterPlugin", Bytes::new(), None);
        registered.await.unwrap();
        std::future::pending::<()>().await;
    };
    let replayed = tokio::select! {
        replayed = replay.run() => replayed.unwrap(),
        _ = connection.serve(&plugin) => panic!("the replay closed the connection early"),
        () = register => unreachable!(),
    };
    (replayed, plugin.calls.into_inner().unwrap())
}

/// A plugin for runtimes before v0.12.0.
pub(crate) fn old_plugin(request: &Call) -> Result<Bytes, Status> {
    match request.method.as_str() {
        "Configure" | "Synchronize" | "StateChange" | "CreateContainer" => Ok(Bytes::new()),
        other => Err(Status::unknown_method(&request.service, other)),
    }
}
