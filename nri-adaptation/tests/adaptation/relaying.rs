//! Events reach plugins in order, and what the plugins answer comes back.

use nri::api::{ContainerAdjustment, CreateContainerResponse, Event, EventMask, StateChangeEvent};
use nri::wire::Code;
use nri_adaptation::{OutcomeResult, Reason, Via};

use crate::peer::{Peer, Script, patiently};
use crate::plugins::{adaptation, container, pod, shown};

#[tokio::test]
async fn every_event_reaches_a_plugin_through_its_own_rpc() {
    let adaptation = adaptation().await;
    let peer = Peer::join(&adaptation, Script::new("10", "all")).await;
    let (pod, container) = (pod("p"), container("c"));
    let resources = Default::default();
    adaptation.run_pod_sandbox(&pod).await.unwrap();
    adaptation.update_pod_sandbox(&pod, Some(&resources), Some(&resources)).await.unwrap();
    adaptation.post_update_pod_sandbox(&pod).await.unwrap();
    adaptation.create_container(&pod, &container).await.unwrap();
    adaptation.post_create_container(&pod, &container).await.unwrap();
    adaptation.start_container(&pod, &container).await.unwrap();
    adaptation.post_start_container(&pod, &container).await.unwrap();
    adaptation.update_container(&pod, &container, &resources).await.unwrap();
    adaptation.post_update_container(&pod, &container).await.unwrap();
    adaptation.stop_container(&pod, &container).await.unwrap();
    adaptation.remove_container(&pod, &container).await.unwrap();
    adaptation.stop_pod_sandbox(&pod).await.unwrap();
    let removed = adaptation.remove_pod_sandbox(&pod).await.unwrap();
    assert_eq!(
        peer.events(),
        [
            "RunPodSandbox",
            "UpdatePodSandbox",
            "PostUpdatePodSandbox",
            "CreateContainer",
            "ValidateContainerAdjustment",
            "PostCreateContainer",
            "StartContainer",
            "PostStartContainer",
            "UpdateContainer",
            "PostUpdateContainer",
            "StopContainer",
            "RemoveContainer",
            "StopPodSandbox",
            "RemovePodSandbox",
        ]
    );
    assert_eq!(shown(&removed.outcomes), ["10-all answered"]);
    assert_eq!(removed.outcomes[0].via, Some(Via::Dedicated));
}

#[tokio::test]
async fn p2_plugins_are_called_in_the_order_of_their_indexes() {
    let adaptation = adaptation().await;
    for index in ["50", "05", "99", "05"] {
        Peer::join(&adaptation, Script::new(index, "plugin")).await;
    }
    let relayed = adaptation.run_pod_sandbox(&pod("p")).await.unwrap();
    let order =
        ["05-plugin answered", "05-plugin answered", "50-plugin answered", "99-plugin answered"];
    assert_eq!(shown(&relayed.outcomes), order);
}

#[tokio::test]
async fn p6_a_plugin_gets_what_it_subscribed_to() {
    let adaptation = adaptation().await;
    let mask = EventMask::from_event(Event::StopPodSandbox);
    let peer = Peer::join(&adaptation, Script::new("10", "stops").events(mask.bits())).await;
    let run = adaptation.run_pod_sandbox(&pod("p")).await.unwrap();
    assert_eq!(run.outcomes[0].result, OutcomeResult::NotSubscribed);
    adaptation.stop_pod_sandbox(&pod("p")).await.unwrap();
    assert_eq!(peer.events(), ["StopPodSandbox"]);
}

#[tokio::test]
async fn an_adjustment_comes_back() {
    let adaptation = adaptation().await;
    let adjust = ContainerAdjustment {
        annotations: [("a".to_owned(), "b".to_owned())].into(),
        ..ContainerAdjustment::default()
    };
    let answer =
        CreateContainerResponse { adjust: Some(adjust), ..CreateContainerResponse::default() };
    let script = Script::new("10", "adjusts").message("CreateContainer", &answer);
    let _peer = Peer::join(&adaptation, script).await;
    let created = adaptation.create_container(&pod("p"), &container("c")).await.unwrap();
    assert_eq!(created.answer.adjust.annotations["a"], "b");
}

