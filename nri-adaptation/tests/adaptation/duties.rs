//! The relay's half of the duties of plugins (W) and of Synchronize (Y).

use std::sync::Arc;

use bytes::Bytes;
use nri::adjust::Adjustment;
use nri::api::{
    CreateContainerResponse, Event, LinuxResources, RegisterPluginRequest, StateChangeEvent,
    SynchronizeRequest, SynchronizeResponse,
};
use nri::codec::Message as _;
use nri::wire::{Channels, Code, Connection, Ended, Limits, Request, Service, Status};
use nri_adaptation::Adaptation;
use tokio::sync::Notify;

use crate::peer::{Answer, Peer, Script, patiently};
use crate::plugins::{Cluster, SHORT, adaptation, builder, container, pod, shown};

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
    let pods: Vec<_> = parts.iter().flat_map(|part| &part.pods).map(|pod| &pod.id).collect();
    assert_eq!(
        pods,
        (0..3_000).map(|id| format!("p{id}")).collect::<Vec<_>>().iter().collect::<Vec<_>>()
    );
    let containers: usize = parts.iter().map(|part| part.containers.len()).sum();
    assert_eq!(containers, 6_000);
}

#[tokio::test]
async fn w9_y2_a_plugin_that_does_not_echo_more_is_refused() {
    let adaptation = builder().callbacks(Cluster::of(3_000, 0, 2_000)).start().await.unwrap();
    let deaf = Script::new("10", "deaf").message("Synchronize", &SynchronizeResponse::default());
    let (_peer, joined) = Peer::try_join(&adaptation, deaf).await;
    let error = joined.unwrap_err().to_string();
    assert!(error.contains("plugin does not handle split sync requests"), "{error}");
    assert!(adaptation.plugins().is_empty());
}

#[tokio::test]
async fn y2_a_plugin_that_waits_for_more_after_the_last_part_is_refused() {
    let adaptation = builder().start().await.unwrap();
    let answer = SynchronizeResponse { more: true, ..SynchronizeResponse::default() };
    let waiting = Script::new("10", "waiting").message("Synchronize", &answer);
    let (_peer, joined) = Peer::try_join(&adaptation, waiting).await;
    let error = joined.unwrap_err().to_string();
    assert!(error.contains("waits for more pods and containers"), "{error}");
    assert!(adaptation.plugins().is_empty());
}

#[tokio::test]
async fn w8_a_synchronize_that_is_too_large_for_the_plugin_is_split_down_to_a_floor() {
    let adaptation = builder().callbacks(Cluster::of(100, 0, 10)).start().await.unwrap();
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

#[tokio::test]
async fn w8_an_empty_state_is_one_part() {
    let adaptation = adaptation().await;
    let peer = Peer::join(&adaptation, Script::new("10", "empty")).await;
    let parts: Vec<SynchronizeRequest> = peer.requests("Synchronize");
    assert_eq!(parts, [SynchronizeRequest::default()]);
}

#[tokio::test]
async fn w5_each_event_arrives_once_whichever_rpc_carries_it() {
    let adaptation = adaptation().await;
    let script = Script::new("10", "mixed").error("RunPodSandbox", Code::UNIMPLEMENTED, "");
    let mixed = Peer::join(&adaptation, script).await;
    for _ in ["first", "again"] {
        adaptation.run_pod_sandbox(&pod("p")).await.unwrap();
        adaptation.start_container(&pod("p"), &container("c")).await.unwrap();
    }
    // The first attempt is refused. After it, the plugin counts as an old one, as under the
    // reference runtime.
    let expected = ["RunPodSandbox", "StateChange", "StateChange", "StateChange", "StateChange"];
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
        let lacking = RPCS_OF_EVENTS.iter().fold(Script::new("10", "lacking"), |script, rpc| {
            script.error(rpc, Code::UNIMPLEMENTED, "")
        });
        let peer = Peer::join(&adaptation, lacking).await;
        every_event(&adaptation).await;
        let changes = peer.requests::<StateChangeEvent>("StateChange");
        let carried: Vec<_> = changes.iter().map(|change| change.event).collect();
        let with_an_answer = [
            Event::CreateContainer,
            Event::UpdateContainer,
            Event::StopContainer,
            Event::UpdatePodSandbox,
        ];
        let expected: Vec<_> = (1..=last)
            .filter(|number| with_an_answer.iter().all(|event| *event as i32 != *number))
            .collect();
        assert_eq!(carried, expected, "{release}");
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
    let _ = adaptation.update_container(pod, container, &resources).await;
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
    let relays: Vec<_> = (0..5)
        .map(|nth| {
            let adaptation = adaptation.clone();
            tokio::spawn(async move { adaptation.run_pod_sandbox(&pod(&nth.to_string())).await })
        })
        .collect();
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
    let (stub, caller) = Connection::new(theirs, Channels::PLUGIN, Limits::default());
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
        caller.call(runtime, "RegisterPlugin", register, None).await.unwrap();
        joining.await.unwrap().unwrap();
        adaptation.create_container(&pod, &container).await.unwrap()
    };
    let (ended, created) = patiently(async { tokio::join!(leaving, relaying) }).await;
    assert_eq!(ended.unwrap(), Ended::ByShutdown);
    assert_eq!(created.answer.adjust.env[0].key, "LAST");
    assert_eq!(shown(&created.outcomes)[0], "10-leaving answered");
}

/// A plugin that is asked to end as soon as it gets CreateContainer, and answers that before it
/// does.
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
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
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
