//! Fields as prost generates them: a member, a variant of a oneof, accessors.

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto};

use super::naming::type_name;

/// The accessors that prost derives for a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// None.
    Plain,
    /// A getter.
    OptionalScalar,
    /// A getter and a setter.
    Enum,
    /// An iterator and a method to append.
    EnumList,
    /// Access by key.
    EnumMap,
}

impl Shape {
    /// Returns the names of the accessors of the field `rust`.
    pub(super) fn methods(self, rust: &str) -> Vec<String> {
        let owned = |names: &[String]| names.to_vec();
        match self {
            Shape::Plain => Vec::new(),
            Shape::OptionalScalar => owned(&[rust.to_owned()]),
            Shape::Enum => owned(&[rust.to_owned(), format!("set_{rust}")]),
            Shape::EnumList => owned(&[rust.to_owned(), format!("push_{rust}")]),
            Shape::EnumMap => owned(&[format!("get_{rust}"), format!("insert_{rust}")]),
        }
    }
}

/// Returns the shape of a field of `message`.
pub(super) fn shape(
    message: &DescriptorProto,
    field: &FieldDescriptorProto,
    file: &FileDescriptorProto,
) -> Shape {
    let repeated = field.label() == Label::Repeated;
    match field.r#type() {
        Type::Message if repeated && is_map_of_enums(message, field) => Shape::EnumMap,
        Type::Message | Type::Group => Shape::Plain,
        Type::Enum if repeated => Shape::EnumList,
        Type::Enum => Shape::Enum,
        _ if !repeated && is_optional(field, file) => Shape::OptionalScalar,
        _ => Shape::Plain,
    }
}

fn is_optional(field: &FieldDescriptorProto, file: &FileDescriptorProto) -> bool {
    let proto2 = matches!(file.syntax(), "" | "proto2") && field.label() == Label::Optional;
    field.proto3_optional() || proto2
}

fn is_map_of_enums(message: &DescriptorProto, field: &FieldDescriptorProto) -> bool {
    map_value(message, field).is_some_and(|value| value.r#type() == Type::Enum)
}

/// Returns the field of the values if the field is a map.
pub(super) fn map_value<'m>(
    message: &'m DescriptorProto,
    field: &FieldDescriptorProto,
) -> Option<&'m FieldDescriptorProto> {
    let name = field.type_name().rsplit('.').next()?;
    let entry =
        message.nested_type.iter().find(|nested| nested.name() == name && is_map_entry(nested))?;
    entry.field.iter().find(|part| part.number() == 2)
}

/// Returns true if a nested message stands for the entries of a map.
pub(super) fn is_map_entry(message: &DescriptorProto) -> bool {
    message.options.as_ref().is_some_and(|options| options.map_entry())
}

/// Returns the nested messages of a message by index, without the entries of maps.
pub(super) fn nested(message: &DescriptorProto) -> impl Iterator<Item = (usize, &DescriptorProto)> {
    message.nested_type.iter().enumerate().filter(|(_, nested)| !is_map_entry(nested))
}

/// Returns the index of the oneof that a field belongs to, unless `optional` implies it.
pub(super) fn oneof_of(field: &FieldDescriptorProto) -> Option<usize> {
    let index = field.oneof_index.filter(|_| !field.proto3_optional())?;
    usize::try_from(index).ok()
}

/// Returns the oneofs of a message by index, without those that `optional` implies.
pub(super) fn oneofs(message: &DescriptorProto) -> Vec<(usize, &str)> {
    let used = |index| message.field.iter().any(|field| oneof_of(field) == Some(index));
    let declared = message.oneof_decl.iter().enumerate().filter(|(index, _)| used(*index));
    declared.map(|(index, oneof)| (index, oneof.name())).collect()
}

/// Returns the fields that hold one group each, as paths in the form that prost-build matches.
pub(super) fn groups(file: &FileDescriptorProto) -> Vec<String> {
    fn walk(messages: &[DescriptorProto], scope: &str, paths: &mut Vec<String>) {
        for message in messages {
            let name = format!("{scope}.{}", message.name());
            walk(&message.nested_type, &name, paths);
            let groups = message.field.iter().filter(|field| field.r#type() == Type::Group);
            for field in groups.filter(|field| field.label() != Label::Repeated) {
                let oneof = oneof_of(field)
                    .and_then(|index| message.oneof_decl.get(index))
                    .map_or_else(String::new, |oneof| format!("{}.", oneof.name()));
                paths.push(format!("{name}.{oneof}{}", field.name()));
            }
        }
    }
    let scope = match file.package() {
        "" => String::new(),
        package => format!(".{package}"),
    };
    let mut paths = Vec::new();
    walk(&file.message_type, &scope, &mut paths);
    paths
}

/// Returns the name of the enum for a oneof, which is renamed if a nested type has that name.
pub(super) fn oneof_type(message: &DescriptorProto, oneof: &str) -> String {
    let name = type_name(oneof);
    let messages = message.nested_type.iter().map(|nested| nested.name());
    let enums = message.enum_type.iter().map(|nested| nested.name());
    if messages.chain(enums).any(|nested| type_name(nested) == name) {
        return name + "OneOf";
    }
    name
}
