//! The statements of the lifecycle contract about errors of plugins (E).

use nri::api::{Event, EventMask};
use nri::wire::Code;
use nri_adaptation::{Adaptation, ErrorPolicy, OnError, OutcomeResult, Reason};

use crate::peer::{Answer, Peer, Script};
use crate::plugins::{SHORT, adaptation, builder, container, pod, shown};

/// Two plugins: the first fails an RPC, the second answers.
pub(crate) async fn failing(adaptation: &Adaptation, method: &'static str) -> (Peer, Peer) {
    let script = Script::new("10", "bad").error(method, Code::UNKNOWN, "out of luck");
    let bad = Peer::join(adaptation, script).await;
    (bad, Peer::join(adaptation, Script::new("20", "good")).await)
}

#[tokio::test]
async fn e1_a_timeout_counts_as_an_error() {
    let policy = ErrorPolicy::default().rule("slow", EventMask::ALL, OnError::Required);
    let adaptation = builder().request_timeout(SHORT).error_policy(policy).start().await.unwrap();
    let _slow = Peer::join(&adaptation, Script::new("10", "slow").never("RunPodSandbox")).await;
    let error = adaptation.run_pod_sandbox(&pod("p")).await.unwrap_err();
    assert_eq!((error.reason(), error.plugin()), (Reason::NoAnswer, Some("10-slow")));
    assert_eq!(error.outcomes()[0].result, OutcomeResult::TimedOut);
    assert!(error.outcomes()[0].duration >= SHORT);
    assert!(adaptation.plugins().is_empty(), "it is disconnected");
}

#[tokio::test]
async fn e2_an_error_of_run_stops_the_pod_unless_a_rule_ignores_it() {
    let strict = adaptation().await;
    let (_bad, skipped) = failing(&strict, "RunPodSandbox").await;
    let error = strict.run_pod_sandbox(&pod("p")).await.unwrap_err();
    assert_eq!((error.reason(), error.plugin()), (Reason::PluginError, Some("10-bad")));
    assert!(error.to_string().contains("out of luck"), "{error}");
    assert!(skipped.events().is_empty(), "the chain ends");

    let run = EventMask::from_event(Event::RunPodSandbox);
    let policy = ErrorPolicy::default().rule("*", run, OnError::Ignore);
    let lenient = builder().error_policy(policy).start().await.unwrap();
    let (_ignored, good) = failing(&lenient, "RunPodSandbox").await;
    let relayed = lenient.run_pod_sandbox(&pod("p")).await.unwrap();
    assert_eq!(shown(&relayed.outcomes), ["10-bad ignored", "20-good answered"]);
    assert!(relayed.outcomes[0].error.as_ref().unwrap().contains("out of luck"));
    assert_eq!(good.events(), ["RunPodSandbox"]);
}

#[tokio::test]
async fn e3_an_error_of_stop_never_stops_the_teardown() {
    let required = ErrorPolicy::default().rule("*", EventMask::ALL, OnError::Required);
    for policy in [ErrorPolicy::default(), required] {
        let adaptation = builder().error_policy(policy).start().await.unwrap();
        let _plugins = failing(&adaptation, "StopPodSandbox").await;
        let relayed = adaptation.stop_pod_sandbox(&pod("p")).await.unwrap();
        assert_eq!(shown(&relayed.outcomes), ["10-bad ignored", "20-good answered"]);
    }
}

#[tokio::test]
async fn e4_an_error_of_remove_never_stops_the_removal() {
    let adaptation = adaptation().await;
    let _plugins = failing(&adaptation, "RemovePodSandbox").await;
    let relayed = adaptation.remove_pod_sandbox(&pod("p")).await.unwrap();
    assert_eq!(shown(&relayed.outcomes), ["10-bad ignored", "20-good answered"]);
}

#[tokio::test]
async fn e5_teardown_reaches_every_plugin_whatever_earlier_ones_answer() {
    let adaptation = builder().request_timeout(SHORT).start().await.unwrap();
    let teardown = ["StopPodSandbox", "RemovePodSandbox", "StopContainer", "RemoveContainer"];
    let (mut error, mut silent) = (Script::new("10", "error"), Script::new("20", "silent"));
    silent = silent.policy(true, true);
    for method in teardown {
        error = error.error(method, Code::INTERNAL, "no");
        silent = silent.never(method);
    }
    let _bad = [Peer::join(&adaptation, error).await, Peer::join(&adaptation, silent).await];
    let garbage = Script::new("30", "garbage")
        .on("StopContainer", Answer::With(bytes::Bytes::from_static(b"\xff\xff")));
    let _garbage = Peer::join(&adaptation, garbage).await;
    let last = Peer::join(&adaptation, Script::new("90", "last")).await;
    let (pod, container) = (pod("p"), container("c"));
    adaptation.stop_container(&pod, &container).await.unwrap();
    adaptation.remove_container(&pod, &container).await.unwrap();
    adaptation.stop_pod_sandbox(&pod).await.unwrap();
    let relayed = adaptation.remove_pod_sandbox(&pod).await.unwrap();
    assert_eq!(
        last.events(),
        ["StopContainer", "RemoveContainer", "StopPodSandbox", "RemovePodSandbox"]
    );
    let results =
        ["10-error ignored", "20-silent timed-out", "30-garbage answered", "90-last answered"];
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
        let notified: &[&str] = if rollback {
            &["RunPodSandbox", "StopPodSandbox", "RemovePodSandbox"]
        } else {
            &["RunPodSandbox"]
        };
        assert_eq!(first.events(), notified);
        assert_eq!(bad.events(), ["RunPodSandbox"]);
        assert!(good.events().is_empty());
        let outcomes = ["05-first answered", "10-bad failed"];
        assert_eq!(shown(error.outcomes()), outcomes);
        assert_eq!(error.rollback().len(), if rollback { 2 } else { 0 });
    }
}
