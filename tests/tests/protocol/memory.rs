//! The memory that decoding takes: messages of 4 MiB in the worst shapes, which are generated from
//! the schema.

use std::collections::BTreeSet;

use nri::__private::WORST_FACTOR;
use nri::api;
use nri::codec::{DecodeError, Message};
use nri::prelude::SetResources as _;

use nri_tests::messages::newest;
use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use crate::counting::{Counting, peak_of};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The largest message on the wire.
const MESSAGE: usize = 4 << 20;

/// The elements of a small message: a list of them has just grown.
const ELEMENTS: usize = (1 << 12) + 1;

/// The most memory that such a message may take, with its encoded form.
const MOST: usize = 100_000_000;

/// Decodes a message and drops it.
type Decode = fn(&[u8]) -> Result<(), DecodeError>;

fn decode<M: Message>(encoded: &[u8]) -> Result<(), DecodeError> {
    M::decode(encoded).map(drop)
}

/// A name and a decoder of messages that hold others.
type Root = (&'static str, Decode);

/// Names and decoders of messages.
macro_rules! roots {
    ($($message:ident)*) => {
        [$((stringify!($message), decode::<api::$message> as Decode)),*]
    };
}

/// The messages that runtimes send.
const FROM_RUNTIMES: &[Root] = &roots! {
    SynchronizeRequest UpdatePodSandboxRequest ValidateContainerAdjustmentRequest
    UpdateContainersResponse
};

/// The messages that plugins send.
const FROM_PLUGINS: &[Root] = &roots! {
    UpdateContainersRequest CreateContainerResponse UpdateContainerResponse StopContainerResponse
    SynchronizeResponse
};

/// The length of an entry of a map with a key of up to five bytes.
const ENTRY: usize = 9;

/// A field that may be repeated, and the numbers of the fields that lead to it from a root.
pub(crate) struct Place {
    path: Vec<u32>,
    field: FieldDescriptor,
}

/// Collects the repeated fields below a message, each once.
pub(crate) fn places(
    message: &MessageDescriptor,
    path: &[u32],
    seen: &mut BTreeSet<String>,
    found: &mut Vec<Place>,
) {
    for field in message.fields() {
        if !seen.insert(field.full_name().to_owned()) {
            continue;
        }
        if field.is_list() || field.is_map() {
            found.push(Place { path: path.to_vec(), field: field.clone() });
        }
        let Some(nested) = field.kind().as_message().cloned() else {
            continue;
        };
        let mut deeper = [path, &[field.number()]].concat();
        if !field.is_map() {
            places(&nested, &deeper, seen, found);
        } else if let Kind::Message(value) = nested.map_entry_value_field().kind() {
            deeper.push(nested.map_entry_value_field().number());
            places(&value, &deeper, seen, found);
        }
    }
}

fn varint(mut value: usize, to: &mut Vec<u8>) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

/// Returns a field with these bytes as its value.
fn delimited(number: u32, value: &[u8]) -> Vec<u8> {
    let mut field = Vec::with_capacity(value.len() + 10);
    varint(((number as usize) << 3) | 2, &mut field);
    varint(value.len(), &mut field);
    field.extend_from_slice(value);
    field
}

/// Returns the smallest elements of a repeated field: what an element may cost least on the wire
/// and most in memory.
fn elements(field: &FieldDescriptor) -> Vec<Vec<u8>> {
    let number = field.number();
    match field.kind() {
        Kind::Message(entry) if !field.is_map() => {
            let nested = entry
                .fields()
                .filter(|inner| inner.kind().as_message().is_some())
                .map(|inner| delimited(number, &delimited(inner.number(), &[])));
            let text = entry
                .fields()
                .find(|inner| inner.kind() == Kind::String)
                .map(|inner| delimited(number, &delimited(inner.number(), b"x")));
            [delimited(number, &[])].into_iter().chain(nested).chain(text).collect()
        }
        Kind::Message(_) => vec![delimited(number, &[])],
        Kind::String => vec![delimited(number, &[]), delimited(number, b"x")],
        _ => vec![delimited(number, &[1])],
    }
}

fn is_message(field: &FieldDescriptor) -> bool {
    !field.is_map() && field.kind().as_message().is_some()
}

/// Returns a message with `count` copies of an element, or `count` numbers in one packed field.
fn filled(place: &Place, element: &[u8], count: usize) -> Vec<u8> {
    let content = if place.field.is_packed() {
        delimited(place.field.number(), &vec![1; count])
    } else {
        element.repeat(count)
    };
    place.path.iter().rev().fold(content, |inner, number| delimited(*number, &inner))
}

/// Returns a message with `count` entries of a map. Their keys are numbers or texts, all different,
/// and have up to five bytes.
fn entries(place: &Place, count: usize) -> Vec<u8> {
    let keys = place.field.kind().as_message().map(MessageDescriptor::map_entry_key_field);
    let is_text = keys.is_some_and(|field| field.kind() == Kind::String);
    let mut content = Vec::new();
    for number in (1 << 14)..(1 << 14) + count {
        let key = if is_text {
            delimited(1, format!("{number:x}").as_bytes())
        } else {
            let mut field = vec![8];
            varint(number, &mut field);
            field
        };
        content.extend(delimited(place.field.number(), &key));
    }
    place.path.iter().rev().fold(content, |inner, number| delimited(*number, &inner))
}

/// Returns the messages of the shapes that cost most for a field, with as many elements as `count`
/// says for the length of one.
pub(crate) fn shapes(place: &Place, count: impl Fn(usize) -> usize) -> Vec<Vec<u8>> {
    let elements = elements(&place.field);
    let filled = |one: &Vec<u8>| filled(place, one, count(one.len()));
    let mut shapes: Vec<_> = elements.iter().map(filled).collect();
    if place.field.is_map() {
        shapes.push(entries(place, count(ENTRY)));
    }
    shapes
}

/// Returns the repeated fields below roots that were not seen before, with the decoders of the
/// roots.
fn below(roots: &[Root], seen: &mut BTreeSet<String>) -> Vec<(Decode, Place)> {
    let mut all = Vec::new();
    for (root, decode) in roots {
        let message = newest().get_message_by_name(&format!("nri.pkg.api.v1alpha1.{root}"));
        let mut found = Vec::new();
        places(&message.unwrap(), &[], seen, &mut found);
        all.extend(found.into_iter().map(|place| (*decode, place)));
    }
    all
}

/// Decodes a message of this field, and returns the most memory that it took, and whether it is
/// within the limit.
fn measure(place: &Place, decode: Decode, encoded: &[u8]) -> (usize, bool) {
    let (decoded, peak) = peak_of(|| decode(encoded));
    if let Err(error) = &decoded {
        assert!(error.is_over_budget(), "{}: {error}", place.field.full_name());
    }
    (peak, decoded.is_ok())
}

#[test]
fn no_message_of_4_mib_takes_more_than_100_mb() {
    let mut seen = BTreeSet::new();
    for (decode, place) in below(&[FROM_RUNTIMES, FROM_PLUGINS].concat(), &mut seen) {
        // Messages reach the limit within an eighth of the largest size, which takes an eighth of
        // the time.
        let size = if is_message(&place.field) { MESSAGE / 8 } else { MESSAGE };
        let room = size - 16 * (place.path.len() + 1);
        for encoded in shapes(&place, |len| room / len) {
            let (peak, _) = measure(&place, decode, &encoded);
            let name = place.field.full_name();
            assert!(peak + encoded.len() <= MOST, "{name}: {peak} bytes");
        }
    }
    // The fields of every message that has repeated ones were reached.
    for message in newest().all_messages().filter(|message| !message.is_map_entry()) {
        for field in message.fields().filter(|field| field.is_list() || field.is_map()) {
            let name = field.full_name();
            assert!(seen.contains(name) || is_apart(name), "{name}: add its root");
        }
    }
}

/// Returns the bytes of memory for each byte of a message that is full of a field, in its worst
/// shape.
fn factor(place: &Place, decode: Decode) -> usize {
    let factors = shapes(place, |_| ELEMENTS).into_iter().map(|encoded| {
        let (peak, is_decoded) = measure(place, decode, &encoded);
        assert!(is_decoded, "{}", place.field.full_name());
        peak.div_ceil(encoded.len())
    });
    factors.max().unwrap_or_default()
}

/// Prints the factor of each field, by who sends it.
#[test]
fn no_byte_from_a_plugin_takes_more_memory_than_a_runtime_reckons_with() {
    for (sender, roots) in [("runtime", FROM_RUNTIMES), ("plugin", FROM_PLUGINS)] {
        let mut factors: Vec<_> = below(roots, &mut BTreeSet::new())
            .into_iter()
            .map(|(decode, place)| (factor(&place, decode), place.field.full_name().to_owned()))
            .collect();
        factors.sort_unstable_by(|one, other| other.cmp(one));
        for (factor, name) in &factors {
            println!("{sender} {factor:4} {name}");
        }
        let (worst, name) = &factors[0];
        assert!(sender == "runtime" || *worst <= WORST_FACTOR, "{name}: {worst}");
    }
}

/// Returns true for the fields of messages that no peer sends.
fn is_apart(name: &str) -> bool {
    name.contains(".OptionalRepeatedString.")
}

/// A message from a runtime is decoded even if it is full of containers with all their fields.
#[test]
fn a_full_message_of_containers_is_decoded() {
    let container = api::Container {
        id: "c".repeat(64),
        pod_sandbox_id: "p".repeat(64),
        name: "app".into(),
        labels: (0..8).map(|nth| (format!("label{nth}"), "value".into())).collect(),
        env: (0..20).map(|nth| format!("VARIABLE{nth}=1")).collect(),
        ..Default::default()
    };
    let count = MESSAGE / (container.encoded_len() + 4);
    let request =
        api::SynchronizeRequest { containers: vec![container; count], ..Default::default() };
    let encoded = request.encode_to_vec();
    let (decoded, peak) = peak_of(|| api::SynchronizeRequest::decode(&encoded));
    assert!(decoded.unwrap() == request);
    assert!(peak <= MOST, "{peak} bytes");
}

/// Updates of every container of a node that sets one value each are decoded, however many there
/// are.
#[test]
fn a_full_message_of_small_updates_is_decoded() {
    let update = api::ContainerUpdate::new("c".repeat(32)).cpu_shares(2);
    let count = MESSAGE / (update.encoded_len() + 4);
    let request =
        api::UpdateContainersRequest { update: vec![update; count], ..Default::default() };
    let encoded = request.encode_to_vec();
    let (decoded, peak) = peak_of(|| api::UpdateContainersRequest::decode(&encoded));
    assert!(decoded.unwrap() == request);
    assert!(peak <= MOST, "{peak} bytes");
}
