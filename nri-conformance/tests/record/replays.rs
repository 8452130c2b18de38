//! Replays: the same plugin gives the same answers, and a difference is found, named and nothing else.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use nri::api::{
    ConfigureRequest, ConfigureResponse, CreateContainerRequest, CreateContainerResponse,
    RunPodSandboxRequest, StopPodSandboxRequest, UpdateContainersRequest,
};
use nri::prelude::*;
use nri::wire::{Channels, Code, Connection as Wire, Limits, Request as Call, Service, Status};
use nri_conformance::record::replay::{DifferenceKind, Replay, Replayed, Speed};
use nri_conformance::record::{
    ErrorKind, Frame, FrameEvent, Header, Options, Party, Payload, Request, Response, Source,
    Writer, create_file,
};
use nri_conformance::session::PLUGIN_SERVICE;
use prost::Message;

use crate::support::{Marker, Recording, Runtime, container, patiently, pod, recorded, run};

/// Returns the differences as text.
fn texts(replayed: &Replayed) -> Vec<String> {
    replayed
        .differences
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn open() -> Options {
    let mut options = Options::default();
    options.redact = false;
    options
}

#[tokio::test]
async fn the_same_plugin_gives_the_same_answers() {
    for release in ["v0.8.0", "v0.11.0", "v0.12.5"] {
        let (_folder, file) = recorded(release, Marker("a"), Options::default()).await;
        let replay = nri_conformance::replay(&file, Marker("a"));
        let replayed = replay.run().await.unwrap();
        replayed.assert();
        assert_eq!(replayed.requests, 5, "{release}: {replayed:?}");
        assert_eq!(replayed.compared, 5);
        assert_eq!(replayed.plugin, "10-marker");
        assert_eq!(replayed.recorded_plugin, "10-marker");
    }
}

#[tokio::test]
async fn a_planted_difference_is_found() {
    let (_folder, file) = recorded("v0.12.5", Marker("a"), open()).await;
    let replay = nri_conformance::replay(&file, Marker("b"));
    let replayed = replay.run().await.unwrap();
    let prefix = "request 4, CreateContainer of default/web/server: adjust";
    let expected = [
        format!(r#"{prefix}.annotations[marked-by]: recorded "a", got "b""#),
        format!(r#"{prefix}.env[MARK].value: recorded "a", got "b""#),
    ];
    assert_eq!(texts(&replayed), expected);

    let failed = std::thread::spawn(move || nri_conformance::replay(&file, Marker("b")).assert());
    let panic = failed.join().unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    let expected = format!("2 differences in 5 requests:\n{}", expected.join("\n"));
    assert_eq!(*message, expected);
}

#[tokio::test]
async fn redacted_values_are_not_compared_but_their_names_are() {
    let (_folder, file) = recorded("v0.12.5", Marker("a"), Options::default()).await;
    nri_conformance::replay(&file, Marker("b")).assert();

    let replayed = nri_conformance::replay(&file, Reversed)
        .run()
        .await
        .unwrap();
    let found = texts(&replayed).join("\n");
    assert!(found.contains("events"), "{found}");
    assert!(found.contains("annotations[marked-by]: recorded \"<redacted>\", got absent"));
    assert!(
        !found.contains("env"),
        "the order of variables is compared: {found}"
    );
    // It does not subscribe to the events of the pod.
    assert_eq!(replayed.skipped.unsubscribed, 2);
}

/// Sets the variables of `Marker` in another order, and nothing else.
#[derive(NriPlugin)]
#[nri(name = "reversed", index = "20")]
struct Reversed;

impl CreateContainer for Reversed {
    async fn create_container(
        &self,
        _: &Context,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<Adjustment> {
        Ok(Adjustment::new().env("MARKS", "1").env("MARK", "c"))
    }
}

/// A recorded request of the runtime, and its answer.
type Exchange = (&'static str, Vec<u8>, Option<Result<Vec<u8>, i32>>);

/// Writes a recording by hand. The times of requests are 20 ms apart.
fn write(file: &Path, source: Source, exchanges: &[Exchange], update: Option<&[u8]>) {
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
        let frame = Frame {
            at,
            connection: 1,
            event,
        };
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
            put(
                at + 1,
                FrameEvent::Response(Response {
                    by: Party::Plugin,
                    stream,
                    result,
                }),
            );
        }
    }
    writer.finish().unwrap();
}

fn configure(events: EventMask) -> Exchange {
    let request = ConfigureRequest {
        nri_version: "v0.12.5".to_owned(),
        ..ConfigureRequest::default()
    };
    let response = ConfigureResponse {
        events: events.into(),
        ..ConfigureResponse::default()
    };
    let answer = Some(Ok(response.encode_to_vec()));
    ("Configure", request.encode_to_vec(), answer)
}

fn run_pod(answer: Result<Vec<u8>, i32>) -> Exchange {
    let pod = Some(pod("web"));
    let request = RunPodSandboxRequest { pod }.encode_to_vec();
    ("RunPodSandbox", request, Some(answer))
}

fn run_pod_as_change() -> Exchange {
    let request = RunPodSandboxRequest {
        pod: Some(pod("web")),
    };
    let change = nri::adaptation::Revision::newest().request(
        Event::RunPodSandbox,
        nri::adaptation::Via::StateChange,
        &request.encode_to_vec(),
    );
    let (method, change) = change.unwrap();
    (method, change.to_vec(), Some(Ok(Vec::new())))
}

fn create(answer: Option<Result<Vec<u8>, i32>>) -> Exchange {
    let request = CreateContainerRequest {
        pod: Some(pod("web")),
        container: Some(container("web")),
    };
    ("CreateContainer", request.encode_to_vec(), answer)
}

fn session() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("session.nri");
    (folder, file)
}

/// A plugin on the wire that answers by hand and notes what it was asked.
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

/// Replays to a plugin that answers by hand. Returns what it was asked, too.
async fn by_hand(
    replay: Replay,
    answer: fn(&Call) -> Result<Bytes, Status>,
) -> (Replayed, Vec<String>) {
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let channels = Channels { serve: 1, call: 2 };
    let (connection, caller) = Wire::new(theirs, channels, Limits::default());
    let plugin = ByHand {
        answer,
        calls: Mutex::default(),
    };
    let register = async {
        let service = "nri.pkg.api.v1alpha1.Runtime";
        let registered = caller.call(service, "RegisterPlugin", Bytes::new(), None);
        registered.await.unwrap();
        std::future::pending::<()>().await;
    };
    let replayed = tokio::select! {
        replayed = replay.run(ours) => replayed.unwrap(),
        _ = connection.serve(&plugin) => panic!("the replay closed the connection early"),
        () = register => unreachable!(),
    };
    (replayed, plugin.calls.into_inner().unwrap())
}

/// A plugin for runtimes before v0.12.0.
fn old_plugin(request: &Call) -> Result<Bytes, Status> {
    match request.method.as_str() {
        "Configure" | "Synchronize" | "StateChange" | "CreateContainer" => Ok(Bytes::new()),
        other => Err(Status::unknown_method(&request.service, other)),
    }
}

#[tokio::test]
async fn a_plugin_without_dedicated_rpcs_gets_state_change() {
    let (_folder, file) = session();
    let exchanges = [
        configure(EventMask::ALL),
        run_pod(Ok(Vec::new())),
        run_pod(Ok(Vec::new())),
    ];
    write(&file, Source::Proxy, &exchanges, None);
    let (replayed, calls) = patiently(by_hand(Replay::open(&file), old_plugin)).await;
    replayed.assert();
    assert_eq!(
        calls,
        ["Configure", "RunPodSandbox", "StateChange", "StateChange"]
    );
}

#[tokio::test]
async fn a_refusal_and_its_fallback_are_replayed_to_old_plugins_and_merged_for_new_ones() {
    let (_folder, file) = session();
    let exchanges = [
        configure(EventMask::ALL),
        run_pod(Err(12)),
        run_pod_as_change(),
        run_pod_as_change(),
    ];
    write(&file, Source::Proxy, &exchanges, None);
    let (replayed, calls) = patiently(by_hand(Replay::open(&file), old_plugin)).await;
    replayed.assert();
    assert_eq!(
        calls,
        ["Configure", "RunPodSandbox", "StateChange", "StateChange"]
    );

    let takes_all = |_: &Call| Ok(Bytes::new());
    let (replayed, calls) = patiently(by_hand(Replay::open(&file), takes_all)).await;
    replayed.assert();
    assert_eq!(calls, ["Configure", "RunPodSandbox", "StateChange"]);
    assert_eq!(replayed.skipped.repeated, 1);
}

#[tokio::test]
async fn errors_are_compared_as_a_runtime_tells_them_apart() {
    let adjusted = CreateContainerResponse::default().encode_to_vec();
    let fails = |request: &Call| match request.method.as_str() {
        "CreateContainer" => Err(Status::new(Code::INTERNAL, "disk on fire")),
        _ => Ok(Bytes::new()),
    };
    for (recorded, expected) in [
        (
            Ok(adjusted),
            "recorded success, got disk on fire: INTERNAL (13)",
        ),
        (Err(2), ""),
        (
            Err(12),
            "recorded recorded: UNIMPLEMENTED (12), got disk on fire: INTERNAL (13)",
        ),
    ] {
        let (_folder, file) = session();
        let exchanges = [configure(EventMask::ALL), create(Some(recorded))];
        write(&file, Source::Proxy, &exchanges, None);
        let (replayed, _) = patiently(by_hand(Replay::open(&file), fails)).await;
        let prefix = "request 2, CreateContainer of default/web/server: ";
        let found = texts(&replayed).join("\n");
        assert_eq!(found.strip_prefix(prefix).unwrap_or(&found), expected);
    }
    let (_folder, file) = session();
    let exchanges = [configure(EventMask::ALL), create(Some(Err(2)))];
    write(&file, Source::Proxy, &exchanges, None);
    let (replayed, _) = patiently(by_hand(Replay::open(&file), old_plugin)).await;
    let kind = &replayed.differences[0].kind;
    assert_eq!(
        *kind,
        DifferenceKind::Succeeded(Status::new(Code(2), "recorded"))
    );
}

#[tokio::test]
async fn an_unreadable_answer_is_a_difference() {
    let (_folder, file) = session();
    let exchanges = [configure(EventMask::ALL), create(Some(Ok(Vec::new())))];
    write(&file, Source::Proxy, &exchanges, None);
    let garbage = |request: &Call| match request.method.as_str() {
        "CreateContainer" => Ok(Bytes::from_static(b"\xff\xff\xff")),
        _ => Ok(Bytes::new()),
    };
    let (replayed, _) = patiently(by_hand(Replay::open(&file), garbage)).await;
    let kind = &replayed.differences[0].kind;
    assert!(matches!(kind, DifferenceKind::Unreadable(_)), "{kind:?}");
}

/// Fails every container.
#[derive(NriPlugin)]
#[nri(name = "broken", index = "30")]
struct Broken;

impl CreateContainer for Broken {
    async fn create_container(
        &self,
        _: &Context,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<Adjustment> {
        Err(nri::Error::new("no"))
    }
}

#[tokio::test]
async fn from_an_observer_only_failures_and_silence_are_reported() {
    let (_folder, file) = session();
    let mut exchanges = vec![configure(EventMask::ALL)];
    exchanges.extend((0..4).map(|_| create(None)));
    exchanges[0].2 = None;
    write(&file, Source::Observer, &exchanges, None);
    nri_conformance::replay(&file, Marker("any")).assert();

    // A plugin on the wire that never answers.
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let channels = Channels { serve: 1, call: 2 };
    let (connection, caller) = Wire::new(theirs, channels, Limits::default());
    struct Silent;
    impl Service for Silent {
        async fn call(&self, request: Call) -> Result<Bytes, Status> {
            if request.method == "CreateContainer" {
                std::future::pending::<()>().await;
            }
            Ok(Bytes::new())
        }
    }
    let register = async {
        let service = "nri.pkg.api.v1alpha1.Runtime";
        let registered = caller.call(service, "RegisterPlugin", Bytes::new(), None);
        registered.await.unwrap();
        std::future::pending::<()>().await;
    };
    let within = Duration::from_millis(50);
    let replayed = tokio::select! {
        replayed = Replay::open(&file).timeout(within).run(ours) => replayed.unwrap(),
        _ = connection.serve(&Silent) => panic!("closed early"),
        () = register => unreachable!(),
    };
    assert_eq!(replayed.differences.len(), 1);
    assert_eq!(
        replayed.differences[0].kind,
        DifferenceKind::NoAnswer(within)
    );
    assert_eq!(replayed.skipped.after_end, 3);

    let replayed = nri_conformance::replay(&file, Broken).run().await.unwrap();
    let failed = Status::new(Code::UNKNOWN, "no");
    let kinds: Vec<_> = replayed.differences.into_iter().map(|it| it.kind).collect();
    assert_eq!(kinds, vec![DifferenceKind::Failed(failed); 4]);
}

#[tokio::test]
async fn a_lost_connection_is_a_difference_and_ends_the_replay() {
    let (_folder, file) = session();
    let mut exchanges = vec![configure(EventMask::ALL)];
    exchanges.extend((0..4).map(|_| create(Some(Ok(Vec::new())))));
    write(&file, Source::Proxy, &exchanges, None);
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let channels = Channels { serve: 1, call: 2 };
    let (connection, caller) = Wire::new(theirs, channels, Limits::default());
    let calls = tokio::sync::Notify::new();
    struct Dies<'a>(&'a tokio::sync::Notify);
    impl Service for Dies<'_> {
        async fn call(&self, request: Call) -> Result<Bytes, Status> {
            if request.method == "CreateContainer" {
                self.0.notify_one();
                std::future::pending::<()>().await;
            }
            Ok(Bytes::new())
        }
    }
    let plugin = async {
        let dies = Dies(&calls);
        let register = async {
            let service = "nri.pkg.api.v1alpha1.Runtime";
            let registered = caller.call(service, "RegisterPlugin", Bytes::new(), None);
            registered.await.unwrap();
            calls.notified().await;
        };
        tokio::select! {
            _ = connection.serve(&dies) => {}
            () = register => {}
        }
    };
    let (replayed, ()) =
        patiently(async { tokio::join!(Replay::open(&file).run(ours), plugin) }).await;
    let replayed = replayed.unwrap();
    assert_eq!(replayed.differences[0].kind, DifferenceKind::Closed);
    assert_eq!(replayed.skipped.after_end, 3);
}

#[tokio::test]
async fn a_plugin_that_does_not_register_is_an_error() {
    let (_folder, file) = session();
    write(&file, Source::Proxy, &[configure(EventMask::ALL)], None);
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let replay = Replay::open(&file).registration_timeout(Duration::from_millis(20));
    let error = patiently(replay.run(ours)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Registration);
    assert_eq!(error.to_string(), "the plugin did not register within 20ms");
    drop(theirs);

    let (ours, theirs) = tokio::io::duplex(64 << 10);
    drop(theirs);
    let error = patiently(Replay::open(&file).run(ours)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Registration);
    assert!(
        error.to_string().contains("closed the connection"),
        "{error}"
    );
}

#[tokio::test]
async fn a_recorded_update_that_is_not_sent_is_missed() {
    let (_folder, file) = session();
    let update = UpdateContainersRequest::default().encode_to_vec();
    write(
        &file,
        Source::Proxy,
        &[configure(EventMask::ALL)],
        Some(&update),
    );
    let (replayed, _) = patiently(by_hand(Replay::open(&file), old_plugin)).await;
    let expected = ["UpdateContainers of unsolicited update 1: a recorded update was not sent"];
    assert_eq!(texts(&replayed), expected);
}

#[tokio::test]
async fn nothing_is_sent_from_a_damaged_recording() {
    let (_folder, file) = recorded("v0.12.5", Marker("a"), Options::default()).await;
    let bytes = std::fs::read(&file).unwrap();
    for (end, kind) in [
        (bytes.len() - 1, ErrorKind::Truncated),
        (bytes.len() / 2, ErrorKind::Truncated),
        (3, ErrorKind::Truncated),
        (0, ErrorKind::Truncated),
    ] {
        std::fs::write(&file, &bytes[..end]).unwrap();
        let (ours, theirs) = tokio::io::duplex(64);
        let error = Replay::open(&file).run(ours).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert_eq!(error.file(), Some(&*file));
        drop(theirs);
    }
}

#[tokio::test]
async fn one_of_several_connections_has_to_be_chosen() {
    let runtime = Runtime::start("v0.12.5").await;
    let recording = Recording::start(&runtime, open());
    let plugins = [
        run(Marker("a"), &recording.socket),
        run(Reversed, &recording.socket),
    ];
    runtime.plugins(2).await;
    // Both set the same variable, which the adaptation refuses.
    let _ = runtime
        .adaptation
        .create_container(&pod("web"), &container("web"))
        .await;
    let (file, _) = recording.finish().await;
    plugins.iter().for_each(|plugin| plugin.abort());

    let error = nri_conformance::replay(&file, Marker("a"))
        .run()
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Selection);
    let help = error.help().unwrap();
    assert!(help.contains("(10-marker, 3 requests)"), "{help}");
    assert!(help.contains("(20-reversed, 3 requests)"), "{help}");

    let connections = Replay::open(&file).connections().await.unwrap();
    let marker = connections
        .iter()
        .find(|info| info.plugin == "10-marker")
        .unwrap();
    let replay = nri_conformance::replay(&file, Marker("a")).connection(marker.number);
    replay.run().await.unwrap().assert();
    let replay = nri_conformance::replay(&file, Marker("a")).connection(3);
    assert_eq!(replay.run().await.unwrap_err().kind(), ErrorKind::Selection);
}

#[tokio::test]
async fn the_original_speed_keeps_the_recorded_distances() {
    let (_folder, file) = session();
    let stop = StopPodSandboxRequest {
        pod: Some(pod("web")),
    }
    .encode_to_vec();
    let exchanges = [
        configure(EventMask::ALL),
        ("StopPodSandbox", stop.clone(), Some(Ok(Vec::new()))),
        ("StopPodSandbox", stop, Some(Ok(Vec::new()))),
    ];
    write(&file, Source::Proxy, &exchanges, None);
    let takes_all = |_: &Call| Ok(Bytes::new());
    let replay = Replay::open(&file).speed(Speed::Original);
    let (replayed, _) = patiently(by_hand(replay, takes_all)).await;
    replayed.assert();
    assert!(
        replayed.elapsed >= Duration::from_millis(40),
        "{replayed:?}"
    );
}
