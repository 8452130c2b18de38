//! Y1: every pod and container reaches a plugin exactly once, in Synchronize or in an event.

use std::sync::Arc;

use nri::adaptation::{Adaptation, OutcomeResult, Via};
use nri::api::{
    Event, PodSandbox, RunPodSandboxRequest, StopPodSandboxRequest, SynchronizeRequest,
};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::peer::{Answer, Peer, Script, patiently};
use crate::plugins::{Cluster, SHORT, builder, container, pod};

/// A plugin that is in the middle of Synchronize, until it may go on.
async fn held(
    adaptation: &Adaptation,
    script: Script,
) -> (
    Peer,
    Arc<Notify>,
    JoinHandle<nri::Result<nri::adaptation::PluginId>>,
) {
    let go_on = Arc::new(Notify::new());
    let script = script.on("Synchronize", Answer::After(Arc::clone(&go_on)));
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (mut peer, register) = Peer::over(theirs, script);
    let joining = adaptation.clone();
    let joined = tokio::spawn(async move { joining.connect(ours).await });
    register.await.expect("is registered");
    peer.arrival("Synchronize").await;
    (peer, go_on, joined)
}

#[tokio::test]
async fn y1_events_during_synchronize_are_delivered_after_it_in_order_and_once() {
    let cluster = Cluster::default();
    let adaptation = builder().callbacks(cluster.clone()).start().await.unwrap();
    let (peer, go_on, joined) = held(&adaptation, Script::new("10", "late")).await;
    let (pod, container) = (pod("p"), container("c"));
    let run = tokio::spawn({
        let (adaptation, pod) = (adaptation.clone(), pod.clone());
        async move { adaptation.run_pod_sandbox(&pod).await }
    });
    for id in ["x", "y", "z"] {
        let relayed = adaptation
            .stop_pod_sandbox(&crate::plugins::pod(id))
            .await
            .unwrap();
        assert_eq!(relayed.outcomes[0].result, OutcomeResult::Queued);
    }
    go_on.notify_one();
    let run = patiently(run).await.unwrap().unwrap();
    assert_eq!(
        run.outcomes[0].result,
        OutcomeResult::Answered,
        "it is waited for"
    );
    adaptation
        .post_create_container(&pod, &container)
        .await
        .unwrap();
    patiently(joined).await.unwrap().unwrap();
    let events = peer.events();
    assert_eq!(events.len(), 5, "{events:?}");
    assert_eq!(events[4], "PostCreateContainer");
    let stopped = peer.requests::<StopPodSandboxRequest>("StopPodSandbox");
    let ids: Vec<_> = stopped
        .into_iter()
        .map(|stop| stop.pod.unwrap().id)
        .collect();
    assert_eq!(ids, ["x", "y", "z"]);
    let late: Vec<_> = cluster
        .0
        .late
        .lock()
        .unwrap()
        .iter()
        .map(|(event, _)| *event)
        .collect();
    assert_eq!(
        late,
        [Event::StopPodSandbox; 3],
        "and their outcomes are reported"
    );
}

#[tokio::test]
async fn y1_a_synchronous_event_waits_for_a_plugin_that_synchronizes() {
    let adaptation = builder().request_timeout(SHORT * 4).start().await.unwrap();
    let (peer, go_on, joined) = held(&adaptation, Script::new("10", "late")).await;
    let (pod, container) = (pod("p"), container("c"));
    let (done, relayed) = tokio::join!(
        async {
            tokio::time::sleep(SHORT).await;
            go_on.notify_one();
            patiently(joined).await.unwrap()
        },
        adaptation.create_container(&pod, &container),
    );
    done.unwrap();
    assert_eq!(relayed.unwrap().outcomes[0].via, Some(Via::Dedicated));
    assert_eq!(peer.events()[0], "CreateContainer");
}

