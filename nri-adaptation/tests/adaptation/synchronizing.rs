//! Y1: every pod and container reaches a plugin exactly once, in Synchronize or in an event.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nri::api::{
    Event, PodSandbox, RemovePodSandboxRequest, RunPodSandboxRequest, StopPodSandboxRequest,
    SynchronizeRequest,
};
use nri_adaptation::{Adaptation, OutcomeResult, Via};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::peer::{Answer, Peer, Script, patiently};
use crate::plugins::{Cluster, SHORT, builder, container, pod};
use crate::threads::on_thread;

/// Returns a plugin that is in the middle of Synchronize, until it may go on.
async fn held(
    adaptation: &Adaptation,
    script: Script,
) -> (Peer, Arc<Notify>, JoinHandle<nri::Result<nri_adaptation::PluginId>>) {
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
        let relayed = adaptation.stop_pod_sandbox(&crate::plugins::pod(id)).await.unwrap();
        assert_eq!(relayed.outcomes[0].result, OutcomeResult::Queued);
    }
    go_on.notify_one();
    let relayed = patiently(run).await.unwrap().unwrap();
    assert_eq!(relayed.outcomes[0].result, OutcomeResult::Answered, "it is waited for");
    adaptation.post_create_container(&pod, &container).await.unwrap();
    patiently(joined).await.unwrap().unwrap();
    let events = peer.events();
    assert_eq!(events.len(), 5, "{events:?}");
    assert_eq!(events[4], "PostCreateContainer");
    let stopped = peer.requests::<StopPodSandboxRequest>("StopPodSandbox");
    let ids: Vec<_> = stopped.into_iter().map(|stop| stop.pod.unwrap().id).collect();
    assert_eq!(ids, ["x", "y", "z"]);
    let late: Vec<_> = cluster.0.late.lock().unwrap().iter().map(|(event, _)| *event).collect();
    assert_eq!(late, [Event::StopPodSandbox; 3], "and their outcomes are reported");
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

#[tokio::test(start_paused = true)]
async fn y1_an_event_whose_wait_behind_synchronize_expires_is_still_delivered_once() {
    let cluster = Cluster::default();
    let adaptation =
        builder().callbacks(cluster.clone()).request_timeout(SHORT).start().await.unwrap();
    let stops = Arc::new(Notify::new());
    let script = Script::new("10", "late").on("StopPodSandbox", Answer::After(Arc::clone(&stops)));
    let (mut peer, go_on, joined) = held(&adaptation, script).await;
    tokio::time::sleep(SHORT / 2).await;
    adaptation.stop_pod_sandbox(&pod("x")).await.unwrap();
    let (run, ()) =
        tokio::join!(async { adaptation.run_pod_sandbox(&pod("p")).await.unwrap() }, async {
            tokio::time::sleep(SHORT / 4).await;
            go_on.notify_one();
            peer.arrival("StopPodSandbox").await;
        });
    assert_eq!(run.outcomes[0].result, OutcomeResult::Queued);
    assert_eq!(run.outcomes[0].error.as_deref(), Some("still synchronizing"));
    stops.notify_one();
    patiently(joined).await.unwrap().unwrap();
    assert_eq!(peer.events(), ["StopPodSandbox", "RunPodSandbox"]);
    let late: Vec<_> = cluster
        .0
        .late
        .lock()
        .unwrap()
        .iter()
        .map(|(event, outcome)| (*event, outcome.result))
        .collect();
    let answered = OutcomeResult::Answered;
    assert_eq!(late, [(Event::StopPodSandbox, answered), (Event::RunPodSandbox, answered)]);
}

/// How often the plugin is restarted.
const RESTARTS: usize = 1_000;

/// Pods that each worker keeps.
const KEPT: usize = 5;

