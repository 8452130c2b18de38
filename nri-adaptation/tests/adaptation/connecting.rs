//! Plugins connect over a socket, run in this process, come and go.

use std::sync::Arc;
use std::time::Duration;

use nri::api::{
    Container, ContainerAdjustment, CreateContainerResponse, Event, EventMask, Hook, Hooks,
    KeyValue, ValidateContainerAdjustmentRequest,
};
use nri::prelude::*;
use nri::stub::Stub;
use nri_adaptation::validate::DefaultValidator;
use nri_adaptation::{OpenMetrics, OutcomeResult, Reason};
use tokio::sync::Notify;

use crate::peer::{Answer, Peer, Script, patiently};
use crate::plugins::{Cluster, SHORT, adaptation, builder, container, pod, shown};

#[derive(NriPlugin)]
#[nri(name = "builtin", index = "10")]
struct Builtin;

impl CreateContainer for Builtin {
    async fn create_container(
        &self,
        cx: &EventContext,
        pod: PodSandbox,
        _: Container,
    ) -> nri::Result<Adjustment> {
        if pod.name == "refused-name" {
            return Err(nri::Error::new("not this one"));
        }
        cx.update_later(ContainerUpdate::new("other"));
        Ok(Adjustment::new().annotation("seen", pod.id))
    }
}

