//! The statements of the lifecycle contract that a relay can keep or break, by their ids.
//!
//! Those about duties of plugins (W) and about Synchronize (Y) are here or in the other files, next to what they belong
//! to. Of a duty of plugins, a relay has the other half: W11 asks a plugin for an answer in time although other requests
//! are outstanding, so the relay must not let the time run before the request is sent.
//!
//! A relay can neither keep nor break these, because the runtime alone decides when it sends an event and what exists
//! then: R1 to R7, S1, S2, S4, D1 to D3, O1 to O3, O6. It does not see P4 either: what a plugin does to the
//! infrastructure of a pod.

use std::sync::Arc;

use bytes::Bytes;
use nri::adaptation::{Adaptation, ErrorPolicy, OnError, OutcomeResult, Reason, State};
use nri::adjust::Adjustment;
use nri::api::{
    CreateContainerResponse, Event, EventMask, LinuxResources, RegisterPluginRequest,
    RunPodSandboxRequest, StateChangeEvent, SynchronizeRequest, SynchronizeResponse,
};
use nri::wire::{Channels, Code, Connection, Ended, Limits, Request, Service, Status};
use prost::Message as _;
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

#[tokio::test]
async fn w5_each_event_arrives_once_whichever_rpc_carries_it() {
    let adaptation = adaptation().await;
    let script = Script::new("10", "mixed").error("RunPodSandbox", Code::UNIMPLEMENTED, "");
    let mixed = Peer::join(&adaptation, script).await;
    for _ in ["first", "again"] {
        adaptation.run_pod_sandbox(&pod("p")).await.unwrap();
        adaptation
            .start_container(&pod("p"), &container("c"))
            .await
            .unwrap();
    }
    // The first attempt is refused, so the plugin does not have to handle it.
    let expected = [
        "RunPodSandbox",
        "StateChange",
        "StartContainer",
        "StateChange",
        "StartContainer",
    ];
    assert_eq!(mixed.events(), expected);
}

#[tokio::test]
async fn w6_state_change_carries_the_events_that_the_release_has() {
    let before_validation = Event::PostUpdatePodSandbox as i32;
    for (release, last) in [
        ("v0.8.0", Event::RemoveContainer as i32),
        ("v0.11.0", before_validation),
        ("v0.12.5", before_validation),
    ] {
        let adaptation = builder().speaking(release).start().await.unwrap();
        let lacking = Script::new("10", "lacking");
        let lacking = RPCS_OF_EVENTS.iter().fold(lacking, |script, rpc| {
            script.error(rpc, Code::UNIMPLEMENTED, "")
        });
        let peer = Peer::join(&adaptation, lacking).await;
        every_event(&adaptation).await;
        let changes = peer.requests::<StateChangeEvent>("StateChange");
        let changes: Vec<_> = changes.iter().map(|change| change.event).collect();
        let with_an_answer = [
            Event::CreateContainer,
            Event::UpdateContainer,
            Event::StopContainer,
            Event::UpdatePodSandbox,
        ];
        let expected: Vec<_> = (1..=last)
            .filter(|number| with_an_answer.iter().all(|event| *event as i32 != *number))
            .collect();
        assert_eq!(changes, expected, "{release}");
    }
}

/// The RPCs that are dedicated to an event.
const RPCS_OF_EVENTS: [&str; 13] = [
    "RunPodSandbox",
    "StopPodSandbox",
    "RemovePodSandbox",
    "CreateContainer",
    "PostCreateContainer",
    "StartContainer",
    "PostStartContainer",
    "UpdateContainer",
    "PostUpdateContainer",
    "StopContainer",
    "RemoveContainer",
    "UpdatePodSandbox",
    "PostUpdatePodSandbox",
];

