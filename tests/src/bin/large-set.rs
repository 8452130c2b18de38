//! Writes a large `FileDescriptorSet`, for benchmarks of `diff`: `large-set FIELDS FILE [changed]`.
//!
//! With `changed`, one field in a thousand has another type, and one is missing.
#![forbid(unsafe_code)]

use std::{env, fs};

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet};
use protox::prost::Message as _;

const FIELDS_PER_MESSAGE: usize = 50;
const MESSAGES_PER_FILE: usize = 100;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (fields, path) = match arguments.as_slice() {
        [fields, path, ..] => (fields.parse().expect("a number of fields"), path),
        _ => panic!("large-set FIELDS FILE [changed]"),
    };
    let changed = arguments.get(2).is_some_and(|word| word == "changed");
    let files = usize::div_ceil(fields, FIELDS_PER_MESSAGE * MESSAGES_PER_FILE);
    let set = FileDescriptorSet { file: (0..files).map(|index| file(index, changed)).collect() };
    fs::write(path, set.encode_to_vec()).expect("the file can be written");
}

fn file(index: usize, changed: bool) -> FileDescriptorProto {
    FileDescriptorProto {
        name: Some(format!("bench/v1/file{index}.proto")),
        package: Some(format!("bench.v1.part{index}")),
        message_type: (0..MESSAGES_PER_FILE).map(|number| message(number, changed)).collect(),
        syntax: Some("proto3".to_owned()),
        ..FileDescriptorProto::default()
    }
}

fn message(number: usize, changed: bool) -> DescriptorProto {
    let fields = (0..FIELDS_PER_MESSAGE).map(|field| (number * FIELDS_PER_MESSAGE + field, field));
    let kept = fields.filter(|(id, _)| !(changed && id % 1000 == 500));
    DescriptorProto {
        name: Some(format!("Message{number}")),
        field: kept.map(|(id, field)| self::field(field, changed && id % 1000 == 0)).collect(),
        ..DescriptorProto::default()
    }
}

fn field(index: usize, changed: bool) -> FieldDescriptorProto {
    let kind =
        if changed { Type::String } else { [Type::Int32, Type::Bytes, Type::Bool][index % 3] };
    FieldDescriptorProto {
        name: Some(format!("field_number_{index}")),
        json_name: Some(format!("fieldNumber{index}")),
        number: i32::try_from(index + 1).ok(),
        label: Some(Label::Optional.into()),
        r#type: Some(kind.into()),
        ..FieldDescriptorProto::default()
    }
}
