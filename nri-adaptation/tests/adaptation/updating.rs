//! Updates that plugins send on their own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use nri::api::{Container, ContainerUpdate, UpdateContainersRequest, UpdateContainersResponse};
use nri::codec::Message as _;
use nri::wire::Code;
use nri_adaptation::{Adaptation, OutcomeResult, Requested, RuntimeCallbacks, State};
use tokio::sync::Notify;

use crate::garbage::raw;
use crate::peer::{Answer, Peer, Script, patiently};
use crate::plugins::{Cluster, adaptation, builder, pod};

#[tokio::test]
async fn w14_updates_reach_the_runtime_which_may_call_back() {
    let cluster = Cluster::default();
    let adaptation = builder().callbacks(cluster.clone()).start().await.unwrap();
    let _ = cluster.0.reentrant.set(adaptation.clone());
    let peer = Peer::join(&adaptation, Script::new("10", "asks")).await;
    let request = UpdateContainersRequest {
        update: vec![ContainerUpdate::new("c")],
        evict: vec![nri::api::ContainerEviction::new("d", "why")],
    };
    let answer = peer.call("UpdateContainers", &request).await.unwrap();
    assert!(UpdateContainersResponse::decode(answer).unwrap().failed.is_empty());
    assert_eq!(peer.events(), ["UpdateContainer"], "the callback called back");
    let requested = cluster.0.requested.lock().unwrap().clone();
    assert_eq!(requested[0].plugin.to_string(), "10-asks");
    assert_eq!((&requested[0].updates, &requested[0].evictions), (&request.update, &request.evict));
    adaptation.stop().await;
}

/// A runtime whose callbacks change its state and add plugins.
#[derive(Clone, Default)]
struct Reentrant {
    adaptation: Arc<OnceLock<Adaptation>>,
    asked: Arc<AtomicUsize>,
}

impl Reentrant {
    async fn start() -> Adaptation {
        let runtime = Reentrant::default();
        let adaptation = builder().callbacks(runtime.clone()).start().await.unwrap();
        let _ = runtime.adaptation.set(adaptation.clone());
        adaptation
    }

    fn adaptation(&self) -> &Adaptation {
        self.adaptation.get().expect("has started")
    }
}

impl RuntimeCallbacks for Reentrant {
    async fn synchronize(&self, _: &mut State) -> nri::Result<()> {
        drop(self.adaptation().sync_guard().await);
        if self.asked.fetch_add(1, Ordering::SeqCst) == 0 {
            let (ours, theirs) = tokio::io::duplex(64 << 10);
            let (_peer, register) = Peer::over(theirs, Script::new("20", "nested"));
            let (joined, _) = tokio::join!(self.adaptation().connect(ours), register);
            joined?;
        }
        Ok(())
    }

    async fn update_containers(&self, _: Requested) -> nri::Result<Vec<ContainerUpdate>> {
        drop(self.adaptation().sync_guard().await);
        Ok(Vec::new())
    }
}

#[tokio::test]
async fn the_callback_that_collects_the_state_may_hold_a_guard_and_add_a_plugin() {
    let adaptation = Reentrant::start().await;
    patiently(Peer::join(&adaptation, Script::new("10", "first"))).await;
    assert_eq!(adaptation.plugins()[0].to_string(), "10-first");
    drop(patiently(adaptation.sync_guard()).await);
}

#[tokio::test]
async fn the_callback_of_updates_may_hold_a_guard_while_the_plugin_synchronizes() {
    let adaptation = Reentrant::start().await;
    let go_on = Arc::new(Notify::new());
    let script = Script::new("10", "asks").on("Synchronize", Answer::After(Arc::clone(&go_on)));
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (mut peer, register) = Peer::over(theirs, script);
    let joining = adaptation.clone();
    let joined = tokio::spawn(async move { joining.connect(ours).await });
    register.await.unwrap();
    peer.arrival("Synchronize").await;
    // The plugin answers Synchronize only after its update.
    let request = UpdateContainersRequest::default();
    patiently(peer.call("UpdateContainers", &request)).await.unwrap();
    go_on.notify_one();
    patiently(joined).await.unwrap().unwrap();
}

#[tokio::test]
async fn updates_before_the_registration_are_refused() {
    let adaptation = adaptation().await;
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (peer, _register) = Peer::over(theirs, Script::new("10", "hasty"));
    let joining = adaptation.clone();
    tokio::spawn(async move { joining.connect(ours).await });
    let error = peer.call("UpdateContainers", &UpdateContainersRequest::default()).await;
    assert_eq!(error.unwrap_err().code(), Code::FAILED_PRECONDITION);
}

