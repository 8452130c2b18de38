//! Plugins that die, hang, answer garbage, answer twice, half-close, or flood the runtime.

use std::sync::Arc;
use std::time::Duration;

use nri::adaptation::{ErrorPolicy, OnError, OutcomeResult, Reason};
use nri::api::{ContainerUpdate, EventMask, UpdateContainersRequest, UpdateContainersResponse};
use nri::wire::frame::{FrameHeader, Kind, MessageHeader};
use nri::wire::mux::Demux;
use nri::wire::{CallError, Code};
use prost::Message as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

use crate::peer::{Peer, Script, patiently};
use crate::plugins::{Cluster, SHORT, adaptation, builder, container, pod, shown};

#[tokio::test]
async fn a_plugin_killed_in_the_middle_of_a_request_is_skipped() {
    let adaptation = adaptation().await;
    let mut victim = Peer::join(
        &adaptation,
        Script::new("10", "victim").never("RunPodSandbox"),
    )
    .await;
    let _other = Peer::join(&adaptation, Script::new("20", "other")).await;
    let pod = pod("p");
    let (relayed, ()) = tokio::join!(adaptation.run_pod_sandbox(&pod), async {
        victim.arrival("RunPodSandbox").await;
        victim.kill();
    });
    assert_eq!(
        shown(&relayed.unwrap().outcomes),
        ["10-victim disconnected", "20-other answered"]
    );
    assert_eq!(adaptation.plugins().len(), 1);
}

#[tokio::test]
async fn a_required_plugin_that_is_killed_fails_the_request_and_the_next_one() {
    let policy = ErrorPolicy::default().rule("victim", EventMask::ALL, OnError::Required);
    let adaptation = builder().error_policy(policy).start().await.unwrap();
    let mut victim = Peer::join(
        &adaptation,
        Script::new("10", "victim").never("RunPodSandbox"),
    )
    .await;
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
    let _hanging = Peer::join(
        &adaptation,
        Script::new("10", "hangs").never("CreateContainer"),
    )
    .await;
    let _other = Peer::join(&adaptation, Script::new("20", "other")).await;
    let created = adaptation
        .create_container(&pod("p"), &container("c"))
        .await
        .unwrap();
    let results = [
        "10-hangs timed-out",
        "20-other answered",
        "20-other answered",
    ];
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
    let adaptation = builder()
        .speaking("v0.12.3")
        .request_timeout(SHORT)
        .start()
        .await
        .unwrap();
    let script = Script::new("10", "slow")
        .policy(true, true)
        .never("StartContainer");
    let _slow = Peer::join(&adaptation, script).await;
    adaptation
        .start_container(&pod("p"), &container("c"))
        .await
        .unwrap();
    assert!(adaptation.plugins().is_empty());
}

#[tokio::test]
async fn a_plugin_is_kept_for_as_many_timeouts_as_configured() {
    let policy = ErrorPolicy::default().keep_for_timeouts(2);
    let adaptation = builder()
        .error_policy(policy)
        .request_timeout(SHORT)
        .start()
        .await
        .unwrap();
    let _slow = Peer::join(
        &adaptation,
        Script::new("10", "slow").never("StartContainer"),
    )
    .await;
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
    let error = adaptation
        .create_container(&pod, &container)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("unreadable answer"), "{error}");
    let relayed = adaptation
        .post_start_container(&pod, &container)
        .await
        .unwrap();
    assert_eq!(relayed.outcomes[0].result, OutcomeResult::Ignored);
    assert_eq!(adaptation.plugins().len(), 1);
}

/// A plugin that is written byte by byte, and what it has read.
struct Raw {
    stream: DuplexStream,
    demux: Demux,
}

impl Raw {
    /// Waits for the next message and returns its stream, or `None` at the end.
    async fn next(&mut self) -> Option<u32> {
        loop {
            if let Some(message) = self.demux.next_message().unwrap() {
                if message.connection == 1 {
                    return Some(message.header.stream);
                }
                continue;
            }
            let mut bytes = [0; 4096];
            match patiently(self.stream.read(&mut bytes)).await.unwrap() {
                0 => return None,
                count => self.demux.extend(&bytes[..count]),
            }
        }
    }

