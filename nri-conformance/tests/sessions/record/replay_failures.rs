//! Replays to plugins that fail, stay silent, or are gone.

use std::time::Duration;

use bytes::Bytes;
use nri::prelude::*;
use nri::wire::{Channels, Code, Connection as Wire, Limits, Request as Call, Service, Status};
use nri_conformance::record::replay::{DifferenceKind, Replay};
use nri_conformance::record::{ErrorKind, Source};

use super::by_hand::{configure, create, session, write};
use super::support::{Marker, patiently, plugin_at};

/// Fails every container.
#[derive(NriPlugin)]
#[nri(name = "broken", index = "30")]
struct Broken;

impl CreateContainer for Broken {
    async fn create_container(
        &self,
        _: &EventContext,
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
    let channels = Channels::PLUGIN;
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
    let replay = Replay::new(&file, plugin_at(ours)).timeout(within);
    let replayed = tokio::select! {
        replayed = replay.run() => replayed.unwrap(),
        _ = connection.serve(&Silent) => panic!("closed early"),
        () = register => unreachable!(),
    };
    assert_eq!(replayed.differences.len(), 1);
    assert_eq!(replayed.differences[0].kind, DifferenceKind::NoAnswer(within));
    assert_eq!(replayed.skipped.after_end, 3);

    let broken = nri_conformance::replay(&file, Broken).run().await.unwrap();
    let failed =
        DifferenceKind::Status { recorded: None, got: Some(Status::new(Code::UNKNOWN, "no")) };
    let kinds: Vec<_> = broken.differences.into_iter().map(|it| it.kind).collect();
    assert_eq!(kinds, vec![failed; 4]);
}

#[tokio::test]
async fn a_lost_connection_is_a_difference_and_ends_the_replay() {
    let (_folder, file) = session();
    let mut exchanges = vec![configure(EventMask::ALL)];
    exchanges.extend((0..4).map(|_| create(Some(Ok(Vec::new())))));
    write(&file, Source::Proxy, &exchanges, None);
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let channels = Channels::PLUGIN;
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
    let replay = Replay::new(&file, plugin_at(ours));
    let (replayed, ()) = patiently(async { tokio::join!(replay.run(), plugin) }).await;
    let replayed = replayed.unwrap();
    assert_eq!(replayed.differences[0].kind, DifferenceKind::Closed);
    assert_eq!(replayed.skipped.after_end, 3);
}

#[tokio::test]
async fn a_plugin_that_does_not_register_is_an_error() {
    let (_folder, file) = session();
    write(&file, Source::Proxy, &[configure(EventMask::ALL)], None);
    let (silent, _theirs) = tokio::io::duplex(64 << 10);
    let impatient =
        Replay::new(&file, plugin_at(silent)).registration_timeout(Duration::from_millis(20));
    let late = patiently(impatient.run()).await.unwrap_err();
    assert_eq!(late.kind(), ErrorKind::Registration);
    assert_eq!(late.to_string(), "the plugin did not register within 20ms");

    let (closed, theirs) = tokio::io::duplex(64 << 10);
    drop(theirs);
    let lost = patiently(Replay::new(&file, plugin_at(closed)).run()).await.unwrap_err();
    assert_eq!(lost.kind(), ErrorKind::Registration);
    assert!(lost.to_string().contains("closed the connection"), "{lost}");
}

/// Needs a configuration.
#[derive(NriPlugin)]
#[nri(name = "configured", index = "30")]
struct Configured;

impl Configure for Configured {
    async fn configure(&self, _: &EventContext, config: Config) -> nri::Result<Subscription> {
        match config.text() {
            "good" => Ok(Subscription::Handled),
            other => Err(nri::Error::new(format!("{other:?} is not good"))),
        }
    }
}

impl CreateContainer for Configured {
    async fn create_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<Adjustment> {
        Ok(Adjustment::new())
    }
}

#[tokio::test]
async fn another_configuration_replaces_the_recorded_one() {
    let (_folder, file) = session();
    let created = EventMask::EMPTY.with(Event::CreateContainer);
    write(&file, Source::Proxy, &[configure(created)], None);
    let recorded = nri_conformance::replay(&file, Configured).run().await.unwrap();
    assert_eq!(recorded.differences.len(), 1, "{recorded:?}");
    let replay = nri_conformance::replay(&file, Configured).plugin_config("good");
    let configured = replay.run().await.unwrap();
    assert!(configured.is_same(), "{configured:?}");
}
