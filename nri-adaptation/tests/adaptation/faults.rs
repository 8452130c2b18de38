//! Plugins that die, hang or do not answer, and the policies for them.

use std::path::PathBuf;
use std::time::Duration;

use nri::api::EventMask;
use nri_adaptation::{ErrorPolicy, OnError, OutcomeResult, Reason};
use tokio::sync::oneshot;

use crate::peer::{Peer, Script, patiently};
use crate::plugins::{SHORT, adaptation, builder, container, pod, shown};
use crate::threads::on_thread;

#[tokio::test]
async fn a_plugin_killed_in_the_middle_of_a_request_is_skipped() {
    let adaptation = adaptation().await;
    let mut victim =
        Peer::join(&adaptation, Script::new("10", "victim").never("RunPodSandbox")).await;
    let _other = Peer::join(&adaptation, Script::new("20", "other")).await;
    let pod = pod("p");
    let (relayed, ()) = tokio::join!(adaptation.run_pod_sandbox(&pod), async {
        victim.arrival("RunPodSandbox").await;
        victim.kill();
    });
    assert_eq!(shown(&relayed.unwrap().outcomes), ["10-victim disconnected", "20-other answered"]);
    assert_eq!(adaptation.plugins().len(), 1);
}

#[tokio::test]
async fn a_required_plugin_that_is_killed_fails_the_request_and_the_next_one() {
    let policy = ErrorPolicy::default().rule("victim", EventMask::ALL, OnError::Required);
    let adaptation = builder().error_policy(policy).start().await.unwrap();
    let mut victim =
        Peer::join(&adaptation, Script::new("10", "victim").never("RunPodSandbox")).await;
    let pod = pod("p");
    let (relayed, ()) = tokio::join!(adaptation.run_pod_sandbox(&pod), async {
        victim.arrival("RunPodSandbox").await;
        victim.kill();
    });
    assert_eq!(relayed.unwrap_err().reason(), Reason::NoAnswer);
    let error = adaptation.run_pod_sandbox(&pod).await.unwrap_err();
    assert_eq!(error.reason(), Reason::MissingPlugin);
    adaptation.stop_pod_sandbox(&pod).await.unwrap();
}

#[tokio::test]
async fn p5_a_hanging_plugin_is_disconnected_and_the_request_goes_on() {
    let adaptation = builder().request_timeout(SHORT).start().await.unwrap();
    let _hanging =
        Peer::join(&adaptation, Script::new("10", "hangs").never("CreateContainer")).await;
    let _other = Peer::join(&adaptation, Script::new("20", "other")).await;
    let created = adaptation.create_container(&pod("p"), &container("c")).await.unwrap();
    let results = ["10-hangs timed-out", "20-other answered", "20-other answered"];
    assert_eq!(shown(&created.outcomes), results);
    assert_eq!(adaptation.plugins().len(), 1);
}

#[tokio::test]
async fn the_failure_policy_of_a_plugin_is_honored() {
    for (fail_request, keep_connected) in
        [(false, false), (true, false), (false, true), (true, true)]
    {
        let adaptation = builder().request_timeout(SHORT).start().await.unwrap();
        let script = Script::new("10", "slow").policy(fail_request, keep_connected);
        let _slow = Peer::join(&adaptation, script.never("StartContainer")).await;
        let started = adaptation.start_container(&pod("p"), &container("c")).await;
        assert_eq!(started.is_err(), fail_request);
        assert_eq!(adaptation.plugins().len(), usize::from(keep_connected));
    }
}

#[tokio::test]
async fn a_runtime_before_v0_12_4_ignores_the_failure_policy() {
    let adaptation = builder().speaking("v0.12.3").request_timeout(SHORT).start().await.unwrap();
    let script = Script::new("10", "slow").policy(true, true).never("StartContainer");
    let _slow = Peer::join(&adaptation, script).await;
    adaptation.start_container(&pod("p"), &container("c")).await.unwrap();
    assert!(adaptation.plugins().is_empty());
}

