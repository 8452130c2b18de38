//! The statements of the lifecycle contract that a relay can keep or break, by their ids.
//!
//! Those about duties of plugins (W) and about Synchronize (Y) are in the other files, next to what they belong to.
//! Some statements are the runtime's own to keep, because they are about when it sends an event and what exists then:
//! R1 to R7, S1, S2, S4, D1 to D3, O1 to O3, O6. P4, W5, W6, W11, W16 to W18 bind plugins only; the tests of the stub have them.

use std::sync::Arc;

use nri::adaptation::{Adaptation, ErrorPolicy, OnError, OutcomeResult, Reason, State};
use nri::api::{Event, EventMask, RunPodSandboxRequest, SynchronizeRequest, SynchronizeResponse};
use nri::wire::Code;
use tokio::sync::Notify;

use crate::peer::{Answer, Peer, Script, patiently};
use crate::plugins::{Cluster, SHORT, adaptation, builder, container, pod, shown};

/// Two plugins: the first fails an RPC, the second answers.
async fn failing(adaptation: &Adaptation, method: &'static str) -> (Peer, Peer) {
    let script = Script::new("10", "bad").error(method, Code::UNKNOWN, "out of luck");
    let bad = Peer::join(adaptation, script).await;
    (bad, Peer::join(adaptation, Script::new("20", "good")).await)
}

#[tokio::test]
async fn e1_a_timeout_counts_as_an_error() {
    let policy = ErrorPolicy::default().rule("slow", EventMask::ALL, OnError::Required);
    let adaptation = builder()
        .request_timeout(SHORT)
        .error_policy(policy)
        .start()
        .await
        .unwrap();
    let _slow = Peer::join(
        &adaptation,
        Script::new("10", "slow").never("RunPodSandbox"),
    )
    .await;
    let error = adaptation.run_pod_sandbox(&pod("p")).await.unwrap_err();
    assert_eq!(
        (error.reason(), error.plugin()),
        (Reason::NoAnswer, Some("10-slow"))
    );
    assert_eq!(error.outcomes()[0].result, OutcomeResult::TimedOut);
    assert!(error.outcomes()[0].duration >= SHORT);
    assert!(adaptation.plugins().is_empty(), "it is disconnected");
}

#[tokio::test]
async fn e2_an_error_of_run_stops_the_pod_unless_a_rule_ignores_it() {
    let adaptation = adaptation().await;
    let (_bad, good) = failing(&adaptation, "RunPodSandbox").await;
    let error = adaptation.run_pod_sandbox(&pod("p")).await.unwrap_err();
    assert_eq!(
        (error.reason(), error.plugin()),
        (Reason::PluginError, Some("10-bad"))
    );
    assert!(error.to_string().contains("out of luck"), "{error}");
    assert!(good.events().is_empty(), "the chain ends");

    let run = EventMask::from_event(Event::RunPodSandbox);
    let policy = ErrorPolicy::default().rule("*", run, OnError::Ignore);
    let adaptation = builder().error_policy(policy).start().await.unwrap();
    let (_bad, good) = failing(&adaptation, "RunPodSandbox").await;
    let relayed = adaptation.run_pod_sandbox(&pod("p")).await.unwrap();
    assert_eq!(
        shown(&relayed.outcomes),
        ["10-bad ignored", "20-good answered"]
    );
    assert!(
        relayed.outcomes[0]
            .error
            .as_ref()
            .unwrap()
            .contains("out of luck")
    );
    assert_eq!(good.events(), ["RunPodSandbox"]);
}

#[tokio::test]
async fn e3_an_error_of_stop_never_stops_the_teardown() {
    let required = ErrorPolicy::default().rule("*", EventMask::ALL, OnError::Required);
    for policy in [ErrorPolicy::default(), required] {
        let adaptation = builder().error_policy(policy).start().await.unwrap();
        let _plugins = failing(&adaptation, "StopPodSandbox").await;
        let relayed = adaptation.stop_pod_sandbox(&pod("p")).await.unwrap();
        assert_eq!(
            shown(&relayed.outcomes),
            ["10-bad ignored", "20-good answered"]
        );
    }
}

#[tokio::test]
async fn e4_an_error_of_remove_never_stops_the_removal() {
    let adaptation = adaptation().await;
    let _plugins = failing(&adaptation, "RemovePodSandbox").await;
    let relayed = adaptation.remove_pod_sandbox(&pod("p")).await.unwrap();
    assert_eq!(
        shown(&relayed.outcomes),
        ["10-bad ignored", "20-good answered"]
    );
}

#[tokio::test]
async fn e5_teardown_reaches_every_plugin_whatever_earlier_ones_answer() {
    let adaptation = builder().request_timeout(SHORT).start().await.unwrap();
    let teardown = [
        "StopPodSandbox",
        "RemovePodSandbox",
        "StopContainer",
        "RemoveContainer",
    ];
    let (mut error, mut silent) = (Script::new("10", "error"), Script::new("20", "silent"));
    silent = silent.policy(true, true);
    for method in teardown {
        error = error.error(method, Code::INTERNAL, "no");
        silent = silent.never(method);
    }
    let _bad = [
        Peer::join(&adaptation, error).await,
        Peer::join(&adaptation, silent).await,
    ];
    let garbage = Script::new("30", "garbage").on(
        "StopContainer",
        Answer::With(bytes::Bytes::from_static(b"\xff\xff")),
    );
    let _garbage = Peer::join(&adaptation, garbage).await;
    let last = Peer::join(&adaptation, Script::new("90", "last")).await;
    let (pod, container) = (pod("p"), container("c"));
    adaptation.stop_container(&pod, &container).await.unwrap();
    adaptation.remove_container(&pod, &container).await.unwrap();
    adaptation.stop_pod_sandbox(&pod).await.unwrap();
    let relayed = adaptation.remove_pod_sandbox(&pod).await.unwrap();
    assert_eq!(
        last.events(),
        [
            "StopContainer",
            "RemoveContainer",
            "StopPodSandbox",
            "RemovePodSandbox"
        ]
    );
    let results = [
        "10-error ignored",
        "20-silent timed-out",
        "30-garbage answered",
        "90-last answered",
    ];
    assert_eq!(shown(&relayed.outcomes), results);
}