    async fn send(&mut self, connection: u32, kind: Kind, stream: u32, data: &[u8]) {
        let header = MessageHeader {
            length: data.len() as u32,
            stream,
            kind,
            flags: 0,
        };
        let message = [&header.encode()[..], data].concat();
        let frame = FrameHeader {
            connection,
            length: message.len() as u32,
        };
        let bytes = [&frame.encode()[..], &message].concat();
        self.stream.write_all(&bytes).await.unwrap();
    }

    async fn answer(&mut self, stream: u32) {
        self.send(1, Kind::Response, stream, b"").await;
    }

    /// Registers and answers Configure and Synchronize.
    async fn handshake(&mut self) {
        let request = nri::wire::ttrpc::RequestEnvelope {
            service: "nri.pkg.api.v1alpha1.Runtime".to_owned(),
            method: "RegisterPlugin".to_owned(),
            payload: nri::api::RegisterPluginRequest {
                plugin_name: "raw".to_owned(),
                plugin_idx: "10".to_owned(),
                ..Default::default()
            }
            .encode_to_vec()
            .into(),
            timeout_nano: 0,
        };
        self.send(2, Kind::Request, 1, &request.encode_to_vec())
            .await;
        for _ in ["Configure", "Synchronize"] {
            let stream = self.next().await.unwrap();
            self.answer(stream).await;
        }
    }
}

/// Connects a plugin that is driven byte by byte.
async fn raw(adaptation: &nri::adaptation::Adaptation) -> Raw {
    let (ours, stream) = tokio::io::duplex(64 << 10);
    let mut raw = Raw {
        stream,
        demux: Demux::new([1, 2]),
    };
    let (joined, ()) = tokio::join!(adaptation.connect(ours), raw.handshake());
    joined.unwrap();
    raw
}

#[tokio::test]
async fn w18_an_answer_that_is_none_disconnects() {
    let adaptation = adaptation().await;
    let mut raw = raw(&adaptation).await;
    let pod = pod("p");
    let (relayed, ()) = tokio::join!(adaptation.run_pod_sandbox(&pod), async {
        let stream = raw.next().await.unwrap();
        raw.send(1, Kind::Data, stream, b"").await;
    });
    let outcomes = relayed.unwrap().outcomes;
    assert_eq!(outcomes[0].result, OutcomeResult::Disconnected);
    assert!(
        outcomes[0]
            .error
            .as_ref()
            .unwrap()
            .contains("expected a response")
    );
    assert!(adaptation.plugins().is_empty());
}

#[tokio::test]
async fn w10_a_second_answer_is_ignored_and_belongs_to_no_other_request() {
    let adaptation = adaptation().await;
    let mut raw = raw(&adaptation).await;
    for id in ["p", "q"] {
        let pod = pod(id);
        let (relayed, ()) = tokio::join!(adaptation.run_pod_sandbox(&pod), async {
            let stream = raw.next().await.unwrap();
            raw.answer(stream).await;
            raw.answer(stream).await;
        });
        assert_eq!(relayed.unwrap().outcomes[0].result, OutcomeResult::Answered);
    }
}

#[tokio::test]
async fn w10_a_late_answer_belongs_to_no_other_request() {
    let policy = ErrorPolicy::default().keep_for_timeouts(9);
    let adaptation = builder()
        .error_policy(policy)
        .request_timeout(SHORT)
        .start()
        .await
        .unwrap();
    let mut raw = raw(&adaptation).await;
    let late = adaptation.run_pod_sandbox(&pod("p")).await.unwrap();
    assert_eq!(late.outcomes[0].result, OutcomeResult::TimedOut);
    let pod = pod("q");
    let (relayed, ()) = tokio::join!(adaptation.run_pod_sandbox(&pod), async {
        let (first, second) = (raw.next().await.unwrap(), raw.next().await.unwrap());
        raw.send(1, Kind::Response, first, b"\xff\xff").await;
        raw.answer(second).await;
    });
    assert_eq!(relayed.unwrap().outcomes[0].result, OutcomeResult::Answered);
}

