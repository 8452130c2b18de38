//! The events of `nri-adaptation` in `tracing`, as `nri-compat logs` reads them: the warnings of
//! `LogDeprecations`, and the reasons for refusing plugins.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nri::api::{Container, PodSandbox};
use nri_adaptation::{Adaptation, LogDeprecations, OutcomeResult};
use nri_compat::sighting::Interface;
use nri_tests::logs::{Plugin, plugins, read};
use nri_tests::pinned;
use nri_tests_bindings::containerd_2_2 as api;
use tracing_subscriber::util::SubscriberInitExt as _;

/// A plugin built before v0.12.0, which knows pods and containers through StateChange only.
pub(crate) struct Old;

impl api::Plugin for Old {
    async fn configure(
        &self,
        _: api::ConfigureRequest,
    ) -> Result<api::ConfigureResponse, api::Status> {
        let events = api::EventMask::ALL.bits();
        Ok(api::ConfigureResponse { events })
    }

    async fn synchronize(
        &self,
        request: api::SynchronizeRequest,
    ) -> Result<api::SynchronizeResponse, api::Status> {
        let more = request.more;
        Ok(api::SynchronizeResponse { more, ..Default::default() })
    }

    async fn state_change(&self, _: api::StateChangeEvent) -> Result<api::Empty, api::Status> {
        Ok(api::Empty::default())
    }
}

/// Keeps what is logged.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    fn text(&self) -> Vec<u8> {
        self.0.lock().expect("not poisoned").clone()
    }
}

impl Write for Kept {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("not poisoned").extend_from_slice(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sends two old plugins three events, one of them twice.
async fn relay() {
    let adaptation = Adaptation::builder("runtime", "v1")
        .deprecations(LogDeprecations)
        .start()
        .await
        .expect("starts");
    for (index, name) in [("10", "old"), ("20", "older")] {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        tokio::spawn(pinned::serve(Old, theirs, name.to_owned(), index.to_owned()));
        adaptation.connect(ours).await.expect("joins");
    }
    let (pod, container) = (PodSandbox::default(), Container::default());
    for relayed in [
        adaptation.run_pod_sandbox(&pod).await,
        adaptation.start_container(&pod, &container).await,
        adaptation.start_container(&pod, &container).await,
        adaptation.stop_pod_sandbox(&pod).await,
    ] {
        let outcomes = relayed.expect("is relayed").outcomes;
        let results: Vec<_> = outcomes.iter().map(|outcome| outcome.result).collect();
        assert_eq!(results, [OutcomeResult::Answered; 2]);
    }
    adaptation.stop().await;
}

#[tokio::test]
async fn deprecations_that_the_adaptation_logs_are_found() {
    let kept = Kept::default();
    let writer = kept.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone());
    let logging = subscriber.finish().set_default();
    relay().await;
    drop(logging);
    let log = kept.text();
    let events = ["RunPodSandbox", "StopPodSandbox", "StartContainer"];
    let expected = ["10-old", "20-older"].map(|name| Plugin {
        name: name.to_owned(),
        events: events.map(str::to_owned).into(),
        interface: Interface::StateChange,
        // Its registration, its connection, and three warnings.
        count: 5,
    });
    let shown = String::from_utf8_lossy(&log);
    assert_eq!(plugins(&read(&log)), expected, "{shown}");
}

/// A plugin that misbehaves when it joins.
struct Bad(Fault);

enum Fault {
    /// Subscribes to events that come after all known ones.
    Events,
    Configure,
    Synchronize,
}

impl api::Plugin for Bad {
    async fn configure(
        &self,
        _: api::ConfigureRequest,
    ) -> Result<api::ConfigureResponse, api::Status> {
        match self.0 {
            Fault::Events => Ok(api::ConfigureResponse { events: 0x40_0001 }),
            Fault::Configure => Err(refusal("no such class")),
            Fault::Synchronize => Ok(api::ConfigureResponse { events: 1 }),
        }
    }

    async fn synchronize(
        &self,
        _: api::SynchronizeRequest,
    ) -> Result<api::SynchronizeResponse, api::Status> {
        Err(refusal("cannot read the state"))
    }
}

fn refusal(why: &str) -> api::Status {
    api::Status::new(api::Code(3), why)
}

/// Lets each of these plugins join, one that does not register, and one that leaves.
async fn join_badly() {
    let adaptation = Adaptation::builder("runtime", "v1")
        .registration_timeout(Duration::from_millis(50))
        .start()
        .await
        .expect("starts");
    for (index, fault) in
        [("10", Fault::Events), ("20", Fault::Configure), ("30", Fault::Synchronize)]
    {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        tokio::spawn(pinned::serve(Bad(fault), theirs, "bad".to_owned(), index.to_owned()));
        adaptation.connect(ours).await.expect_err("is refused");
    }
    let (ours, _silent) = tokio::io::duplex(64 << 10);
    adaptation.connect(ours).await.expect_err("does not register");
    let (near, far) = tokio::io::duplex(64 << 10);
    let leaving = tokio::spawn(pinned::serve(Old, far, "old".to_owned(), "40".to_owned()));
    adaptation.connect(near).await.expect("joins");
    leaving.abort();
    while !adaptation.plugins().is_empty() {
        tokio::task::yield_now().await;
    }
    adaptation.stop().await;
}

#[tokio::test]
async fn what_the_adaptation_logs_of_failing_plugins_are_the_same_incidents() {
    let kept = Kept::default();
    let writer = kept.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone());
    let logging = subscriber.finish().set_default();
    join_badly().await;
    drop(logging);
    let log = kept.text();
    let found = read(&log);
    let shown = String::from_utf8_lossy(&log);
    let rules = |index: Option<&str>| -> Vec<&str> {
        let of = found.sightings.iter().filter(|one| one.index.as_deref() == index);
        of.flat_map(|one| &one.incidents).map(|incident| incident.rule).collect()
    };
    assert_eq!(rules(Some("10")), ["INCIDENT_EVENTS_UNKNOWN"], "{shown}");
    assert_eq!(rules(Some("20")), ["INCIDENT_CONFIGURE_FAILED"], "{shown}");
    assert_eq!(rules(Some("30")), ["INCIDENT_SYNCHRONIZE_FAILED"], "{shown}");
    assert_eq!(rules(Some("40")), ["INCIDENT_DISCONNECTED"], "{shown}");
    assert_eq!(rules(None), ["INCIDENT_REGISTRATION_TIMEOUT"], "{shown}");
}
