//! The memory that decoding takes: messages of 4 MiB in the worst shapes, which are generated from
//! the schema.

use std::collections::BTreeSet;

use nri::api;
use nri::codec::{DecodeError, Message};

use nri_tests::messages::newest;
use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use crate::counting::{Counting, peak_of};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The largest message on the wire.
const MESSAGE: usize = 4 << 20;

/// The most memory that such a message may take, with its encoded form.
const MOST: usize = 100_000_000;

/// Decodes a message and drops it.
type Decode = fn(&[u8]) -> Result<(), DecodeError>;

fn decode<M: Message>(encoded: &[u8]) -> Result<(), DecodeError> {
    M::decode(encoded).map(drop)
}

/// Names and decoders of messages that hold all others.
macro_rules! roots {
    ($($message:ident)*) => {
        [$((stringify!($message), decode::<api::$message> as Decode)),*]
    };
}

const ROOTS: [(&str, Decode); 9] = roots! {
    SynchronizeRequest UpdateContainersRequest CreateContainerResponse UpdatePodSandboxRequest
    UpdateContainerResponse StopContainerResponse ValidateContainerAdjustmentRequest SynchronizeResponse
    UpdateContainersResponse
};

/// A field that may be repeated, and the numbers of the fields that lead to it from a root.
struct Place {
    path: Vec<u32>,
    field: FieldDescriptor,
}

/// Collects the repeated fields below a message, each once.
fn places(
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
            let nested = entry.fields().filter(|field| field.kind().as_message().is_some());
            let nested = nested.map(|nested| delimited(number, &delimited(nested.number(), &[])));
            let text = entry.fields().find(|field| field.kind() == Kind::String);
            let text = text.map(|text| delimited(number, &delimited(text.number(), b"x")));
            [delimited(number, &[])].into_iter().chain(nested).chain(text).collect()
        }
        Kind::Message(_) => vec![delimited(number, &[])],
        Kind::String => vec![delimited(number, &[]), delimited(number, b"x")],
        _ => vec![delimited(number, &[1])],
    }
}

/// Returns a message with as many copies of an element as fit, or with as many numbers in one
/// packed field.
fn filled(place: &Place, element: &[u8]) -> Vec<u8> {
    let is_message = !place.field.is_map() && place.field.kind().as_message().is_some();
    // Messages reach the limit within an eighth of the largest size, which takes an eighth of the
    // time.
    let size = if is_message { MESSAGE / 8 } else { MESSAGE };
    let room = size - 16 * (place.path.len() + 1);
    let is_packed = place.field.is_packed();
    let content = if is_packed {
        delimited(place.field.number(), &vec![1; room])
    } else {
        element.repeat(room / element.len())
    };
    place.path.iter().rev().fold(content, |inner, number| delimited(*number, &inner))
}

/// Returns the entries of a map with different keys of three bytes, which are numbers or texts.
fn entries(place: &Place) -> Vec<u8> {
    let key = place.field.kind().as_message().map(MessageDescriptor::map_entry_key_field);
    let is_text = key.is_some_and(|key| key.kind() == Kind::String);
    let mut content = Vec::new();
    let mut number = 1 << 14;
    while content.len() + 64 < MESSAGE {
        let key = if is_text {
            delimited(1, format!("{number:x}").as_bytes())
        } else {
            let mut key = vec![8];
            varint(number, &mut key);
            key
        };
        content.extend(delimited(place.field.number(), &key));
        number += 1;
    }
    place.path.iter().rev().fold(content, |inner, number| delimited(*number, &inner))
}

#[test]
fn no_message_of_4_mib_takes_more_than_100_mb() {
    let pool = newest();
    let mut seen = BTreeSet::new();
    for (root, decode) in ROOTS {
        let message = pool.get_message_by_name(&format!("nri.pkg.api.v1alpha1.{root}")).unwrap();
        let mut found = Vec::new();
        places(&message, &[], &mut seen, &mut found);
        for place in found {
            let elements = elements(&place.field);
            let mut shapes: Vec<_> = elements.iter().map(|one| filled(&place, one)).collect();
            if place.field.is_map() {
                shapes.push(entries(&place));
            }
            for encoded in shapes {
                let (decoded, peak) = peak_of(|| decode(&encoded));
                let name = place.field.full_name();
                assert!(peak + encoded.len() <= MOST, "{name}: {peak} bytes");
                if let Err(error) = decoded {
                    assert!(error.is_over_budget(), "{name}: {error}");
                }
            }
        }
    }
    // The fields of every message that has repeated ones were reached.
    for message in pool.all_messages().filter(|message| !message.is_map_entry()) {
        for field in message.fields().filter(|field| field.is_list() || field.is_map()) {
            let name = field.full_name();
            assert!(seen.contains(name) || is_apart(name), "{name}: add its root");
        }
    }
}

/// Returns true for the fields of messages that no peer sends.
fn is_apart(name: &str) -> bool {
    name.contains(".OptionalRepeatedString.")
}

/// What runtimes send is decoded: a message that is full of containers with all that they have.
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
