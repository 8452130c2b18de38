//! The proxy: forwards unchanged, records both sides, and ends cleanly.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use nri_conformance::record::{
    Closer, ErrorKind, Frame, FrameEvent, Options, Party, Payload, Proxy, Reader, Source,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};

use super::support::{Marker, Recording, Runtime, Shared, patiently, recorded, run, until};

fn frames(file: &Path) -> Vec<Frame> {
    let mut reader = Reader::open(file).unwrap();
    std::iter::from_fn(|| reader.next_frame().unwrap()).collect()
}

/// Returns the methods of the requests of one side.
fn methods(frames: &[Frame], side: Party) -> Vec<&str> {
    let requests = frames.iter().filter_map(|frame| match &frame.event {
        FrameEvent::Request(request) if request.by == side => Some(&*request.method),
        _ => None,
    });
    requests.collect()
}

#[tokio::test]
async fn both_sides_are_recorded() {
    let (_folder, file) = recorded("v0.12.5", Marker("a"), Options::default()).await;
    let header = Reader::open(&file).unwrap().header().clone();
    assert_eq!(header.nri.as_deref(), Some("v0.12.5"));
    assert_eq!(header.runtime.as_deref(), Some("containerd"));
    assert_eq!(header.runtime_version.as_deref(), Some("v2.4.2"));
    assert_eq!(header.source, Source::Proxy);
    assert!(header.redacted);

    let frames = frames(&file);
    assert_eq!(methods(&frames, Party::Plugin), ["RegisterPlugin"]);
    let expected =
        ["Configure", "Synchronize", "RunPodSandbox", "CreateContainer", "StopPodSandbox"];
    assert_eq!(methods(&frames, Party::Runtime), expected);
    let answers = |side| {
        let of_side = |frame: &&Frame| matches!(&frame.event, FrameEvent::Response(response) if response.by == side);
        frames.iter().filter(of_side).count()
    };
    assert_eq!((answers(Party::Runtime), answers(Party::Plugin)), (1, 5));
    assert!(frames.is_sorted_by_key(|frame| frame.at));
    assert_eq!(frames[0].event, FrameEvent::Opened);
    let closed = FrameEvent::Closed { by: Closer::Recorder, reason: None };
    assert_eq!(frames.last().unwrap().event, closed);
}

#[tokio::test]
async fn an_old_runtime_is_recorded_as_it_speaks() {
    let (_folder, file) = recorded("v0.11.0", Marker("a"), Options::default()).await;
    let frames = frames(&file);
    let expected = ["Configure", "Synchronize", "StateChange", "CreateContainer", "StateChange"];
    assert_eq!(methods(&frames, Party::Runtime), expected);
    assert_eq!(Reader::open(&file).unwrap().header().nri, None);
}

#[tokio::test]
async fn secrets_are_recorded_only_on_request() {
    for redact in [true, false] {
        let mut options = Options::default();
        options.redact = redact;
        let (_folder, file) = recorded("v0.12.5", Marker("hunter2"), options).await;
        let mut secrets = 0;
        for frame in frames(&file) {
            let payload = match frame.event {
                FrameEvent::Request(request) => request.payload,
                FrameEvent::Response(response) => response.result.unwrap(),
                FrameEvent::Opened
                | FrameEvent::Other { .. }
                | FrameEvent::Lost { .. }
                | FrameEvent::Closed { .. } => continue,
            };
            let Payload::Bytes(bytes) = payload else {
                panic!("withheld");
            };
            secrets += bytes.windows(7).filter(|part| part == b"hunter2").count();
        }
        // Three requests with the pod's annotation, one with a variable, and two values in the
        // answer.
        assert_eq!(secrets, if redact { 0 } else { 6 });
    }
}

#[tokio::test]
async fn several_plugins_are_recorded_at_once() {
    let runtime = Runtime::start("v0.12.5").await;
    let recording = Recording::start(&runtime, Options::default());
    let plugins: Vec<_> = (0..5).map(|_| run(Marker("same"), &recording.socket)).collect();
    runtime.plugins(5).await;
    for number in 0..10 {
        runtime.pod_life(&format!("web-{number}")).await;
    }
    let (file, figures) = recording.finish().await;
    plugins.iter().for_each(|plugin| plugin.abort());

    assert_eq!((figures.connections, figures.lost, figures.dropped), (5, 0, 0));
    let frames = frames(&file);
    assert_eq!(figures.frames, frames.len() as u64);
    for connection in 1..=5 {
        let of_one: Vec<_> =
            frames.iter().filter(|frame| frame.connection == connection).cloned().collect();
        let methods = methods(&of_one, Party::Runtime);
        let runs = methods.iter().filter(|method| **method == "RunPodSandbox");
        assert_eq!(runs.count(), 10, "connection {connection}");
    }
}

