//! A relay between our adaptation, which never sends StateChange, and a plugin that knows nothing
//! else.
// The plugin is one that still uses StateChange.
#![allow(deprecated)]

mod bare;
mod load;
mod never_reads;
mod old;

use std::time::Duration;

use nri::api::{ConfigureRequest, EventMask};
use nri::codec::Message as _;
use nri_adaptation::OutcomeResult;
use nri_bridge::relay::End;

use old::{Behaviour, Bridged, Old, container, handled, pod};

#[tokio::test]
async fn events_arrive_as_state_change_after_the_first_refusal() {
    let bridged = Bridged::start(Old::new(handled(), Behaviour::Answers)).await;
    for _ in 0..2 {
        let relayed = bridged.adaptation.run_pod_sandbox(&pod()).await.expect("it passes");
        assert_eq!(relayed.outcomes[0].result, OutcomeResult::Answered);
    }
    bridged.adaptation.create_container(&pod(), &container()).await.expect("it passes");
    bridged.adaptation.stop_pod_sandbox(&pod()).await.expect("it passes");
    // Not in the mask.
    bridged.adaptation.remove_pod_sandbox(&pod()).await.expect("it passes");
    let expected = [
        "Configure",
        "Synchronize",
        "RunPodSandbox",
        "StateChange RUN_POD_SANDBOX",
        "StateChange RUN_POD_SANDBOX",
        "CreateContainer",
        "StopPodSandbox",
        "StateChange STOP_POD_SANDBOX",
    ];
    assert_eq!(bridged.plugin.called(), expected);
    assert_eq!(bridged.state.translations()["RunPodSandbox"], 2);
    assert_eq!(bridged.state.serving(), 1);
    let requests = bridged.plugin.requests.lock().expect("no panic").clone();
    let configure = ConfigureRequest::decode(&requests[0].1[..]).expect("a message");
    assert_eq!((configure.request_timeout, &*configure.runtime_version), (18_000, "v2.7.0"));
}

#[tokio::test]
async fn a_refusal_with_another_code_is_one_as_well() {
    let bridged = Bridged::start(Old::new(handled(), Behaviour::Misstates)).await;
    for _ in 0..2 {
        let relayed = bridged.adaptation.run_pod_sandbox(&pod()).await.expect("it passes");
        assert_eq!(relayed.outcomes[0].result, OutcomeResult::Answered);
        assert!(!relayed.outcomes[0].fell_back);
    }
    let called = bridged.plugin.called();
    let events = ["RunPodSandbox", "StateChange RUN_POD_SANDBOX", "StateChange RUN_POD_SANDBOX"];
    assert!(called.ends_with(&events.map(str::to_owned)), "{called:?}");
}

#[tokio::test]
async fn an_error_of_the_plugin_reaches_the_runtime_as_it_is() {
    let bridged = Bridged::start(Old::new(handled(), Behaviour::Fails)).await;
    let error = bridged.adaptation.create_container(&pod(), &container()).await.expect_err("fails");
    assert!(error.to_string().contains("no luck today"), "{error}");
    assert_eq!(bridged.adaptation.plugins().len(), 1);
}

#[tokio::test]
async fn a_crash_in_the_middle_of_an_event_closes_the_connection() {
    let bridged = Bridged::start(Old::new(handled(), Behaviour::Crashes)).await;
    let relayed = bridged.adaptation.run_pod_sandbox(&pod()).await.expect("the pod runs");
    assert_eq!(relayed.outcomes[0].result, OutcomeResult::Disconnected);
    assert!(bridged.adaptation.plugins().is_empty());
    let end = bridged.end().await;
    assert!(matches!(end, End::PluginClosed), "{end}");
}

#[tokio::test]
async fn an_answer_right_before_the_end_of_the_plugin_arrives() {
    let bridged = Bridged::start(Old::new(handled(), Behaviour::AnswersAndEnds)).await;
    let relayed = bridged.adaptation.run_pod_sandbox(&pod()).await.expect("the pod runs");
    assert_eq!(relayed.outcomes[0].result, OutcomeResult::Answered);
    let end = bridged.end().await;
    assert!(matches!(end, End::PluginClosed), "{end}");
}

#[tokio::test]
async fn an_answer_that_is_too_late_closes_the_connection() {
    let plugin = Old::new(handled(), Behaviour::NeverAnswers);
    let bridged =
        Bridged::with(|builder| builder.request_timeout(Duration::from_secs(2)), plugin).await;
    let relayed = bridged.adaptation.run_pod_sandbox(&pod()).await.expect("the pod runs");
    assert_ne!(relayed.outcomes[0].result, OutcomeResult::Answered);
    assert!(bridged.adaptation.plugins().is_empty());
    let end = bridged.end().await;
    let text = end.to_string();
    assert!(text.contains("failed to handle StateChange: no answer within"), "{text}");
}

#[tokio::test]
async fn a_mask_of_0_means_all_events_of_the_runtime() {
    let bridged = Bridged::start(Old::new(EventMask::EMPTY, Behaviour::Answers)).await;
    bridged.adaptation.remove_pod_sandbox(&pod()).await.expect("it passes");
    assert_eq!(bridged.plugin.called().last().expect("events"), "StateChange REMOVE_POD_SANDBOX");
}

#[tokio::test]
async fn the_end_of_the_runtime_ends_the_relay() {
    let bridged = Bridged::start(Old::new(handled(), Behaviour::Answers)).await;
    bridged.adaptation.stop().await;
    let state = bridged.state.clone();
    let end = bridged.end().await;
    assert!(matches!(end, End::Runtime(None)), "{end}");
    assert_eq!(state.serving(), 0);
}
