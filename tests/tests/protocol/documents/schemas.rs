//! Descriptor sets in the worst shapes, which are generated from `descriptor.proto`, and protos as
//! text.

use std::collections::BTreeSet;

use nri_schema::{Protocol, Schema, compile};
use prost_reflect::DescriptorPool;

use super::{Decoder, list, numbered};
use crate::memory::{places, shapes};

/// Returns sets that are full of the smallest elements of each repeated field.
fn sets() -> Vec<Vec<u8>> {
    let protos = protox::compile(["google/protobuf/descriptor.proto"], ["."]).unwrap();
    let pool = DescriptorPool::from_file_descriptor_set(protos).unwrap();
    let set = pool.get_message_by_name("google.protobuf.FileDescriptorSet").unwrap();
    let mut found = Vec::new();
    places(&set, &[], &mut BTreeSet::new(), &mut found);
    found.iter().flat_map(|place| shapes(place, |_| super::ELEMENTS)).collect()
}

fn protos() -> Vec<Vec<u8>> {
    let proto = |content: String| format!("syntax=\"proto3\";package p;{content}").into_bytes();
    vec![
        proto(numbered(|nth| format!("message M{nth:x}{{}}"))),
        proto(numbered(|nth| format!("enum E{nth:x}{{A{nth:x}=0;}}"))),
        proto(format!("message M{{{}}}", numbered(|nth| format!("int32 a{nth:x}={};", 1 + nth)))),
        proto(format!("message M{{reserved {};}}", list("1"))),
        proto(format!(
            "service S{{{}}}message M{{}}",
            numbered(|nth| { format!("rpc R{nth:x}(M)returns(M);") })
        )),
        proto(";".repeat(super::ELEMENTS)),
        proto(numbered(|_| "//\n".to_owned())),
    ]
}

pub(super) fn decoders() -> Vec<Decoder> {
    vec![
        Decoder {
            name: "descriptor set",
            factor: 520,
            base: 0,
            decode: |bytes| drop(Schema::decode(bytes)),
            documents: sets(),
        },
        Decoder {
            name: "proto",
            factor: 530,
            base: 1 << 20,
            decode: |bytes| {
                let compiled = compile::text("a.proto", std::str::from_utf8(bytes).unwrap());
                if let Ok(compiled) = compiled {
                    let _ = Protocol::read(&compiled);
                }
            },
            documents: protos(),
        },
    ]
}
