//! Converts descriptors to the model.

mod file;
mod source;

use prost_types::field_descriptor_proto::{Label as ProtoLabel, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
    MethodDescriptorProto, ServiceDescriptorProto,
};

use super::{Enum, EnumValue, Field, FieldKind, Label, Message, Protocol, Rpc, Service, nri};
use crate::compile::Compiled;
use crate::error::Error;
use file::File;
use source::{Path, SourceInfo};

// Field numbers of descriptor.proto, which form the paths of source info.
const FILE_MESSAGE: u32 = 4;
const FILE_ENUM: u32 = 5;
const FILE_SERVICE: u32 = 6;
const MESSAGE_FIELD: u32 = 2;
const MESSAGE_NESTED: u32 = 3;
const MESSAGE_ENUM: u32 = 4;
const SERVICE_METHOD: u32 = 2;
const ENUM_VALUE: u32 = 2;

pub(super) fn protocol(compiled: &Compiled) -> Protocol {
    of_files(compiled.files())
}

pub(super) fn of_files<'f>(files: impl IntoIterator<Item = &'f FileDescriptorProto>) -> Protocol {
    of_declarations(files.into_iter().map(File::of))
}

/// Reads an encoded set of files.
pub(super) fn of_set(set: &[u8]) -> Result<Protocol, Error> {
    Ok(of_declarations(file::of_set(set)?))
}

fn of_declarations(files: impl IntoIterator<Item = File>) -> Protocol {
    let mut protocol = Protocol::default();
    for file in files {
        add_file(&mut protocol, &file);
    }
    protocol.nri = nri::view(&protocol);
    protocol
}

fn add_file(protocol: &mut Protocol, file: &File) {
    let source = SourceInfo::of(&file.name, &file.source_code_info);
    if protocol.package.is_empty() {
        protocol.package.clone_from(&file.package);
    }
    let at = |kind| Path::new(&source, &file.package, kind);
    protocol
        .services
        .extend(each(&file.service, &at(FILE_SERVICE), service));
    protocol
        .messages
        .extend(each(&file.message_type, &at(FILE_MESSAGE), message));
    protocol
        .enums
        .extend(each(&file.enum_type, &at(FILE_ENUM), enumeration));
}

fn each<P, T>(protos: &[P], at: &Path<'_>, read: impl Fn(&P, &Path<'_>) -> T) -> Vec<T> {
    (0..)
        .zip(protos)
        .map(|(index, proto)| read(proto, &at.at(index)))
        .collect()
}

fn service(proto: &ServiceDescriptorProto, at: &Path<'_>) -> Service {
    let full_name = at.full_name(proto.name());
    Service {
        name: proto.name().to_owned(),
        rpcs: each(&proto.method, &at.within(&full_name, SERVICE_METHOD), rpc),
        full_name,
        about: at.about(),
    }
}

fn rpc(proto: &MethodDescriptorProto, at: &Path<'_>) -> Rpc {
    Rpc {
        name: proto.name().to_owned(),
        full_name: at.full_name(proto.name()),
        input: type_name(proto.input_type()),
        output: type_name(proto.output_type()),
        client_streaming: proto.client_streaming(),
        server_streaming: proto.server_streaming(),
        about: at.about(),
    }
}

fn message(proto: &DescriptorProto, at: &Path<'_>) -> Message {
    let full_name = at.full_name(proto.name());
    let mut messages = each(
        &proto.nested_type,
        &at.within(&full_name, MESSAGE_NESTED),
        message,
    );
    let is_map_entry = |name: &str| {
        let mut nested = proto.nested_type.iter();
        nested.any(|nested| nested.name() == name && is_map_entry(nested))
    };
    messages.retain(|nested| !is_map_entry(&nested.name));
    Message {
        name: proto.name().to_owned(),
        fields: each(
            &proto.field,
            &at.within(&full_name, MESSAGE_FIELD),
            |f, at| field(f, proto, at),
        ),
        messages,
        enums: each(
            &proto.enum_type,
            &at.within(&full_name, MESSAGE_ENUM),
            enumeration,
        ),
        oneofs: oneofs(proto),
        full_name,
        about: at.about(),
    }
}

fn is_map_entry(proto: &DescriptorProto) -> bool {
    proto
        .options
        .as_ref()
        .is_some_and(|options| options.map_entry())
}