#[tokio::test]
async fn w18_garbage_on_the_connection_disconnects() {
    for bytes in [
        &b"\xff\xff\xff\xff\xff\xff\xff\xff"[..],
        &[
            0, 0, 0, 1, 0, 0, 0, 10, 255, 255, 255, 255, 0, 0, 0, 1, 2, 0,
        ],
    ] {
        let adaptation = adaptation().await;
        let mut raw = raw(&adaptation).await;
        let pod = pod("p");
        let (relayed, ()) = tokio::join!(adaptation.run_pod_sandbox(&pod), async {
            raw.next().await.unwrap();
            raw.stream.write_all(bytes).await.unwrap();
        });
        assert_eq!(
            relayed.unwrap().outcomes[0].result,
            OutcomeResult::Disconnected
        );
    }
}

#[tokio::test]
async fn a_plugin_that_half_closes_is_disconnected_and_the_process_sees_it() {
    let adaptation = adaptation().await;
    let mut raw = raw(&adaptation).await;
    raw.stream.shutdown().await.unwrap();
    assert_eq!(raw.next().await, None, "the other side closes too");
    let relayed = adaptation.run_pod_sandbox(&pod("p")).await.unwrap();
    let connected = relayed
        .outcomes
        .iter()
        .any(|it| it.result == OutcomeResult::Answered);
    assert!(!connected);
}

#[tokio::test]
async fn w14_updates_reach_the_runtime_which_may_call_back() {
    let cluster = Cluster::default();
    let adaptation = builder().callbacks(cluster.clone()).start().await.unwrap();
    let _ = cluster.0.reentrant.set(adaptation.clone());
    let peer = Peer::join(&adaptation, Script::new("10", "asks")).await;
    let request = UpdateContainersRequest {
        update: vec![ContainerUpdate::new("c")],
        evict: vec![nri::api::ContainerEviction::new("d", "why")],
    };
    let answer = peer.call("UpdateContainers", &request).await.unwrap();
    assert!(
        UpdateContainersResponse::decode(answer)
            .unwrap()
            .failed
            .is_empty()
    );
    assert_eq!(
        peer.events(),
        ["UpdateContainer"],
        "the callback called back"
    );
    let requested = cluster.0.requested.lock().unwrap().clone();
    assert_eq!(requested[0].plugin.to_string(), "10-asks");
    assert_eq!(
        (&requested[0].updates, &requested[0].evictions),
        (&request.update, &request.evict)
    );
    adaptation.stop().await;
}

#[tokio::test]
async fn updates_before_the_registration_are_refused() {
    let adaptation = adaptation().await;
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (peer, _register) = Peer::over(theirs, Script::new("10", "hasty"));
    let joining = adaptation.clone();
    tokio::spawn(async move { joining.connect(ours).await });
    let error = peer
        .call("UpdateContainers", &UpdateContainersRequest::default())
        .await;
    assert_eq!(error.unwrap_err().code(), Code::FAILED_PRECONDITION);
}

