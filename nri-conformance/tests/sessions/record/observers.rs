//! The observing plugin: records its requests, and reconnects.

use std::future::pending;

use nri_adaptation::Adaptation;
use nri_conformance::record::{ErrorKind, FrameEvent, Options, Reader, Source, observe};
use tokio::sync::oneshot;

use super::support::{Marker, Runtime, Shared, container, patiently, pod, until};

#[tokio::test]
async fn every_event_is_recorded_and_replayed_without_answers() {
    for release in ["v0.8.0", "v0.12.5"] {
        let runtime = Runtime::start(release).await;
        let (file, socket) = (runtime.path("session.nri"), runtime.path("nri.sock"));
        let output = nri_conformance::record::create_file(&file).unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let observing = tokio::spawn(async move {
            let asked = async { _ = stopped.await };
            observe(&socket, "99", output, Options::default(), asked).await
        });
        runtime.plugins(1).await;
        assert!(format!("{:?}", runtime.adaptation.plugins()).contains("nri-recorder"));
        runtime.pod_life("web").await;
        stop.send(()).unwrap();
        let figures = patiently(observing).await.unwrap().unwrap();
        assert_eq!((figures.connections, figures.lost), (1, 0));

        let mut reader = Reader::open(&file).unwrap();
        assert_eq!(reader.header().source, Source::Observer);
        let frames: Vec<_> = std::iter::from_fn(|| reader.next_frame().unwrap()).collect();
        let requests = frames.iter().filter(|frame| {
            matches!(&frame.event, FrameEvent::Request(request) if request.service.ends_with("Plugin"))
        });
        // Configure, Synchronize, and the eight events of the pod's life; a container that is
        // created may be validated.
        let count = requests.count();
        let validated = usize::from(release == "v0.12.5");
        assert_eq!(count, 10 + validated, "{release}: {frames:?}");

        let replayed = nri_conformance::replay(&file, Marker("a")).run().await.unwrap();
        replayed.assert();
        assert_eq!((replayed.requests, replayed.compared), (5, 0));
    }
}

#[tokio::test]
async fn it_connects_again_when_the_runtime_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("nri.sock");
    let start = || Adaptation::builder("containerd", "v2.4.2").listen(&socket).start();
    let first = start().await.unwrap();
    let output = Shared::default();
    let (stop, stopped) = oneshot::channel::<()>();
    let observing = {
        let (socket, output) = (socket.clone(), output.clone());
        tokio::spawn(async move {
            let asked = async { _ = stopped.await };
            observe(&socket, "99", output, Options::default(), asked).await
        })
    };
    until(|| first.plugins().len() == 1).await;
    first.stop().await;
    drop(first);
    let second = start().await.unwrap();
    until(|| second.plugins().len() == 1).await;
    second.create_container(&pod("web"), &container("web")).await.unwrap();
    stop.send(()).unwrap();
    let figures = patiently(observing).await.unwrap().unwrap();
    assert_eq!(figures.connections, 2);
    let text = String::from_utf8(output.bytes()).unwrap();
    assert!(text.contains(r#""connection":1,"event":"closed","by":"runtime""#), "{text}");
    assert!(text.contains(r#""connection":2,"event":"closed","by":"recorder""#), "{text}");
}

#[tokio::test]
async fn a_runtime_that_is_not_there_or_refuses_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("nri.sock");
    let absent = observe(&socket, "99", Shared::default(), Options::default(), pending());
    let error = patiently(absent).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connection);
    assert!(error.to_string().contains("nri.sock"), "{error}");
    assert!(error.help().is_some());

    let runtime = Runtime::start("v0.12.5").await;
    let (served, output) = (runtime.path("nri.sock"), Shared::default());
    let refusing = observe(&served, "not two digits", output, Options::default(), pending());
    let refused = patiently(refusing).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Connection);
}
