//! The statements of the lifecycle contract that a relay can keep or break, by their ids.

use nri::adaptation::{Adaptation, ErrorPolicy, OnError, OutcomeResult, Reason, State};
use nri::api::{Event, EventMask, SynchronizeRequest, SynchronizeResponse};
use nri::wire::Code;

use crate::peer::{Peer, Script};
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
        crate::peer::Answer::With(bytes::Bytes::from_static(b"\xff\xff")),
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
async fn e6_plugins_that_accepted_a_rejected_pod_are_told_if_asked_for() {
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
async fn y2_a_synchronize_in_parts_is_marked_and_whole() {
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
async fn y2_a_plugin_that_does_not_echo_more_is_refused() {
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
async fn a_synchronize_that_is_too_large_for_the_plugin_is_split_down_to_a_floor() {
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