#[tokio::test]
async fn bytes_of_any_kind_are_forwarded_unchanged_and_their_end_too() {
    let folder = tempfile::tempdir().unwrap();
    let (listen, socket) = (folder.path().join("proxy"), folder.path().join("runtime"));
    let runtime = UnixListener::bind(&socket).unwrap();
    let proxy = Proxy::bind(&listen, &socket).unwrap();
    let mode = std::fs::metadata(&listen).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let output = Shared::default();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let recording = tokio::spawn(proxy.record(output.clone(), Options::default(), async {
        _ = stopped.await;
    }));

    let mut plugin = UnixStream::connect(&listen).await.unwrap();
    let (mut served, _) = patiently(runtime.accept()).await.unwrap();
    let noise: Vec<u8> = (0..3_000_000_u32).map(|n| (n % 251) as u8).collect();
    let (mut from_plugin, mut from_runtime) = (Vec::new(), Vec::new());
    let (plugin_noise, runtime_noise) = (noise.clone(), noise.clone());
    let one = async {
        plugin.write_all(&plugin_noise).await.unwrap();
        plugin.shutdown().await.unwrap();
        plugin.read_to_end(&mut from_runtime).await.unwrap();
    };
    let other = async {
        served.read_to_end(&mut from_plugin).await.unwrap();
        // The plugin has closed its side only.
        served.write_all(&runtime_noise).await.unwrap();
        served.shutdown().await.unwrap();
    };
    patiently(async { tokio::join!(one, other) }).await;
    assert!(from_plugin == noise && from_runtime == noise);

    stop.send(()).unwrap();
    let figures = patiently(recording).await.unwrap().unwrap();
    assert_eq!((figures.connections, figures.lost), (1, 1));
    let bytes = output.bytes();
    let mut reader = Reader::new(&bytes[..]).unwrap();
    let frames: Vec<_> = std::iter::from_fn(|| reader.next_frame().unwrap()).collect();
    assert!(matches!(&frames[1].event, FrameEvent::Lost { reason } if reason.contains("decoded")));
    assert!(!listen.exists());
}

#[tokio::test]
async fn a_plugin_that_ends_is_recorded_as_closing_the_connection() {
    let runtime = Runtime::start("v0.12.5").await;
    let listen = runtime.path("proxy.sock");
    let proxy = Proxy::bind(&listen, runtime.path("nri.sock")).unwrap();
    let output = Shared::default();
    let recorded = proxy.record(output.clone(), Options::default(), std::future::pending());
    let recording = tokio::spawn(recorded);
    let plugin = run(Marker("a"), &listen);
    runtime.plugins(1).await;
    plugin.abort();
    let closed = r#""connection":1,"event":"closed","by":"plugin"}"#;
    until(|| String::from_utf8(output.bytes()).unwrap().contains(closed)).await;
    recording.abort();
}

#[tokio::test]
async fn without_a_runtime_plugins_are_turned_away_until_there_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let (listen, socket) = (folder.path().join("proxy"), folder.path().join("runtime"));
    let proxy = Proxy::bind(&listen, &socket).unwrap();
    let forwarding =
        tokio::spawn(proxy.record(std::io::sink(), Options::default(), std::future::pending()));
    let mut early = UnixStream::connect(&listen).await.unwrap();
    assert_eq!(patiently(early.read(&mut [0])).await.unwrap(), 0);

    let runtime = UnixListener::bind(&socket).unwrap();
    let _late = UnixStream::connect(&listen).await.unwrap();
    patiently(runtime.accept()).await.unwrap();
    forwarding.abort();
}

#[tokio::test]
async fn a_path_in_use_is_refused_and_a_stale_socket_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proxy");
    let listener = UnixListener::bind(&path).unwrap();
    let error = Proxy::bind(&path, "runtime").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connection);
    assert!(error.to_string().ends_with("in use"), "{error}");
    drop(listener);
    drop(Proxy::bind(&path, "runtime").unwrap());

    std::fs::write(&path, "not a socket").unwrap();
    assert_eq!(Proxy::bind(&path, "runtime").unwrap_err().kind(), ErrorKind::Connection);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "not a socket");
}

#[tokio::test]
async fn a_full_disk_stops_the_recording_and_not_the_plugins() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let runtime = Runtime::start("v0.12.5").await;
    let listen = runtime.path("proxy.sock");
    let proxy = Proxy::bind(&listen, runtime.path("nri.sock")).unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let recording = tokio::spawn(proxy.record(Full, Options::default(), async {
        _ = stopped.await;
    }));
    let plugin = run(Marker("a"), &listen);
    runtime.plugins(1).await;
    for number in 0..20 {
        runtime.pod_life(&format!("web-{number}")).await;
    }
    assert_eq!(runtime.adaptation.plugins().len(), 1);
    stop.send(()).unwrap();
    let error = patiently(recording).await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    plugin.abort();
}
