//! Requests that a plugin receives under `nri-adaptation` and under the reference adaptation for
//! the same input: every request on the wire, in every release, with what is absent and what is
//! empty told apart.

mod tape;

use std::time::{Duration, Instant};

use nri_adaptation::Adaptation;
use nri_tests::messages::{newest, random};
use nri_tests::peers::NRI_RELEASES;
use nri_tests::process::PATIENCE;
use nri_tests::relay::{events, relay};
use nri_tests::runtime::Runtime;
use prost_reflect::{DynamicMessage, MessageDescriptor, SerializeOptions, Value};
use serde_json::json;
use tokio::time::sleep;

use tape::{Seen, Tape};

/// How many random lives are compared, after an empty one.
const LIVES: u64 = 60;

/// A runtime whose releases link the NRI releases, for plugins that know the runtime by its version
/// alone.
fn containerd(nri: &str) -> &'static str {
    match nri {
        "v0.6.1" => "v1.7.16",
        "v0.8.0" => "v1.7.26",
        "v0.11.0" => "v2.2.1",
        "v0.12.5" => "v2.4.2",
        other => panic!("no containerd release is known for NRI {other}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_request_is_that_of_the_reference() {
    for release in NRI_RELEASES {
        for knows_dedicated in [true, false] {
            let ours = under_ours(release, knows_dedicated).await;
            let theirs = under_go(release, knows_dedicated).await;
            assert_eq!(
                ours.iter().map(|it| &it.rpc).collect::<Vec<_>>(),
                theirs.iter().map(|it| &it.rpc).collect::<Vec<_>>(),
                "{release}"
            );
            for (number, (sent, expected)) in ours.iter().zip(&theirs).enumerate() {
                assert!(
                    sent == expected,
                    "{release}, request {number}, {}\nours   {}\ntheirs {}",
                    sent.rpc,
                    sent.message.to_text_format(),
                    expected.message.to_text_format()
                );
            }
            assert!(ours.len() > LIVES as usize * 11, "{release}: {}", ours.len());
        }
    }
}

async fn under_ours(release: &str, knows_dedicated: bool) -> Vec<Seen> {
    let folder = tempfile::tempdir().expect("temporary folder");
    let socket = folder.path().join("nri.sock");
    let adaptation = Adaptation::builder("containerd", containerd(release))
        .listen(&socket)
        .speaking(release)
        .start()
        .await
        .expect("it starts");
    let deadline = Instant::now() + PATIENCE;
    let tape = Tape::connect(&socket, release, knows_dedicated).await;
    while adaptation.plugins().is_empty() {
        assert!(Instant::now() < deadline, "the plugin does not connect");
        sleep(Duration::from_millis(5)).await;
    }
    for request in requests() {
        relay(&adaptation, request.0, &request.1).await.expect("no plugin fails");
    }
    let seen = tape.taken();
    adaptation.stop().await;
    seen
}

async fn under_go(release: &str, knows_dedicated: bool) -> Vec<Seen> {
    let mut runtime = Runtime::named(release, "containerd", containerd(release));
    runtime.start();
    let tape = Tape::connect(&runtime.socket(), release, knows_dedicated).await;
    runtime.wait_for_plugin("10-tape");
    for (event, message) in requests() {
        let options = SerializeOptions::new();
        let request = message
            .serialize_with_options(serde_json::value::Serializer, &options)
            .expect("messages have JSON");
        let fired = runtime.command("fire", json!({"event": event, "request": request}));
        if let Err(error) = fired {
            assert!(error.contains("unknown to this release"), "{event}: {error}");
        }
    }
    tape.taken()
}

/// Returns the requests of a runtime: a life with bare messages, then random lives.
fn requests() -> Vec<(&'static str, DynamicMessage)> {
    let pool = newest();
    let descriptor = |event: &str| {
        let name = format!("nri.pkg.api.v1alpha1.{event}Request");
        pool.get_message_by_name(&name).expect("the event exists")
    };
    let descriptors: Vec<_> = events().map(|event| (event, descriptor(event))).collect();
    let life = |seed| {
        let request = move |(event, message)| (event, request(&message, seed));
        descriptors.clone().into_iter().map(request)
    };
    (0..=LIVES).flat_map(life).collect()
}

/// Returns a request with pod and container, which runtimes always send: bare ones for seed 0, else
/// random ones.
fn request(descriptor: &MessageDescriptor, seed: u64) -> DynamicMessage {
    let mut request = DynamicMessage::new(descriptor.clone());
    if seed > 0 {
        request = random(descriptor, seed);
    }
    for name in ["pod", "container"] {
        let Some(field) = descriptor.get_field_by_name(name) else {
            continue;
        };
        if !request.has_field(&field) {
            let kind = field.kind();
            let message = kind.as_message().expect("a message").clone();
            request.set_field(&field, Value::Message(DynamicMessage::new(message)));
        }
    }
    request
}
