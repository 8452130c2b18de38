//! A hostile plugin never stops the adaptation: whatever it sends, the request ends in time, the
//! bytes written are well-formed, and a second plugin gets every event.

use std::time::Duration;

use nri::__private::wire::Demux;
use nri::api::{Container, PodSandbox};
use nri::plugin::Plugin as _;
use nri::prelude::*;
use nri::wire::Channels;
use nri_adaptation::{Adaptation, OutcomeResult};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

/// A registration that is accepted, so that the fuzzer need not find one: `10-hostile`.
const REGISTRATION: &[u8] = b"\x00\x00\x00\x02\x00\x00\x00G\x00\x00\x00=\x00\x00\x00\x01\x01\x00\
    \x0a\x1cnri.pkg.api.v1alpha1.Runtime\x12\x0eRegisterPlugin\x1a\x0d\x0a\x07hostile\x12\x0210";

#[derive(NriPlugin)]
#[nri(name = "witness", index = "90")]
struct Witness;

impl StopPodSandbox for Witness {
    async fn stop_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("runtime");
    runtime.block_on(relay(bytes));
}

async fn relay(bytes: &[u8]) {
    assert!(Witness::EVENTS.contains(Event::StopPodSandbox));
    let adaptation = Adaptation::builder("fuzz", "v1")
        .registration_timeout(Duration::from_millis(50))
        .request_timeout(Duration::from_millis(50))
        .start()
        .await
        .expect("starts");
    adaptation.builtin(Witness).await.expect("joins");
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (registers, bytes) = bytes.split_first().unwrap_or((&0, bytes));
    let plugin = tokio::spawn(hostile(theirs, registers % 2 == 0, bytes.to_vec()));
    // Refused or not: what matters is what comes after.
    let _ = adaptation.connect(ours).await;
    let (pod, container) = (PodSandbox::default(), Container::default());
    let _ = adaptation.create_container(&pod, &container).await;
    let stopped = adaptation.stop_pod_sandbox(&pod).await.expect("teardown never fails");
    let witness = stopped.outcomes.last().expect("the witness is there");
    assert_eq!(witness.result, OutcomeResult::Answered);
    adaptation.stop().await;
    let written = plugin.await.expect("no panic");
    let mut demux = Demux::new(Channels::PLUGIN.ids());
    demux.extend(&written);
    while demux.next_message().expect("well-formed").is_some() {}
}

/// Sends the bytes, and returns what it got.
async fn hostile(stream: DuplexStream, registers: bool, bytes: Vec<u8>) -> Vec<u8> {
    let (mut from, mut to) = tokio::io::split(stream);
    let send = async {
        if registers {
            let _ = to.write_all(REGISTRATION).await;
        }
        // Refused when the connection has ended.
        let _ = to.write_all(&bytes).await;
        let _ = to.shutdown().await;
    };
    let receive = async {
        let mut got = Vec::new();
        let _ = from.read_to_end(&mut got).await;
        got
    };
    tokio::join!(send, receive).1
}
