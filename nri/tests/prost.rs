//! The messages as messages of prost: fields of others, generic code, the same bytes, limits.

use bytes::{Buf, Bytes};
use nri::api::{Container, ContainerUpdate, Empty, LinuxContainer, LinuxMemory, LinuxResources};
use nri::api::{PodSandbox, SynchronizeRequest, UpdateContainersRequest};
use prost::Message;

/// A message as `prost-build` and `nri-codegen` generate it with `extern_path` for the package of
/// NRI.
#[derive(Clone, PartialEq, prost::Message)]
struct Report {
    #[prost(string, tag = "1")]
    node: String,
    #[prost(message, optional, tag = "2")]
    pod: Option<PodSandbox>,
    #[prost(message, repeated, tag = "3")]
    containers: Vec<Container>,
    #[prost(map = "string, message", tag = "4")]
    updates: std::collections::HashMap<String, ContainerUpdate>,
    #[prost(message, optional, tag = "5")]
    nothing: Option<Empty>,
}

fn container() -> Container {
    let limits = LinuxMemory { limit: Some(0), swap: Some(-1), ..LinuxMemory::default() };
    let resources = LinuxResources { memory: Some(limits), ..LinuxResources::default() };
    let linux = LinuxContainer { resources: Some(resources), ..LinuxContainer::default() };
    Container {
        id: "c1".to_owned(),
        labels: [("a".to_owned(), "b".to_owned())].into(),
        args: vec!["run".to_owned(), String::new()],
        linux: Some(Box::new(linux)),
        ..Container::default()
    }
}

fn report() -> Report {
    Report {
        node: "n1".to_owned(),
        pod: Some(PodSandbox { id: "p1".to_owned(), pid: 7, ..PodSandbox::default() }),
        containers: vec![container(), Container::default()],
        updates: [("c1".to_owned(), ContainerUpdate::new("c1"))].into(),
        nothing: Some(Empty::default()),
    }
}

/// Copies a request with the traits that a client of gRPC requires.
fn copy<M: Message + Default>(message: &M) -> M {
    M::decode_length_delimited(message.encode_length_delimited_to_vec().as_slice()).unwrap()
}

#[test]
fn messages_are_fields_of_generated_ones() {
    let encoded = report().encode_to_vec();
    assert_eq!(Report::decode(encoded.as_slice()).unwrap(), report());
    assert_eq!(report().encoded_len(), encoded.len());
    // In two pieces, cut anywhere.
    for cut in 0..encoded.len() {
        let pieces = encoded[..cut].chain(&encoded[cut..]);
        assert_eq!(Report::decode(pieces).unwrap(), report(), "{cut}");
    }
}

#[test]
fn generic_code_takes_them() {
    assert_eq!(copy(&container()), container());
    assert_eq!(copy(&report()), report());
}

#[test]
fn the_bytes_are_those_of_the_codec() {
    let encoded = nri::codec::Message::encode_to_vec(&container());
    assert_eq!(container().encode_to_vec(), encoded);
    assert_eq!(Message::encoded_len(&container()), encoded.len());
    assert_eq!(Container::decode(Bytes::from(encoded)).unwrap(), container());
}

#[test]
fn fields_are_merged_cleared_and_skipped() {
    let mut merged = PodSandbox { id: "p1".to_owned(), ..PodSandbox::default() };
    // `name`, a field of a later release, a group, and a number of 64 bits.
    merged
        .merge(&b"\x12\x01n\xf2\x3f\x01x\xfb\x3f\x08\x01\xfc\x3f\xf9\x3f\0\0\0\0\0\0\0\0"[..])
        .unwrap();
    assert_eq!((merged.id.as_str(), merged.name.as_str()), ("p1", "n"));
    merged.clear();
    assert_eq!(merged, PodSandbox::default());
}

#[test]
fn errors_name_the_field_once() {
    let error = Report::decode(&b"\x12\x04\x0a\x02\xff\xff"[..]).unwrap_err().to_string();
    let text = "PodSandbox.id: invalid string value: data is not UTF-8 encoded";
    assert_eq!(error, format!("failed to decode Protobuf message: Report.pod: {text}"));
    for cut in
        [&b"\x12"[..], b"\x12\x02\x0a\x02", b"\x12\x02\x48", b"\x12\x02\x49\x01", b"\x12\x01\x0c"]
    {
        assert!(Report::decode(cut).is_err(), "{cut:?}");
    }
}

/// Empty elements take two bytes in a message and hundreds in memory.
#[test]
fn memory_is_limited() {
    let containers = [0x12, 0].repeat(2 << 20);
    let many_containers = SynchronizeRequest::decode(containers.as_slice()).unwrap_err();
    assert!(many_containers.to_string().contains("bytes of memory"), "{many_containers}");
    let updates = [0x0a, 0].repeat(2 << 20);
    let many_updates = UpdateContainersRequest::decode(updates.as_slice()).unwrap_err();
    assert!(many_updates.to_string().contains("bytes of memory"), "{many_updates}");
}