fn oneofs(proto: &DescriptorProto) -> Vec<String> {
    let implied = |index: usize| {
        proto.field.iter().any(|field| {
            field.proto3_optional() && usize::try_from(field.oneof_index()) == Ok(index)
        })
    };
    let declared = proto.oneof_decl.iter().enumerate();
    declared
        .filter(|(index, _)| !implied(*index))
        .map(|(_, oneof)| oneof.name().to_owned())
        .collect()
}

fn field(proto: &FieldDescriptorProto, parent: &DescriptorProto, at: &Path<'_>) -> Field {
    let oneof = proto.oneof_index.filter(|_| !proto.proto3_optional());
    let oneof = oneof.and_then(|index| parent.oneof_decl.get(usize::try_from(index).ok()?));
    let label = match proto.label() {
        ProtoLabel::Repeated => Label::Repeated,
        ProtoLabel::Required => Label::Required,
        ProtoLabel::Optional => Label::Single,
    };
    let kind = kind(proto, parent);
    let is_message = matches!(kind, FieldKind::Message(_));
    Field {
        name: proto.name().to_owned(),
        full_name: at.full_name(proto.name()),
        number: proto.number(),
        json_name: proto.json_name().to_owned(),
        presence: label != Label::Repeated
            && (proto.oneof_index.is_some() || is_message || label == Label::Required),
        kind,
        label,
        oneof: oneof.map(|oneof| oneof.name().to_owned()),
        about: at.about(),
    }
}

/// Returns the type of `proto`; a repeated entry of a map in `parent` is that map.
fn kind(proto: &FieldDescriptorProto, parent: &DescriptorProto) -> FieldKind {
    let name = type_name(proto.type_name());
    match proto.r#type() {
        Type::Message => map(&name, proto, parent).unwrap_or(FieldKind::Message(name)),
        Type::Group => FieldKind::Message(name),
        Type::Enum => FieldKind::Enum(name),
        scalar @ (Type::Double
        | Type::Float
        | Type::Int64
        | Type::Uint64
        | Type::Int32
        | Type::Fixed64
        | Type::Fixed32
        | Type::Bool
        | Type::String
        | Type::Bytes
        | Type::Uint32
        | Type::Sfixed32
        | Type::Sfixed64
        | Type::Sint32
        | Type::Sint64) => FieldKind::Scalar(scalar_name(scalar)),
    }
}

fn map(name: &str, proto: &FieldDescriptorProto, parent: &DescriptorProto) -> Option<FieldKind> {
    let last = name.rsplit('.').next()?;
    let mut nested = parent.nested_type.iter();
    let entry = nested.find(|nested| nested.name() == last && is_map_entry(nested))?;
    let part = |number| entry.field.iter().find(|field| field.number() == number);
    if proto.label() != ProtoLabel::Repeated {
        return None;
    }
    Some(FieldKind::Map {
        key: scalar_name(part(1)?.r#type()),
        value: Box::new(kind(part(2)?, entry)),
    })
}

fn enumeration(proto: &EnumDescriptorProto, at: &Path<'_>) -> Enum {
    let full_name = at.full_name(proto.name());
    let values = each(
        &proto.value,
        &at.within(&full_name, ENUM_VALUE),
        |value, at| EnumValue {
            name: value.name().to_owned(),
            full_name: at.full_name(value.name()),
            number: value.number(),
            about: at.about(),
        },
    );
    Enum {
        name: proto.name().to_owned(),
        full_name,
        values,
        about: at.about(),
    }
}

/// Removes the leading dot of resolved types in descriptors.
fn type_name(resolved: &str) -> String {
    resolved.strip_prefix('.').unwrap_or(resolved).to_owned()
}

fn scalar_name(scalar: Type) -> &'static str {
    match scalar {
        Type::Double => "double",
        Type::Float => "float",
        Type::Int64 => "int64",
        Type::Uint64 => "uint64",
        Type::Int32 => "int32",
        Type::Fixed64 => "fixed64",
        Type::Fixed32 => "fixed32",
        Type::Bool => "bool",
        Type::String => "string",
        Type::Bytes => "bytes",
        Type::Uint32 => "uint32",
        Type::Sfixed32 => "sfixed32",
        Type::Sfixed64 => "sfixed64",
        Type::Sint32 => "sint32",
        Type::Sint64 => "sint64",
        Type::Group => "group",
        Type::Message => "message",
        Type::Enum => "enum",
    }
}
