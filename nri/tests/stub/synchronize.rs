//! A Synchronize in parts, and one that is too large.

use std::sync::{Arc, Mutex};

use crate::support::{Runtime, patiently, pod};
use nri::ErrorKind;
use nri::api::PodSandbox;
use nri::prelude::*;
use nri::stub::Stub;
use nri::wire::CallError;

/// Remembers what Synchronize brought.
#[derive(Default, NriPlugin)]
#[nri(name = "seen", index = "20")]
struct SeenIds(Arc<Mutex<Vec<String>>>);

impl RunPodSandbox for SeenIds {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl Synchronize for SeenIds {
    async fn synchronize(
        &self,
        _: &EventContext,
        pods: Vec<PodSandbox>,
        _: Vec<Container>,
    ) -> nri::Result<Updates> {
        self.0.lock().unwrap().extend(pods.into_iter().map(|pod| pod.name));
        Ok(Updates::default())
    }
}

#[tokio::test]
async fn a_split_synchronize_reaches_the_handler_as_one() {
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let plugin = SeenIds::default();
    let ids = plugin.0.clone();
    let stub = Stub::builder(plugin).stream(ours).build().unwrap();
    let running = tokio::spawn(stub.run_until(std::future::pending()));
    let mut runtime = Runtime::over(theirs);
    runtime.registered().await;
    runtime.configure("v0.12.5").await.unwrap();
    for part in 0..50 {
        let pods = (0..400).map(|n| pod(&format!("pod-{part}-{n}"))).collect();
        let answer = runtime.synchronize(pods, Vec::new(), part < 49).await.unwrap();
        assert_eq!((answer.more, answer.update.len()), (part < 49, 0), "part {part}");
    }
    let seen = std::mem::take(&mut *ids.lock().unwrap());
    assert_eq!(seen.len(), 20_000);
    assert_eq!((&*seen[0], &*seen[19_999]), ("pod-0-0", "pod-49-399"));
    runtime.close();
    patiently(running).await.expect("no panic").unwrap();
}

#[tokio::test]
async fn a_synchronize_beyond_the_limit_ends_the_plugin_and_tells_both_figures() {
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let stub = Stub::builder(SeenIds::default()).stream(ours).max_synchronize(100).build().unwrap();
    let running = tokio::spawn(stub.run_until(std::future::pending()));
    let mut runtime = Runtime::over(theirs);
    runtime.registered().await;
    runtime.configure("v0.12.5").await.unwrap();
    let pods = (0..10).map(|n| pod(&format!("pod-{n}"))).collect();
    let Err(CallError::Status(status)) = runtime.synchronize(pods, Vec::new(), true).await else {
        panic!("is refused");
    };
    assert!(status.message.ends_with("at most 100 are accepted"), "{status}");
    let error = patiently(running).await.expect("no panic").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
}
