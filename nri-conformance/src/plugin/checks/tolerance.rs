//! W7 and W19: requests with more or fewer fields than usual.

use nri::api::{Container, Event, PodSandbox};
use nri::codec::Message as _;
use nri_adaptation::Revision;
use prost::encoding::{WireType, encode_key, encode_varint};

use crate::plugin::bench::Bench;
use crate::plugin::checks::{Test, tests};
use crate::plugin::live::{Live, judge};
use crate::plugin::verdict::{Judged, Verdict, fail};
use crate::session::{RuntimeKind, describe, sample_request};

pub(super) static TESTS: &[Test] = tests! {
    ["W7"] "unknown-fields" BothWays unknown_fields;
    ["W19"] "missing-parts" BothWays missing_parts;
    ["W19"] "empty-requests" BothWays empty_requests;
};

/// Field numbers beyond those of any release.
const UNKNOWN_FIELDS: [u32; 4] = [1999, 2000, 2001, 536_870_911];

/// The field numbers of the pod and the container in the requests of events.
const PARTS: [u32; 2] = [1, 2];

/// A function that creates the request for an event.
type Make = fn(RuntimeKind, Event, &PodSandbox, &Container) -> Vec<u8>;

async fn unknown_fields(bench: &Bench, revision: &Revision) -> Judged {
    let (instance, session) = bench.registered(revision).await?;
    let configure = session.configuration(&bench.options.config).encode_to_vec();
    let configured = session.call("Configure", with_unknown(configure)).await;
    if let Err(error) = configured {
        drop((instance, session));
        drop(bench.serving(revision).await?);
        return fail("Configure with unknown fields", describe(&error), "success");
    }
    let with: Make = |runtime, event, pod, container| {
        with_unknown_parts(&sample_request(runtime, event, pod, container))
    };
    life(bench, revision, with, "with unknown fields").await
}

async fn missing_parts(bench: &Bench, revision: &Revision) -> Judged {
    let bare: Make = |runtime, event, pod, container| {
        let pod = PodSandbox {
            linux: None,
            labels: Default::default(),
            annotations: Default::default(),
            ips: Vec::new(),
            ..pod.clone()
        };
        let container = Container {
            linux: None,
            hooks: None,
            mounts: Vec::new(),
            env: Vec::new(),
            args: Vec::new(),
            ..container.clone()
        };
        sample_request(runtime, event, &pod, &container)
    };
    life(bench, revision, bare, "without submessages").await?;
    let nameless: Make = |runtime, event, pod, container| {
        let pod = PodSandbox {
            name: String::new(),
            uid: String::new(),
            namespace: String::new(),
            ..pod.clone()
        };
        let container = Container {
            name: String::new(),
            ..container.clone()
        };
        sample_request(runtime, event, &pod, &container)
    };
    life(bench, revision, nameless, "with empty strings").await
}

async fn empty_requests(bench: &Bench, revision: &Revision) -> Judged {
    let empty: Make = |_, _, _, _| Vec::new();
    life(bench, revision, empty, "without content").await?;
    let defaults: Make = |runtime, event, _, _| {
        sample_request(
            runtime,
            event,
            &PodSandbox::default(),
            &Container::default(),
        )
    };
    life(
        bench,
        revision,
        defaults,
        "with an empty pod and an empty container",
    )
    .await
}

/// Sends the events of a pod's life with unusual requests.
async fn life(bench: &Bench, revision: &Revision, make: Make, what: &str) -> Judged {
    let live = bench.serving(revision).await?;
    let sample = bench.sample();
    for event in live.life() {
        let request = make(bench.options.runtime, event, &sample.pod, &sample.container);
        let answer = live.session.send(event, &request).await;
        if let Err(verdict) = judge(&answer, what) {
            return Err(unless_usual(bench, revision, event, verdict).await);
        }
    }
    Ok(())
}

/// Turns a failure into a skip if the event also fails with an ordinary request: for a known pod, or for an unknown pod,
/// to which a request without a pod is equivalent.
async fn unless_usual(
    bench: &Bench,
    revision: &Revision,
    event: Event,
    verdict: Verdict,
) -> Verdict {
    let sample = bench.sample();
    let usual = async {
        let live = bench.serving(revision).await?;
        for earlier in live.life() {
            live.given(earlier, &sample).await?;
            if earlier == event {
                break;
            }
        }
        let unknown: Live = bench.serving(revision).await?;
        let answer = unknown.send(event, &sample).await;
        match answer.result {
            Ok(_) => Ok(()),
            Err(_) => Err(Verdict::Skip(format!(
                "{} fails for a pod that the plugin has not seen, too; see P8",
                answer.sent()
            ))),
        }
    };
    match usual.await {
        Ok(()) => verdict,
        Err(in_the_way) => in_the_way,
    }
}

/// Adds unknown fields of each wire type to a message.
fn with_unknown(mut message: Vec<u8>) -> Vec<u8> {
    let [varint, bytes, long, short] = UNKNOWN_FIELDS;
    encode_key(varint, WireType::Varint, &mut message);
    encode_varint(u64::MAX, &mut message);
    encode_key(bytes, WireType::LengthDelimited, &mut message);
    encode_varint(3, &mut message);
    message.extend(b"new");
    encode_key(long, WireType::SixtyFourBit, &mut message);
    message.extend([0xff; 8]);
    encode_key(short, WireType::ThirtyTwoBit, &mut message);
    message.extend([0xff; 4]);
    message
}

/// Adds unknown fields to a request, and to the pod and the container in it.
fn with_unknown_parts(request: &[u8]) -> Vec<u8> {
    let more = with_unknown(Vec::new());
    let mut extended = request.to_vec();
    // Repeated occurrences of a message field are merged, so a second one adds to the pod and to the container.
    for part in PARTS {
        if has_part(request, part) {
            encode_key(part, WireType::LengthDelimited, &mut extended);
            encode_varint(more.len() as u64, &mut extended);
            extended.extend(&more);
        }
    }
    with_unknown(extended)
}

/// Returns true if a request has a message in a field.
fn has_part(mut request: &[u8], part: u32) -> bool {
    use prost::encoding::{DecodeContext, decode_key, skip_field};
    while !request.is_empty() {
        let Ok((number, wire)) = decode_key(&mut request) else {
            return false;
        };
        if number == part {
            return wire == WireType::LengthDelimited;
        }
        if skip_field(wire, number, &mut request, DecodeContext::default()).is_err() {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use nri::api::RunPodSandboxRequest;

    use super::*;
    use crate::session::world::World;

    #[test]
    fn unknown_fields_do_not_change_known_ones() {
        let pod = World::of(RuntimeKind::default(), 1).pod();
        let runtime = RuntimeKind::default();
        let container = Container::default();
        let usual = sample_request(runtime, Event::RunPodSandbox, &pod, &container);
        let more = with_unknown_parts(&usual);
        assert!(more.len() > usual.len() + 40);
        let decoded = RunPodSandboxRequest::decode(&*more).unwrap();
        assert_eq!(decoded.pod, Some(pod));
    }
}