#[tokio::test]
async fn y1_a_full_queue_disconnects_the_plugin_so_that_it_synchronizes_again() {
    let adaptation = builder().sync_queue(2).start().await.unwrap();
    let (_peer, _go_on, joined) = held(&adaptation, Script::new("10", "late")).await;
    let mut results = Vec::new();
    for id in ["a", "b", "c", "d"] {
        let relayed = adaptation.stop_pod_sandbox(&pod(id)).await.unwrap();
        results.extend(relayed.outcomes);
    }
    let [a, b, c] = &results[..] else {
        panic!("the plugin is gone after the third event: {results:?}");
    };
    assert_eq!([a.result, b.result], [OutcomeResult::Queued; 2]);
    assert_eq!(c.result, OutcomeResult::Disconnected);
    let reason = "more than 2 events occurred while the plugin synchronized";
    assert_eq!(c.error.as_deref(), Some(reason));
    assert!(patiently(joined).await.unwrap().is_err());
    assert!(adaptation.plugins().is_empty());
}

#[tokio::test]
async fn y1_a_guard_keeps_plugins_from_synchronizing() {
    let cluster = Cluster::default();
    let adaptation = builder().callbacks(cluster.clone()).start().await.unwrap();
    let guard = adaptation.sync_guard().await;
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (mut peer, register) = Peer::over(theirs, Script::new("10", "late"));
    let joining = adaptation.clone();
    let joined = tokio::spawn(async move { joining.connect(ours).await });
    register.await.unwrap();
    peer.arrival("Configure").await;
    cluster.0.pods.lock().unwrap().push(pod("p"));
    adaptation.run_pod_sandbox(&pod("p")).await.unwrap();
    drop(guard);
    patiently(joined).await.unwrap().unwrap();
    let state = peer.requests::<SynchronizeRequest>("Synchronize");
    assert_eq!(state[0].pods, [pod("p")]);
    assert!(peer.events().is_empty(), "the pod is reported once");
}

/// Creates and removes pods, holding guards, until the plugins have come and gone.
async fn churn(adaptation: Adaptation, cluster: Cluster, worker: usize, rounds: usize) {
    for round in 0..rounds {
        let pod = pod(&format!("{worker}-{round}"));
        let guard = adaptation.sync_guard().await;
        cluster.0.pods.lock().unwrap().push(pod.clone());
        adaptation.run_pod_sandbox(&pod).await.unwrap();
        drop(guard);
        if round % 3 == 0 {
            let guard = adaptation.sync_guard().await;
            cluster
                .0
                .pods
                .lock()
                .unwrap()
                .retain(|other| other.id != pod.id);
            adaptation.remove_pod_sandbox(&pod).await.unwrap();
            drop(guard);
        }
    }
}

/// Checks one connection: what it saw adds up, with nothing missing or doubled.
fn account(peer: &Peer) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    let mut learn = |pod: PodSandbox| {
        assert!(!known.contains(&pod.id), "{} is doubled", pod.id);
        known.push(pod.id);
    };
    let mut gone = Vec::new();
    for got in peer.got() {
        match &*got.method {
            "Synchronize" => got
                .read::<SynchronizeRequest>()
                .pods
                .into_iter()
                .for_each(&mut learn),
            "RunPodSandbox" => learn(got.read::<RunPodSandboxRequest>().pod.unwrap()),
            "RemovePodSandbox" => gone.push(got.read::<StopPodSandboxRequest>().pod.unwrap().id),
            _ => {}
        }
    }
    for pod in gone {
        let at = known
            .iter()
            .position(|id| *id == pod)
            .expect("was known before");
        known.remove(at);
    }
    known.sort();
    known
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn y1_a_plugin_that_comes_and_goes_accounts_for_every_pod() {
    let cluster = Cluster::default();
    let adaptation = builder().callbacks(cluster.clone()).start().await.unwrap();
    let workers: Vec<_> = (0..4)
        .map(|worker| tokio::spawn(churn(adaptation.clone(), cluster.clone(), worker, 150)))
        .collect();
    let mut last = None;
    while workers.iter().any(|worker| !worker.is_finished()) {
        let peer = Peer::join(&adaptation, Script::new("10", "restarted")).await;
        tokio::task::yield_now().await;
        account(&peer);
        if let Some(before) = last.replace(peer) {
            let before: Peer = before;
            before.kill();
        }
    }
    for worker in workers {
        worker.await.unwrap();
    }
    let mut expected: Vec<_> = cluster
        .0
        .pods
        .lock()
        .unwrap()
        .iter()
        .map(|pod| pod.id.clone())
        .collect();
    expected.sort();
    let peer = last.expect("at least one connection");
    assert_eq!(account(&peer), expected);
}