#[tokio::test]
async fn w3_an_rpc_that_a_plugin_lacks_is_repeated_as_state_change_and_remembered() {
    let adaptation = adaptation().await;
    let script = Script::new("10", "old").error("RunPodSandbox", Code::UNIMPLEMENTED, "no");
    let peer = Peer::join(&adaptation, script).await;
    let first = adaptation.run_pod_sandbox(&pod("p")).await.unwrap();
    let second = adaptation.run_pod_sandbox(&pod("q")).await.unwrap();
    assert_eq!(peer.events(), ["RunPodSandbox", "StateChange", "StateChange"]);
    for (relayed, fell_back) in [(first, true), (second, false)] {
        let outcome = &relayed.outcomes[0];
        assert_eq!(outcome.result, OutcomeResult::Answered);
        assert_eq!((outcome.via, outcome.fell_back), (Some(Via::StateChange), fell_back));
    }
    let changes = peer.requests::<StateChangeEvent>("StateChange");
    assert_eq!(changes[1].event(), Event::RunPodSandbox);
    assert_eq!(changes[1].pod, Some(pod("q")));
}

#[tokio::test]
async fn a_plugin_that_makes_the_next_request_too_large_is_blamed_for_it() {
    let adaptation = adaptation().await;
    let adjust = ContainerAdjustment {
        args: vec![String::new(); (2 << 20) - 100],
        ..ContainerAdjustment::default()
    };
    let answer =
        CreateContainerResponse { adjust: Some(adjust), ..CreateContainerResponse::default() };
    let greedy = Script::new("10", "greedy").message("CreateContainer", &answer);
    let _greedy = Peer::join(&adaptation, greedy).await;
    let honest = Peer::join(&adaptation, Script::new("50", "honest")).await;
    let mut container = container("c");
    container.env = vec!["x".repeat(8 << 10)];
    let error = adaptation.create_container(&pod("p"), &container).await.unwrap_err();
    assert_eq!((error.plugin(), error.reason()), (Some("10-greedy"), Reason::TooLarge), "{error}");
    assert!(
        error.to_string().contains("the CreateContainer request to the next plugin"),
        "{error}"
    );
    assert!(honest.events().is_empty());
}

/// A long name, which the request to validators repeats for each annotation.
const LONG_NAME: &str = "greedy-plugin-with-a-name-that-is-as-long-as-a-sentence-about-it";

/// The request to validators names the owner of each annotation, so that it is larger than the
/// request to any plugin.
#[tokio::test]
async fn a_plugin_that_makes_the_request_to_validators_too_large_is_blamed_for_it() {
    let adaptation = adaptation().await;
    let annotations = (0..50_000).map(|number| (number.to_string(), String::new())).collect();
    let adjust = ContainerAdjustment { annotations, ..ContainerAdjustment::default() };
    let answer =
        CreateContainerResponse { adjust: Some(adjust), ..CreateContainerResponse::default() };
    let greedy = Script::new("10", LONG_NAME).message("CreateContainer", &answer);
    let _greedy = Peer::join(&adaptation, greedy).await;
    let modest = Peer::join(&adaptation, Script::new("20", "modest")).await;
    let validator = Peer::join(&adaptation, Script::new("50", "validator")).await;
    let error = adaptation.create_container(&pod("p"), &container("c")).await.unwrap_err();
    assert_eq!(error.plugin(), Some(&*format!("10-{LONG_NAME}")), "{error}");
    assert_eq!(error.reason(), Reason::TooLarge);
    assert!(error.to_string().contains("too large for validators"), "{error}");
    assert_eq!(modest.events(), ["CreateContainer"]);
    assert_eq!(validator.events(), ["CreateContainer"]);
}

#[tokio::test]
async fn a_request_that_is_dropped_does_not_hold_up_the_next_one() {
    let adaptation = adaptation().await;
    let script = Script::new("10", "slow").never("RunPodSandbox");
    let mut peer = Peer::join(&adaptation, script).await;
    let running = {
        let adaptation = adaptation.clone();
        tokio::spawn(async move { adaptation.run_pod_sandbox(&pod("p")).await })
    };
    peer.arrival("RunPodSandbox").await;
    running.abort();
    let stopped = patiently(adaptation.stop_pod_sandbox(&pod("p"))).await.unwrap();
    assert_eq!(shown(&stopped.outcomes), ["10-slow answered"]);
    assert_eq!(peer.events(), ["RunPodSandbox", "StopPodSandbox"]);
}