#[tokio::test]
async fn a_plugin_in_this_process_takes_part_like_any_other() {
    let cluster = Cluster::default();
    let adaptation = builder().callbacks(cluster.clone()).start().await.unwrap();
    let id = adaptation.builtin(Builtin).await.unwrap();
    assert_eq!(id.to_string(), "10-builtin");
    let created = adaptation.create_container(&pod("p"), &container("c")).await.unwrap();
    assert_eq!(created.answer.adjust.annotations["seen"], "p");
    let error = adaptation.create_container(&pod("refused"), &container("c")).await.unwrap_err();
    assert!(error.to_string().contains("not this one"), "{error}");
    patiently(async {
        while cluster.0.requested.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    adaptation.stop().await;
    assert!(adaptation.plugins().is_empty());
}

#[derive(NriPlugin)]
struct Nameless;

impl RunPodSandbox for Nameless {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_plugin_in_this_process_needs_a_name_and_an_index() {
    let adaptation = adaptation().await;
    let error = adaptation.builtin(Nameless).await.unwrap_err();
    assert!(error.to_string().contains("without index or name"), "{error}");
    adaptation.builtin_as(Builtin, "20-other".parse().unwrap()).await.unwrap();
    assert_eq!(adaptation.plugins()[0].to_string(), "20-other");
}

#[tokio::test]
async fn w15_a_plugin_on_the_stub_connects_to_the_socket_and_reconnects() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("run").join("nri.sock");
    let adaptation = builder().listen(&socket).start().await.unwrap();
    let second = builder().listen(&socket).start().await.unwrap_err();
    assert!(second.to_string().ends_with("in use"), "{second}");
    let stub = Stub::builder(Builtin).socket(&socket).build().unwrap();
    let running = tokio::spawn(stub.run_until(std::future::pending()));
    for _ in ["first", "again"] {
        patiently(async {
            while adaptation.plugins().is_empty() {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
    let created = adaptation.create_container(&pod("p"), &container("c")).await.unwrap();
    assert_eq!(shown(&created.outcomes), ["10-builtin answered"]);
    adaptation.stop().await;
    assert!(!socket.exists(), "the socket is removed");
    let again = builder().listen(&socket).start().await.unwrap();
    patiently(async {
        while again.plugins().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    running.abort();
}

#[tokio::test]
async fn a_file_that_is_no_socket_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, "precious").unwrap();
    assert!(builder().listen(&path).start().await.is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
    let stale = folder.path().join("stale.sock");
    drop(std::os::unix::net::UnixListener::bind(&stale).unwrap());
    builder().listen(&stale).start().await.unwrap();
}

#[tokio::test]
async fn a_second_plugin_of_the_same_name_and_index_takes_part_as_well() {
    let adaptation = adaptation().await;
    let first = Peer::join(&adaptation, Script::new("10", "twin")).await;
    let second = Peer::join(&adaptation, Script::new("10", "twin")).await;
    adaptation.run_pod_sandbox(&pod("p")).await.unwrap();
    assert_eq!(first.events(), ["RunPodSandbox"]);
    assert_eq!(second.events(), ["RunPodSandbox"]);
    assert_eq!(adaptation.plugins().len(), 2);
}

#[tokio::test]
async fn requests_of_different_pods_do_not_wait_for_each_other() {
    let adaptation = adaptation().await;
    let go_on = Arc::new(Notify::new());
    let script = Script::new("20", "slow").on("RunPodSandbox", Answer::After(Arc::clone(&go_on)));
    let first = Peer::join(&adaptation, Script::new("10", "first")).await;
    let mut slow = Peer::join(&adaptation, script).await;
    let run = tokio::spawn({
        let adaptation = adaptation.clone();
        async move { adaptation.run_pod_sandbox(&pod("a")).await }
    });
    slow.arrival("RunPodSandbox").await;
    // The first plugin takes the event of another pod while the second one is busy.
    let other = tokio::spawn({
        let adaptation = adaptation.clone();
        async move { adaptation.run_pod_sandbox(&pod("b")).await }
    });
    patiently(async {
        while first.events().len() < 2 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(slow.events().len(), 1, "a plugin has one request at a time");
    assert!(!run.is_finished() && !other.is_finished());
    go_on.notify_one();
    patiently(run).await.unwrap().unwrap();
    go_on.notify_one();
    patiently(other).await.unwrap().unwrap();
}

#[tokio::test]
async fn o4_events_of_one_pod_keep_their_order() {
    let adaptation = adaptation().await;
    let go_on = Arc::new(Notify::new());
    let script = Script::new("10", "slow").on("RunPodSandbox", Answer::After(Arc::clone(&go_on)));
    let mut slow = Peer::join(&adaptation, script).await;
    let last = Peer::join(&adaptation, Script::new("20", "last")).await;
    let run = tokio::spawn({
        let adaptation = adaptation.clone();
        async move { adaptation.run_pod_sandbox(&pod("a")).await }
    });
    slow.arrival("RunPodSandbox").await;
    let stop = tokio::spawn({
        let adaptation = adaptation.clone();
        async move { adaptation.stop_pod_sandbox(&pod("a")).await }
    });
    tokio::task::yield_now().await;
    go_on.notify_one();
    patiently(run).await.unwrap().unwrap();
    patiently(stop).await.unwrap().unwrap();
    assert_eq!(last.events(), ["RunPodSandbox", "StopPodSandbox"]);
}

fn env(value: &str) -> CreateContainerResponse {
    let adjust = ContainerAdjustment {
        env: vec![KeyValue { key: "LANG".to_owned(), value: value.to_owned() }],
        ..ContainerAdjustment::default()
    };
    CreateContainerResponse { adjust: Some(adjust), ..CreateContainerResponse::default() }
}

#[tokio::test]
async fn w13_later_plugins_see_the_container_as_adjusted_and_conflicts_fail_the_request() {
    let adaptation = adaptation().await;
    let first = Script::new("10", "first").message("CreateContainer", &env("C"));
    let _first = Peer::join(&adaptation, first).await;
    let second = Peer::join(&adaptation, Script::new("20", "second")).await;
    adaptation.create_container(&pod("p"), &container("c")).await.unwrap();
    let seen = &second.requests::<nri::api::CreateContainerRequest>("CreateContainer")[0];
    assert_eq!(seen.container.as_ref().unwrap().env, ["LANG=C"]);
    let third = Script::new("30", "third").message("CreateContainer", &env("D"));
    let _third = Peer::join(&adaptation, third).await;
    let error = adaptation.create_container(&pod("p"), &container("c")).await.unwrap_err();
    assert_eq!((error.reason(), error.plugin()), (Reason::Conflict, Some("30-third")));
    assert!(error.to_string().contains("10-first"), "{error}");
}

#[tokio::test]
async fn validators_of_the_runtime_and_of_plugins_reject() {
    let adjust = ContainerAdjustment {
        hooks: Some(Hooks { prestart: vec![Hook::default()], ..Hooks::default() }),
        ..ContainerAdjustment::default()
    };
    let hooks =
        CreateContainerResponse { adjust: Some(adjust), ..CreateContainerResponse::default() };
    let validator = DefaultValidator::default().reject_oci_hooks(true);
    let strict = builder().validator(validator).start().await.unwrap();
    let script = Script::new("10", "hooks").message("CreateContainer", &hooks);
    let _peer = Peer::join(&strict, script).await;
    let forbidden = strict.create_container(&pod("p"), &container("c")).await.unwrap_err();
    assert_eq!(forbidden.reason(), Reason::Rejected);
    assert!(forbidden.to_string().contains("OCI hooks"), "{forbidden}");

    let adaptation = adaptation().await;
    let verdict = nri::api::ValidateContainerAdjustmentResponse {
        reject: true,
        reason: "not on my node".to_owned(),
    };
    let judge = Script::new("10", "judge").message("ValidateContainerAdjustment", &verdict);
    let _judge = Peer::join(&adaptation, judge).await;
    let error = adaptation.create_container(&pod("p"), &container("c")).await.unwrap_err();
    assert_eq!((error.reason(), error.plugin()), (Reason::Rejected, Some("10-judge")));
    assert!(error.to_string().contains("not on my node"), "{error}");
    assert_eq!(error.outcomes().len(), 2);
    assert_eq!(error.outcomes()[1].result, OutcomeResult::Failed);
}

#[tokio::test]
async fn validators_learn_which_plugins_were_connected_at_their_turn() {
    let adaptation = builder().request_timeout(SHORT).start().await.unwrap();
    let slow = Script::new("10", "slow").never("CreateContainer");
    let _slow = Peer::join(&adaptation, slow).await;
    let pods = EventMask::from_event(Event::RunPodSandbox);
    let elsewhere = Script::new("20", "elsewhere").events(pods.bits());
    let _elsewhere = Peer::join(&adaptation, elsewhere).await;
    let mut judge = Peer::join(&adaptation, Script::new("30", "judge")).await;
    adaptation.create_container(&pod("p"), &container("c")).await.unwrap();
    let request: ValidateContainerAdjustmentRequest =
        judge.arrival("ValidateContainerAdjustment").await.read();
    let plugins: Vec<_> =
        request.plugins.iter().map(|it| format!("{}-{}", it.index, it.name)).collect();
    assert_eq!(plugins, ["10-slow", "20-elsewhere", "30-judge"]);
}

#[tokio::test]
async fn the_four_signals_are_counted() {
    let metrics = OpenMetrics::default();
    let adaptation = builder().metrics(metrics.clone()).start().await.unwrap();
    let script = Script::new("10", "plugin").message("CreateContainer", &env("C"));
    let peer = Peer::join(&adaptation, script).await;
    adaptation.create_container(&pod("p"), &container("c")).await.unwrap();
    let text = metrics.render();
    let labels = "plugin=\"10-plugin\",operation=\"CreateContainer\"";
    for line in [
        format!("nri_plugin_invocations_total{{{labels},result=\"success\"}} 1"),
        format!("nri_plugin_latency_seconds_count{{{labels}}} 1"),
        format!("nri_plugin_adjustments_total{{{labels},kind=\"adjustment\"}} 1"),
        "nri_plugins 1".to_owned(),
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    peer.kill();
    patiently(async {
        while !metrics.render().contains("nri_plugins 0") {
            tokio::task::yield_now().await;
        }
    })
    .await;
}
