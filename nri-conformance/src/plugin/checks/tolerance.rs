//! W7 and W19: requests with more or fewer fields than usual.

use nri::api::{Container, Event, PodSandbox};
use nri::codec::Message as _;
use prost::encoding::{WireType, encode_key, encode_varint};

use crate::plugin::bench::Bench;
use crate::plugin::checks::{Test, tests};
use crate::plugin::live::judge;
use crate::plugin::verdict::{Judged, Verdict, fail};
use crate::session::describe;
use crate::session::world::Sample;

pub(super) static TESTS: &[Test] = tests! {
    ["W7"] "unknown-fields" BothWays unknown_fields;
    ["W19"] "missing-parts" BothWays missing_parts;
    ["W19"] "empty-requests" BothWays empty_requests;
};

/// Field numbers beyond those of any release.
const UNKNOWN_FIELDS: [u32; 4] = [1999, 2000, 2001, 536_870_911];

/// The field numbers of the pod and the container in the requests of events.
const PARTS: [u32; 2] = [1, 2];

async fn unknown_fields(bench: &Bench) -> Judged {
    let (instance, session) = bench.registered().await?;
    let configure = session.configuration(&bench.options.config).encode_to_vec();
    let configured = session.call("Configure", with_unknown(configure)).await;
    if let Err(error) = configured {
        drop((instance, session));
        drop(bench.serving().await?);
        return fail("Configure with unknown fields", describe(&error), "success");
    }
    let usual = |_: &mut Sample| {};
    life(bench, usual, with_unknown_parts, "with unknown fields").await
}

async fn missing_parts(bench: &Bench) -> Judged {
    life(bench, remove_parts, <[u8]>::to_vec, "without submessages").await?;
    life(bench, remove_names, <[u8]>::to_vec, "with empty strings").await
}

fn remove_parts(Sample { pod, container }: &mut Sample) {
    (pod.linux, container.linux, container.hooks) = (None, None, None);
    (pod.labels, pod.annotations) = Default::default();
    pod.ips.clear();
    container.mounts.clear();
    container.env.clear();
    container.args.clear();
}

fn remove_names(Sample { pod, container }: &mut Sample) {
    (pod.name, pod.uid, pod.namespace) = Default::default();
    container.name.clear();
}

async fn empty_requests(bench: &Bench) -> Judged {
    life(bench, remove_all, |_| Vec::new(), "without content").await?;
    let what = "with an empty pod and an empty container";
    life(bench, remove_all, <[u8]>::to_vec, what).await
}

fn remove_all(sample: &mut Sample) {
    sample.pod = PodSandbox::default();
    sample.container = Container::default();
}

/// Sends the events of a pod's life about a pod that `vary` has changed, as requests that `encode`
/// has changed.
async fn life(
    bench: &Bench,
    vary: fn(&mut Sample),
    encode: fn(&[u8]) -> Vec<u8>,
    what: &str,
) -> Judged {
    let live = bench.serving().await?;
    let mut sample = bench.sample();
    vary(&mut sample);
    for event in live.life() {
        let request = encode(&live.request(event, &sample));
        let answer = live.session.send(event, &request).await;
        if let Err(verdict) = judge(&answer, what) {
            unless_always(bench, event).await?;
            return Err(verdict);
        }
    }
    Ok(())
}

/// Skips the test if an event also fails with an ordinary request: for a known pod, or for an
/// unknown pod, to which a request without a pod is equivalent.
async fn unless_always(bench: &Bench, event: Event) -> Judged {
    let sample = bench.sample();
    let live = bench.serving().await?;
    for earlier in live.life() {
        live.given(earlier, &sample).await?;
        if earlier == event {
            break;
        }
    }
    let unknown = bench.serving().await?;
    let answer = unknown.send(event, &sample).await;
    answer.result.map(drop).map_err(|_| {
        let event = event.name();
        Verdict::Skip(format!("{event} fails for a pod that the plugin has not seen, too; see P8"))
    })
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
    // Repeated occurrences of a message field are merged, so a second one adds to the pod and to
    // the container.
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
    use crate::session::{RuntimeKind, sample_request};

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