#[tokio::test]
async fn e6_plugins_that_accepted_a_rejected_pod_get_stop_and_remove_if_configured() {
    for rollback in [false, true] {
        let policy = ErrorPolicy::default().rollback(rollback);
        let adaptation = builder().error_policy(policy).start().await.unwrap();
        let first = Peer::join(&adaptation, Script::new("05", "first")).await;
        let (bad, good) = failing(&adaptation, "RunPodSandbox").await;
        let error = adaptation.run_pod_sandbox(&pod("p")).await.unwrap_err();
        let told: &[&str] = if rollback {
            &["RunPodSandbox", "StopPodSandbox", "RemovePodSandbox"]
        } else {
            &["RunPodSandbox"]
        };
        assert_eq!(first.events(), told);
        assert_eq!(bad.events(), ["RunPodSandbox"]);
        assert!(good.events().is_empty());
        let outcomes = ["05-first answered", "10-bad failed"];
        assert_eq!(shown(error.outcomes()), outcomes);
        assert_eq!(error.rollback().len(), if rollback { 2 } else { 0 });
    }
}

/// Two plugins, the second of which answers an RPC when it may, and the latter's permission.
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
    assert_eq!(
        shown(&relayed.outcomes),
        ["10-first answered", "20-slow answered"]
    );
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
        assert_eq!(
            peer.events(),
            ["RunPodSandbox", "StopPodSandbox", "RemovePodSandbox"]
        );
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
    let events = [
        "RunPodSandbox",
        "CreateContainer",
        "ValidateContainerAdjustment",
        "StartContainer",
    ];
    assert_eq!(slow.events(), events);
}

#[tokio::test]
async fn p8_stop_and_remove_of_a_pod_that_no_plugin_knows_are_relayed() {
    let adaptation = adaptation().await;
    let peer = Peer::join(&adaptation, Script::new("10", "plugin")).await;
    let unknown = pod("never-seen");
    for relayed in [
        adaptation.stop_pod_sandbox(&unknown).await,
        adaptation.remove_pod_sandbox(&unknown).await,
    ] {
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
    assert_eq!(
        shown(&retried.outcomes),
        ["05-first answered", "20-good answered"]
    );
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

#[tokio::test]
async fn w9_y2_a_synchronize_in_parts_is_marked_and_whole() {
    let cluster = Cluster::of(3_000, 6_000, 2_000);
    let adaptation = builder().callbacks(cluster).start().await.unwrap();
    let peer = Peer::join(&adaptation, Script::new("10", "plugin")).await;
    let parts = peer.requests::<SynchronizeRequest>("Synchronize");
    let more: Vec<_> = parts.iter().map(|part| part.more).collect();
    assert!(more.len() > 2, "{} parts", more.len());
    assert_eq!(more.iter().filter(|more| !**more).count(), 1);
    assert_eq!(more.last(), Some(&false));
    let pods: Vec<_> = parts
        .iter()
        .flat_map(|part| &part.pods)
        .map(|pod| &pod.id)
        .collect();
    assert_eq!(
        pods,
        (0..3_000)
            .map(|id| format!("p{id}"))
            .collect::<Vec<_>>()
            .iter()
            .collect::<Vec<_>>()
    );
    let containers: usize = parts.iter().map(|part| part.containers.len()).sum();
    assert_eq!(containers, 6_000);
}

#[tokio::test]
async fn w9_y2_a_plugin_that_does_not_echo_more_is_refused() {
    let adaptation = builder()
        .callbacks(Cluster::of(3_000, 0, 2_000))
        .start()
        .await
        .unwrap();
    let deaf = Script::new("10", "deaf").message("Synchronize", &SynchronizeResponse::default());
    let (_peer, joined) = Peer::try_join(&adaptation, deaf).await;
    let error = joined.unwrap_err().to_string();
    assert!(
        error.contains("plugin does not handle split sync requests"),
        "{error}"
    );
    assert!(adaptation.plugins().is_empty());
}

#[tokio::test]
async fn w8_a_synchronize_that_is_too_large_for_the_plugin_is_split_down_to_a_floor() {
    let adaptation = builder()
        .callbacks(Cluster::of(100, 0, 10))
        .start()
        .await
        .unwrap();
    let script = Script::new("10", "small").error("Synchronize", Code::RESOURCE_EXHAUSTED, "big");
    let (peer, joined) = Peer::try_join(&adaptation, script).await;
    assert!(joined.unwrap_err().to_string().contains("split messages"));
    let sizes: Vec<_> = peer
        .requests::<SynchronizeRequest>("Synchronize")
        .iter()
        .map(|part| part.pods.len())
        .collect();
    assert!(sizes.windows(2).all(|pair| pair[1] < pair[0]), "{sizes:?}");
    assert!((4..=8).contains(sizes.last().unwrap()), "{sizes:?}");
}

#[test]
fn an_empty_state_is_one_part() {
    assert_eq!(
        (State::default().pods(), State::default().containers()),
        (0, 0)
    );
}
