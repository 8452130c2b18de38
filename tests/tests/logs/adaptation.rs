//! The warnings that `LogDeprecations` writes through `tracing`, as `nri-compat logs` reads them.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use nri::api::{Container, PodSandbox};
use nri_adaptation::{Adaptation, LogDeprecations, OutcomeResult};
use nri_compat::sighting::Interface;
use nri_tests::logs::{Plugin, plugins, read};
use nri_tests::pinned;
use nri_tests_bindings::containerd_2_2 as api;

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
    tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).init();
    relay().await;
    let log = kept.text();
    let events = ["RunPodSandbox", "StopPodSandbox", "StartContainer"];
    let expected = ["10-old", "20-older"].map(|name| Plugin {
        name: name.to_owned(),
        events: events.map(str::to_owned).into(),
        interface: Interface::StateChange,
        count: 3,
    });
    let shown = String::from_utf8_lossy(&log);
    assert_eq!(plugins(&read(&log)), expected, "{shown}");
}