/// Creates pods `worker/0`, `worker/1` and so on, and removes the oldest ones, holding guards,
/// until it is done.
async fn churn(adaptation: Adaptation, cluster: Cluster, worker: usize, done: Arc<AtomicBool>) {
    let id = |round: usize| format!("{worker}/{round}");
    for round in 0.. {
        if done.load(Ordering::Relaxed) {
            break;
        }
        let guard = adaptation.sync_guard().await;
        cluster.0.pods.lock().unwrap().push(pod(&id(round)));
        adaptation.run_pod_sandbox(&pod(&id(round))).await.unwrap();
        drop(guard);
        if let Some(oldest) = round.checked_sub(KEPT) {
            let removing = adaptation.sync_guard().await;
            cluster.forget_pod(&id(oldest));
            adaptation.remove_pod_sandbox(&pod(&id(oldest))).await.unwrap();
            drop(removing);
        }
        tokio::task::yield_now().await;
    }
}

/// The pods that one connection of a plugin knows: for each worker, consecutive rounds.
///
/// A missing pod leaves a gap, and a duplicate goes back.
#[derive(Debug, Default, PartialEq)]
struct Known(BTreeMap<String, Range<usize>>);

impl Known {
    /// Returns what the requests that reached the plugin amount to.
    fn of(peer: &Peer) -> Self {
        let mut known = Known::default();
        for got in peer.got() {
            match &*got.method {
                "Synchronize" => {
                    known.synchronize(got.read::<SynchronizeRequest>().pods);
                }
                "RunPodSandbox" => known.run(got.read::<RunPodSandboxRequest>().pod.unwrap()),
                "RemovePodSandbox" => {
                    known.remove(got.read::<RemovePodSandboxRequest>().pod.unwrap());
                }
                _ => {}
            }
        }
        known
    }

    fn synchronize(&mut self, mut pods: Vec<PodSandbox>) {
        assert!(self.0.is_empty(), "synchronized twice");
        pods.sort_by_key(place);
        for pod in pods {
            let (worker, round) = place(&pod);
            self.0.entry(worker).or_insert(round..round);
            self.run(pod);
        }
    }

    fn run(&mut self, pod: PodSandbox) {
        let (worker, round) = place(&pod);
        let rounds = self.0.entry(worker).or_default();
        assert_eq!(rounds.end, round, "RunPodSandbox of {}", pod.id);
        rounds.end += 1;
    }

    fn remove(&mut self, pod: PodSandbox) {
        let (worker, round) = place(&pod);
        let rounds = self.0.entry(worker).or_default();
        assert_eq!(rounds.start, round, "RemovePodSandbox of {}", pod.id);
        rounds.start += 1;
    }
}

/// Returns the worker and the round of a pod.
fn place(pod: &PodSandbox) -> (String, usize) {
    let (worker, round) = pod.id.split_once('/').expect("named by a worker");
    (worker.to_owned(), round.parse().expect("a number"))
}

#[tokio::test]
async fn y1_w15_a_plugin_restarted_a_thousand_times_accounts_for_every_pod() {
    let cluster = Cluster::default();
    let adaptation = builder().callbacks(cluster.clone()).start().await.unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let workers: Vec<_> = (0..4)
        .map(|worker| {
            let done = Arc::clone(&done);
            on_thread(churn(adaptation.clone(), cluster.clone(), worker, done))
        })
        .collect();
    let mut events = 0;
    let mut peer = Peer::join(&adaptation, Script::new("10", "restarted")).await;
    for _ in 0..RESTARTS {
        let next = Peer::join(&adaptation, Script::new("10", "restarted")).await;
        peer.kill();
        Known::of(&peer);
        events += peer.events().len();
        peer = next;
    }
    done.store(true, Ordering::Relaxed);
    for worker in workers {
        patiently(worker).await.unwrap();
    }
    assert!(events > RESTARTS, "only {events} events in {RESTARTS} connections");
    let mut expected = Known::default();
    expected.synchronize(std::mem::take(&mut *cluster.0.pods.lock().unwrap()));
    assert_eq!(Known::of(&peer), expected);
}