#[tokio::test]
async fn a_flood_of_updates_is_bounded_and_events_get_through() {
    let cluster = Cluster::default();
    let adaptation = builder().callbacks(cluster.clone()).start().await.unwrap();
    let peer = Arc::new(Peer::join(&adaptation, Script::new("10", "flood")).await);
    let flood: Vec<_> = (0..1_000)
        .map(|_| {
            let peer = Arc::clone(&peer);
            tokio::spawn(async move {
                peer.call("UpdateContainers", &UpdateContainersRequest::default()).await
            })
        })
        .collect();
    for id in 0..20 {
        let relayed = adaptation.run_pod_sandbox(&pod(&id.to_string())).await.unwrap();
        assert_eq!(relayed.outcomes[0].result, OutcomeResult::Answered);
    }
    for call in flood {
        match call.await.unwrap() {
            Ok(_) => {}
            Err(error) => assert_eq!(error.code(), Code::RESOURCE_EXHAUSTED),
        }
    }
}

/// A runtime whose answers are large.
struct Verbose;

impl RuntimeCallbacks for Verbose {
    async fn synchronize(&self, _: &mut State) -> nri::Result<()> {
        Ok(())
    }

    async fn update_containers(&self, _: Requested) -> nri::Result<Vec<ContainerUpdate>> {
        Ok(vec![ContainerUpdate::new("c".repeat(1 << 20))])
    }
}

#[tokio::test]
async fn plugins_that_never_read_take_no_turns_from_others() {
    let adaptation = builder().callbacks(Verbose).start().await.unwrap();
    let mut silent = Vec::new();
    for index in ["10", "11", "12"] {
        let mut raw = raw(&adaptation, index).await;
        for call in 1..=64 {
            raw.update_containers(2 * call + 1).await;
        }
        silent.push(raw);
    }
    let peer = Peer::join(&adaptation, Script::new("20", "reads")).await;
    let request = UpdateContainersRequest::default();
    patiently(peer.call("UpdateContainers", &request)).await.unwrap();
}

#[tokio::test]
async fn a_request_that_would_not_fit_into_memory_is_refused_and_the_plugin_stays() {
    let cluster = Cluster::default();
    let adaptation = builder().callbacks(cluster.clone()).start().await.unwrap();
    let peer = Peer::join(&adaptation, Script::new("10", "many")).await;
    let empties = |count| UpdateContainersRequest {
        update: vec![ContainerUpdate::default(); count],
        ..Default::default()
    };
    let error = peer.call("UpdateContainers", &empties(3 << 19)).await.unwrap_err();
    assert_eq!(error.code(), Code::RESOURCE_EXHAUSTED);
    let message = error.to_string();
    assert!(
        message.contains("UpdateContainersRequest.update: the message needs more than "),
        "{message}"
    );
    peer.call("UpdateContainers", &empties(100_000)).await.unwrap();
    assert_eq!(cluster.0.requested.lock().unwrap()[0].updates.len(), 100_000);
}

#[tokio::test]
async fn an_answer_that_would_not_fit_into_memory_is_named() {
    let adaptation = adaptation().await;
    let answer = [0x12, 0].repeat(3 << 19);
    let script = Script::new("10", "many").on("CreateContainer", Answer::With(answer.into()));
    let _peer = Peer::join(&adaptation, script).await;
    let error = adaptation.create_container(&pod("p"), &Container::default()).await.unwrap_err();
    assert_eq!(error.plugin(), Some("10-many"));
    let message = error.to_string();
    assert!(
        message.contains("CreateContainerResponse.update: the message needs more than "),
        "{message}"
    );
    assert_eq!(adaptation.plugins().len(), 1, "it stays connected");
}

/// A runtime that takes its time to apply updates of the plugin `10-large`.
struct Slow(Arc<Notify>);

impl RuntimeCallbacks for Slow {
    async fn synchronize(&self, _: &mut State) -> nri::Result<()> {
        Ok(())
    }

    async fn update_containers(&self, requested: Requested) -> nri::Result<Vec<ContainerUpdate>> {
        if requested.plugin.index == "10" {
            self.0.notified().await;
        }
        Ok(Vec::new())
    }
}

#[tokio::test]
async fn large_requests_delay_no_small_ones_and_no_events() {
    let go_on = Arc::new(Notify::new());
    let adaptation = builder().callbacks(Slow(Arc::clone(&go_on))).start().await.unwrap();
    let large = Arc::new(Peer::join(&adaptation, Script::new("10", "large")).await);
    let request = UpdateContainersRequest {
        update: vec![ContainerUpdate::new("c".repeat(1 << 20))],
        ..Default::default()
    };
    let waiting: Vec<_> = (0..8)
        .map(|_| {
            let (large, request) = (Arc::clone(&large), request.clone());
            tokio::spawn(async move { large.call("UpdateContainers", &request).await })
        })
        .collect();
    let small = Peer::join(&adaptation, Script::new("20", "small")).await;
    small.call("UpdateContainers", &UpdateContainersRequest::default()).await.unwrap();
    adaptation.run_pod_sandbox(&pod("p")).await.unwrap();
    for call in waiting {
        go_on.notify_one();
        call.abort();
    }
}