#[tokio::test]
async fn a_flood_of_updates_is_bounded_and_events_get_through() {
    let cluster = Cluster::default();
    let adaptation = builder().callbacks(cluster.clone()).start().await.unwrap();
    let peer = Arc::new(Peer::join(&adaptation, Script::new("10", "flood")).await);
    let flood: Vec<_> = (0..1_000)
        .map(|_| {
            let peer = Arc::clone(&peer);
            tokio::spawn(async move {
                peer.call("UpdateContainers", &UpdateContainersRequest::default())
                    .await
            })
        })
        .collect();
    for id in 0..20 {
        let relayed = adaptation
            .run_pod_sandbox(&pod(&id.to_string()))
            .await
            .unwrap();
        assert_eq!(relayed.outcomes[0].result, OutcomeResult::Answered);
    }
    for call in flood {
        match call.await.unwrap() {
            Ok(_) => {}
            Err(error) => assert_eq!(error.code(), Code::RESOURCE_EXHAUSTED),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
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
    let connecting: Vec<_> = (0..1_000)
        .map(|_| {
            let socket = socket.clone();
            tokio::spawn(async move {
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
            })
        })
        .collect();
    let mut peers = Vec::new();
    for peer in connecting {
        peers.push(patiently(peer).await.unwrap());
    }
    patiently(async {
        while adaptation.plugins().len() < 1_000 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let relayed = adaptation.run_pod_sandbox(&pod("p")).await.unwrap();
    let answered = |outcome: &&nri::adaptation::Outcome| outcome.result == OutcomeResult::Answered;
    assert_eq!(relayed.outcomes.iter().filter(answered).count(), 1_000);
}

#[tokio::test]
async fn a_caller_that_gives_up_is_no_fault_of_the_plugin() {
    let adaptation = adaptation().await;
    let mut peer = Peer::join(
        &adaptation,
        Script::new("10", "slow").never("RunPodSandbox"),
    )
    .await;
    let asking = adaptation.clone();
    let asked = tokio::spawn(async move { asking.run_pod_sandbox(&pod("p")).await });
    peer.arrival("RunPodSandbox").await;
    asked.abort();
    let _ = asked.await;
    let relayed = adaptation.stop_pod_sandbox(&pod("p")).await.unwrap();
    assert_eq!(relayed.outcomes[0].result, OutcomeResult::Answered);
}

#[tokio::test]
async fn w1_a_plugin_with_an_invalid_name_or_index_is_refused_with_the_reason() {
    let adaptation = adaptation().await;
    for (index, name, reason) in [
        ("1", "short", "invalid plugin index \"1\", must be 2 digits"),
        (
            "1x",
            "letter",
            "invalid plugin index \"1x\", must be 2 digits",
        ),
        ("10", "", "invalid plugin name: name is empty"),
        (
            "10",
            "a/b",
            "invalid plugin name \"a/b\": contains invalid character '/'",
        ),
    ] {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let (_peer, register) = Peer::over(theirs, Script::new(index, name));
        let (joined, told) = tokio::join!(adaptation.connect(ours), register);
        assert!(joined.unwrap_err().to_string().contains(reason));
        match told.unwrap_err() {
            CallError::Status(status) => assert_eq!(status.message, reason),
            other => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn w2_a_plugin_with_an_unknown_event_in_its_mask_is_refused_with_the_reason() {
    let adaptation = adaptation().await;
    let (peer, joined) =
        Peer::try_join(&adaptation, Script::new("10", "mask").events(0x4001)).await;
    let reason = "plugin 10-mask: invalid plugin events: 0x4000";
    assert_eq!(joined.unwrap_err().to_string(), reason);
    let told = peer
        .call("UpdateContainers", &UpdateContainersRequest::default())
        .await;
    assert!(told.unwrap_err().to_string().contains(reason));
    assert!(adaptation.plugins().is_empty());
}

#[tokio::test]
async fn w1_a_plugin_that_does_not_register_is_given_up() {
    let adaptation = builder().registration_timeout(SHORT).start().await.unwrap();
    let (ours, _theirs) = tokio::io::duplex(64 << 10);
    let error = adaptation.connect(ours).await.unwrap_err();
    assert!(
        error.to_string().contains("registration timed out"),
        "{error}"
    );
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    drop(theirs);
    let error = adaptation.connect(ours).await.unwrap_err();
    assert!(error.to_string().contains("connection closed"), "{error}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(100))]

    #[test]
    fn whatever_a_plugin_sends_teardown_ends_well(
        bytes in proptest::collection::vec(
            proptest::prop_oneof![3 => proptest::prelude::Just(0u8), 1 => 1..9u8, 1 => proptest::prelude::any::<u8>()],
            0..200,
        ),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let adaptation = builder().request_timeout(SHORT).start().await.unwrap();
            let mut raw = raw(&adaptation).await;
            let witness = Peer::join(&adaptation, Script::new("90", "witness")).await;
            raw.stream.write_all(&bytes).await.unwrap();
            let _ = adaptation.create_container(&pod("p"), &container("c")).await;
            adaptation.stop_pod_sandbox(&pod("p")).await.unwrap();
            assert_eq!(witness.events().last().unwrap(), "StopPodSandbox");
        });
    }
}