/// Sends every event, in the order of their numbers. The plugin may refuse it.
async fn every_event(adaptation: &Adaptation) {
    let (pod, container) = (&pod("p"), &container("c"));
    let _ = adaptation.run_pod_sandbox(pod).await;
    let _ = adaptation.stop_pod_sandbox(pod).await;
    let _ = adaptation.remove_pod_sandbox(pod).await;
    let _ = adaptation.create_container(pod, container).await;
    let _ = adaptation.post_create_container(pod, container).await;
    let _ = adaptation.start_container(pod, container).await;
    let _ = adaptation.post_start_container(pod, container).await;
    let resources = LinuxResources::default();
    let _ = adaptation
        .update_container(pod, container, &resources)
        .await;
    let _ = adaptation.post_update_container(pod, container).await;
    let _ = adaptation.stop_container(pod, container).await;
    let _ = adaptation.remove_container(pod, container).await;
    let _ = adaptation.update_pod_sandbox(pod, None, None).await;
    let _ = adaptation.post_update_pod_sandbox(pod).await;
}

#[tokio::test(start_paused = true)]
async fn w11_waiting_behind_other_requests_is_not_part_of_the_timeout() {
    let adaptation = builder().request_timeout(SHORT).start().await.unwrap();
    let permission = Arc::new(Notify::new());
    let after = Answer::After(Arc::clone(&permission));
    let script = Script::new("10", "slow").on("RunPodSandbox", after);
    let mut slow = Peer::join(&adaptation, script).await;
    let relays = (0..5).map(|nth| {
        let adaptation = adaptation.clone();
        tokio::spawn(async move { adaptation.run_pod_sandbox(&pod(&nth.to_string())).await })
    });
    let relays: Vec<_> = relays.collect();
    for _ in &relays {
        slow.arrival("RunPodSandbox").await;
        // Together they take longer than the timeout, but none of them does alone.
        tokio::time::sleep(SHORT / 2).await;
        permission.notify_one();
    }
    for relay in relays {
        let relayed = relay.await.unwrap().unwrap();
        assert_eq!(shown(&relayed.outcomes), ["10-slow answered"]);
    }
}

#[tokio::test]
async fn w16_an_answer_that_a_plugin_sends_before_it_ends_counts() {
    let adaptation = adaptation().await;
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let connection = adaptation.clone();
    let joining = tokio::spawn(async move { connection.connect(ours).await });
    let plugin = Leaving(Notify::new());
    let (stub, caller) = Connection::new(theirs, Channels { serve: 1, call: 2 }, Limits::default());
    let leaving = async { stub.serve_until(&plugin, plugin.0.notified()).await };
    let register = RegisterPluginRequest {
        plugin_name: "leaving".to_owned(),
        plugin_idx: "10".to_owned(),
        ..RegisterPluginRequest::default()
    };
    let (pod, container) = (pod("p"), container("c"));
    let relaying = async {
        let runtime = "nri.pkg.api.v1alpha1.Runtime";
        let register = register.encode_to_vec();
        caller
            .call(runtime, "RegisterPlugin", register, None)
            .await
            .unwrap();
        joining.await.unwrap().unwrap();
        adaptation.create_container(&pod, &container).await.unwrap()
    };
    let (ended, created) = patiently(async { tokio::join!(leaving, relaying) }).await;
    assert_eq!(ended.unwrap(), Ended::ByShutdown);
    assert_eq!(created.answer.adjust.env[0].key, "LAST");
    assert_eq!(shown(&created.outcomes)[0], "10-leaving answered");
}

/// A plugin that is asked to end as soon as it gets CreateContainer, and answers that before it does.
struct Leaving(Notify);

impl Service for Leaving {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        if request.method == "CreateContainer" {
            self.0.notify_one();
            tokio::task::yield_now().await;
            let answer: CreateContainerResponse = Adjustment::new().env("LAST", "1").into();
            return Ok(answer.encode_to_vec().into());
        }
        Ok(Bytes::new())
    }
}

#[tokio::test]
async fn w17_ten_thousand_events_and_a_thousand_reconnects_leave_no_task_behind() {
    let adaptation = adaptation().await;
    let tasks = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    let before = tasks();
    for _ in 0..1_000 {
        let peer = Peer::join(&adaptation, Script::new("10", "plugin")).await;
        for _ in 0..10 {
            adaptation.run_pod_sandbox(&pod("p")).await.unwrap();
        }
        peer.kill();
        drop(peer);
        patiently(async {
            while !adaptation.plugins().is_empty() {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
    patiently(async {
        while tasks() > before {
            tokio::task::yield_now().await;
        }
    })
    .await;
}