#[tokio::test]
async fn a_plugin_is_kept_for_as_many_timeouts_as_configured() {
    let policy = ErrorPolicy::default().keep_for_timeouts(2);
    let adaptation = builder().error_policy(policy).request_timeout(SHORT).start().await.unwrap();
    let _slow = Peer::join(&adaptation, Script::new("10", "slow").never("StartContainer")).await;
    let (pod, container) = (pod("p"), container("c"));
    for left in [1, 1, 0] {
        let started = adaptation.start_container(&pod, &container).await.unwrap();
        assert_eq!(started.outcomes[0].result, OutcomeResult::TimedOut);
        assert_eq!(adaptation.plugins().len(), left);
    }
}

#[tokio::test]
async fn an_unreadable_answer_fails_a_synchronous_event_and_keeps_the_plugin() {
    let adaptation = adaptation().await;
    let garbage = crate::peer::Answer::With(bytes::Bytes::from_static(b"\x0a\xff"));
    let script = Script::new("10", "garbage").on("CreateContainer", garbage.clone());
    let _peer = Peer::join(&adaptation, script.on("PostStartContainer", garbage)).await;
    let (pod, container) = (pod("p"), container("c"));
    let error = adaptation.create_container(&pod, &container).await.unwrap_err();
    assert!(error.to_string().contains("unreadable answer"), "{error}");
    let relayed = adaptation.post_start_container(&pod, &container).await.unwrap();
    assert_eq!(relayed.outcomes[0].result, OutcomeResult::Ignored);
    assert_eq!(adaptation.plugins().len(), 1);
}

/// Connects a plugin, and waits until it is synchronized.
async fn connect(socket: PathBuf) -> Peer {
    let stream = loop {
        match tokio::net::UnixStream::connect(&socket).await {
            Ok(stream) => break stream,
            // The backlog is full.
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                tokio::task::yield_now().await;
            }
            Err(error) => panic!("{error}"),
        }
    };
    let (mut peer, register) = Peer::over(stream, Script::new("10", "one-of-many"));
    register.await.unwrap();
    peer.arrival("Synchronize").await;
    peer
}

#[tokio::test]
async fn a_thousand_plugins_connect_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("nri.sock");
    let timeout = Duration::from_secs(20);
    let adaptation = builder()
        .listen(&socket)
        .registration_timeout(timeout)
        .request_timeout(timeout)
        .start()
        .await
        .unwrap();
    let (end, ended) = oneshot::channel::<()>();
    let plugins = on_thread(async move {
        let connecting = (0..1_000).map(|_| tokio::spawn(connect(socket.clone())));
        let mut peers = Vec::new();
        for peer in connecting.collect::<Vec<_>>() {
            peers.push(patiently(peer).await.unwrap());
        }
        let _ = ended.await;
    });
    patiently(async {
        while adaptation.plugins().len() < 1_000 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let relayed = adaptation.run_pod_sandbox(&pod("p")).await.unwrap();
    let answered = |outcome: &&nri_adaptation::Outcome| outcome.result == OutcomeResult::Answered;
    assert_eq!(relayed.outcomes.iter().filter(answered).count(), 1_000);
    drop(end);
    plugins.await.unwrap();
}

#[tokio::test]
async fn a_caller_that_gives_up_is_no_fault_of_the_plugin() {
    let adaptation = adaptation().await;
    let mut peer = Peer::join(&adaptation, Script::new("10", "slow").never("RunPodSandbox")).await;
    let asking = adaptation.clone();
    let asked = tokio::spawn(async move { asking.run_pod_sandbox(&pod("p")).await });
    peer.arrival("RunPodSandbox").await;
    asked.abort();
    let _ = asked.await;
    let relayed = adaptation.stop_pod_sandbox(&pod("p")).await.unwrap();
    assert_eq!(relayed.outcomes[0].result, OutcomeResult::Answered);
}
