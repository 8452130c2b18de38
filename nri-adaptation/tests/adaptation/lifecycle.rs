//! The statements of the lifecycle contract that a relay can keep or break, by their ids.
//!
//! Those about duties of plugins (W) and about Synchronize (Y) are here or in the other files, next
//! to what they belong to. Of a duty of plugins, a relay has the other half: W11 asks a plugin for
//! an answer in time although other requests are outstanding, so the relay must not let the time
//! run before the request is sent.
//!
//! A relay can neither keep nor break these, because the runtime alone decides when it sends an
//! event and what exists then: R1 to R7, S1, S2, S4, D1 to D3, O1 to O3, O6. It does not see P4
//! either: what a plugin does to the infrastructure of a pod.

use std::sync::Arc;

use nri::api::RunPodSandboxRequest;
use nri_adaptation::Adaptation;
use tokio::sync::Notify;

use crate::errors::failing;
use crate::peer::{Answer, Peer, Script, patiently};
use crate::plugins::{adaptation, container, pod, shown};

/// Two plugins, the second of which answers an RPC when permitted, and the permission.
async fn holding(adaptation: &Adaptation, method: &'static str) -> (Peer, Peer, Arc<Notify>) {
    let permission = Arc::new(Notify::new());
    let first = Peer::join(adaptation, Script::new("10", "first")).await;
    let script = Script::new("20", "slow").on(method, Answer::After(Arc::clone(&permission)));
    (first, Peer::join(adaptation, script).await, permission)
}

#[tokio::test]
async fn s3_s5_o7_stop_returns_only_after_every_hook_has() {
    let adaptation = adaptation().await;
    let (_first, mut slow, permission) = holding(&adaptation, "StopPodSandbox").await;
    let stopped = tokio::spawn({
        let adaptation = adaptation.clone();
        async move { adaptation.stop_pod_sandbox(&pod("p")).await }
    });
    slow.arrival("StopPodSandbox").await;
    assert!(!stopped.is_finished());
    permission.notify_one();
    let relayed = patiently(stopped).await.unwrap().unwrap();
    assert_eq!(shown(&relayed.outcomes), ["10-first answered", "20-slow answered"]);
}

#[tokio::test]
async fn o4_stop_and_remove_wait_for_run() {
    let adaptation = adaptation().await;
    let (first, mut slow, permission) = holding(&adaptation, "RunPodSandbox").await;
    let pod = pod("p");
    let (run, ()) = tokio::join!(biased; adaptation.run_pod_sandbox(&pod), async {
        slow.arrival("RunPodSandbox").await;
        let (stop, remove, ()) = tokio::join!(
            biased;
            adaptation.stop_pod_sandbox(&pod),
            adaptation.remove_pod_sandbox(&pod),
            async {
                assert_eq!(first.events(), ["RunPodSandbox"]);
                permission.notify_one();
            },
        );
        stop.unwrap();
        remove.unwrap();
    });
    run.unwrap();
    for peer in [first, slow] {
        assert_eq!(peer.events(), ["RunPodSandbox", "StopPodSandbox", "RemovePodSandbox"]);
    }
}

#[tokio::test]
async fn o5_p1_no_container_is_created_or_started_before_every_run_hook_has_returned() {
    let adaptation = adaptation().await;
    let (first, mut slow, permission) = holding(&adaptation, "RunPodSandbox").await;
    let (pod, container) = (pod("p"), container("c"));
    let (run, ()) = tokio::join!(biased; adaptation.run_pod_sandbox(&pod), async {
        slow.arrival("RunPodSandbox").await;
        let (created, started, ()) = tokio::join!(
            biased;
            adaptation.create_container(&pod, &container),
            adaptation.start_container(&pod, &container),
            async {
                assert_eq!(first.events(), ["RunPodSandbox"]);
                permission.notify_one();
            },
        );
        created.unwrap();
        started.unwrap();
    });
    run.unwrap();
    let events =
        ["RunPodSandbox", "CreateContainer", "ValidateContainerAdjustment", "StartContainer"];
    assert_eq!(slow.events(), events);
}

#[tokio::test]
async fn p8_stop_and_remove_of_a_pod_that_no_plugin_knows_are_relayed() {
    let adaptation = adaptation().await;
    let peer = Peer::join(&adaptation, Script::new("10", "plugin")).await;
    let unknown = pod("never-seen");
    for relayed in
        [adaptation.stop_pod_sandbox(&unknown).await, adaptation.remove_pod_sandbox(&unknown).await]
    {
        assert_eq!(shown(&relayed.unwrap().outcomes), ["10-plugin answered"]);
    }
    assert_eq!(peer.events(), ["StopPodSandbox", "RemovePodSandbox"]);
}

#[tokio::test]
async fn p9_a_rejected_pod_is_retried_with_a_new_id_at_every_plugin() {
    let adaptation = adaptation().await;
    let first = Peer::join(&adaptation, Script::new("05", "first")).await;
    let (bad, _good) = failing(&adaptation, "RunPodSandbox").await;
    adaptation.run_pod_sandbox(&pod("p-1")).await.unwrap_err();
    bad.kill();
    patiently(async {
        while adaptation.plugins().len() > 2 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let retried = adaptation.run_pod_sandbox(&pod("p-2")).await.unwrap();
    assert_eq!(shown(&retried.outcomes), ["05-first answered", "20-good answered"]);
    let runs = first.requests::<RunPodSandboxRequest>("RunPodSandbox");
    let ids: Vec<_> = runs.into_iter().map(|run| run.pod.unwrap().id).collect();
    assert_eq!(ids, ["p-1", "p-2"]);
}

#[tokio::test]
async fn p3_remove_reaches_a_plugin_that_missed_stop() {
    let adaptation = adaptation().await;
    adaptation.stop_pod_sandbox(&pod("p")).await.unwrap();
    let late = Peer::join(&adaptation, Script::new("10", "late")).await;
    adaptation.remove_pod_sandbox(&pod("p")).await.unwrap();
    assert_eq!(late.events(), ["RemovePodSandbox"]);
}

#[tokio::test]
async fn p7_stop_may_be_repeated() {
    let adaptation = adaptation().await;
    let peer = Peer::join(&adaptation, Script::new("10", "plugin")).await;
    adaptation.stop_pod_sandbox(&pod("p")).await.unwrap();
    adaptation.stop_pod_sandbox(&pod("p")).await.unwrap();
    assert_eq!(peer.events(), ["StopPodSandbox", "StopPodSandbox"]);
}
