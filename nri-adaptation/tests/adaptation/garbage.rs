//! Plugins that answer garbage, answer twice or late, or half-close the connection.

use nri::__private::wire::{Demux, FrameHeader, Kind, MessageHeader};
use nri::codec::Message as _;
use nri_adaptation::{ErrorPolicy, OutcomeResult};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

use crate::peer::patiently;
use crate::plugins::{SHORT, adaptation, builder, pod};

/// A plugin that is written byte by byte, and what it has read.
pub(crate) struct Raw {
    pub(crate) stream: DuplexStream,
    demux: Demux,
}

impl Raw {
    /// Waits for the next message and returns its stream, or `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<u32> {
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

    pub(crate) async fn send(&mut self, connection: u32, kind: Kind, stream: u32, data: &[u8]) {
        let header = MessageHeader { length: data.len() as u32, stream, kind, flags: 0 };
        let message = [&header.encode()[..], data].concat();
        let frame = FrameHeader { connection, length: message.len() as u32 };
        let bytes = [&frame.encode()[..], &message].concat();
        self.stream.write_all(&bytes).await.unwrap();
    }

    pub(crate) async fn answer(&mut self, stream: u32) {
        self.send(1, Kind::Response, stream, b"").await;
    }

    /// Registers and answers Configure and Synchronize.
    pub(crate) async fn handshake(&mut self, index: &str) {
        let request = nri::api::RegisterPluginRequest {
            plugin_name: "raw".to_owned(),
            plugin_idx: index.to_owned(),
            ..Default::default()
        };
        self.call(1, "RegisterPlugin", request.encode_to_vec()).await;
        for _ in ["Configure", "Synchronize"] {
            let stream = self.next().await.unwrap();
            self.answer(stream).await;
        }
    }

    /// Requests updates, and reads no answer.
    pub(crate) async fn update_containers(&mut self, stream: u32) {
        self.call(stream, "UpdateContainers", Vec::new()).await;
    }

    async fn call(&mut self, stream: u32, method: &str, payload: Vec<u8>) {
        let request = nri::__private::wire::RequestEnvelope {
            service: "nri.pkg.api.v1alpha1.Runtime".to_owned(),
            method: method.to_owned(),
            payload: payload.into(),
            timeout_nano: 0,
        };
        self.send(2, Kind::Request, stream, &request.encode_to_vec()).await;
    }
}

/// Connects a plugin that is driven byte by byte.
pub(crate) async fn raw(adaptation: &nri_adaptation::Adaptation, index: &str) -> Raw {
    let (ours, stream) = tokio::io::duplex(64 << 10);
    let mut raw = Raw { stream, demux: Demux::new([1, 2]) };
    let (joined, ()) = tokio::join!(adaptation.connect(ours), raw.handshake(index));
    joined.unwrap();
    raw
}

#[tokio::test]
async fn w18_an_answer_that_is_none_disconnects() {
    let adaptation = adaptation().await;
    let mut raw = raw(&adaptation, "10").await;
    let pod = pod("p");
    let (relayed, ()) = tokio::join!(adaptation.run_pod_sandbox(&pod), async {
        let stream = raw.next().await.unwrap();
        raw.send(1, Kind::Data, stream, b"").await;
    });
    let outcomes = relayed.unwrap().outcomes;
    assert_eq!(outcomes[0].result, OutcomeResult::Disconnected);
    assert!(outcomes[0].error.as_ref().unwrap().contains("expected a response"));
    assert!(adaptation.plugins().is_empty());
}

#[tokio::test]
async fn w10_a_second_answer_is_ignored_and_belongs_to_no_other_request() {
    let adaptation = adaptation().await;
    let mut raw = raw(&adaptation, "10").await;
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
    let adaptation = builder().error_policy(policy).request_timeout(SHORT).start().await.unwrap();
    let mut raw = raw(&adaptation, "10").await;
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
        &[0, 0, 0, 1, 0, 0, 0, 10, 255, 255, 255, 255, 0, 0, 0, 1, 2, 0],
    ] {
        let adaptation = adaptation().await;
        let mut raw = raw(&adaptation, "10").await;
        let pod = pod("p");
        let (relayed, ()) = tokio::join!(adaptation.run_pod_sandbox(&pod), async {
            raw.next().await.unwrap();
            raw.stream.write_all(bytes).await.unwrap();
        });
        assert_eq!(relayed.unwrap().outcomes[0].result, OutcomeResult::Disconnected);
    }
}

#[tokio::test]
async fn a_plugin_that_half_closes_is_disconnected_and_the_process_sees_it() {
    let adaptation = adaptation().await;
    let mut raw = raw(&adaptation, "10").await;
    raw.stream.shutdown().await.unwrap();
    assert_eq!(raw.next().await, None, "the other side closes too");
    let relayed = adaptation.run_pod_sandbox(&pod("p")).await.unwrap();
    let connected = relayed.outcomes.iter().any(|it| it.result == OutcomeResult::Answered);
    assert!(!connected);
}
