//! Converts the descriptors of a pool. A pool has none of an edition, and so no features.

use prost_types::descriptor_proto::{ExtensionRange, ReservedRange};
use prost_types::enum_descriptor_proto::EnumReservedRange;
use prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto,
    FileDescriptorProto, MethodDescriptorProto, OneofDescriptorProto, ServiceDescriptorProto,
};

use super::descriptor::{
    EnumProto, EnumValueProto, FieldOptions, FieldProto, FileOptions, FileProto, MessageOptions,
    MessageProto, MethodOptions, MethodProto, OneofProto, RangeProto, ServiceProto,
};

/// Converts all elements of a list.
fn all<'p, P, T: From<&'p P>>(protos: &'p [P]) -> Vec<T> {
    protos.iter().map(T::from).collect()
}

/// Does not convert the source info, which is needed for few files.
impl From<&FileDescriptorProto> for FileProto {
    fn from(file: &FileDescriptorProto) -> Self {
        Self {
            name: file.name().to_owned(),
            package: file.package().to_owned(),
            dependency: file.dependency.clone(),
            message_type: all(&file.message_type),
            enum_type: all(&file.enum_type),
            service: all(&file.service),
            extension: all(&file.extension),
            options: file.options.as_ref().map(FileOptions::from),
            syntax: file.syntax().to_owned(),
            ..Self::default()
        }
    }
}

impl From<&prost_types::FileOptions> for FileOptions {
    fn from(options: &prost_types::FileOptions) -> Self {
        Self {
            java_package: options.java_package().to_owned(),
            java_outer_classname: options.java_outer_classname().to_owned(),
            optimize_for: options.optimize_for().into(),
            java_multiple_files: options.java_multiple_files(),
            go_package: options.go_package().to_owned(),
            cc_generic_services: options.cc_generic_services(),
            java_generic_services: options.java_generic_services(),
            py_generic_services: options.py_generic_services(),
            java_string_check_utf8: options.java_string_check_utf8,
            cc_enable_arenas: options.cc_enable_arenas(),
            objc_class_prefix: options.objc_class_prefix().to_owned(),
            csharp_namespace: options.csharp_namespace().to_owned(),
            swift_prefix: options.swift_prefix().to_owned(),
            php_class_prefix: options.php_class_prefix().to_owned(),
            php_namespace: options.php_namespace().to_owned(),
            php_metadata_namespace: options.php_metadata_namespace().to_owned(),
            ruby_package: options.ruby_package().to_owned(),
            features: None,
        }
    }
}

impl From<&DescriptorProto> for MessageProto {
    fn from(message: &DescriptorProto) -> Self {
        Self {
            name: message.name().to_owned(),
            field: all(&message.field),
            nested_type: all(&message.nested_type),
            enum_type: all(&message.enum_type),
            extension_range: all(&message.extension_range),
            extension: all(&message.extension),
            options: message.options.as_ref().map(MessageOptions::from),
            oneof_decl: all(&message.oneof_decl),
            reserved_range: all(&message.reserved_range),
            reserved_name: message.reserved_name.clone(),
        }
    }
}

impl From<&prost_types::MessageOptions> for MessageOptions {
    fn from(options: &prost_types::MessageOptions) -> Self {
        Self {
            no_standard_descriptor_accessor: options.no_standard_descriptor_accessor(),
            map_entry: options.map_entry(),
            features: None,
        }
    }
}

impl From<&FieldDescriptorProto> for FieldProto {
    fn from(field: &FieldDescriptorProto) -> Self {
        let unset = Self::default();
        Self {
            name: field.name().to_owned(),
            extendee: field.extendee().to_owned(),
            number: field.number(),
            label: field.label.unwrap_or(unset.label),
            r#type: field.r#type.unwrap_or(unset.r#type),
            type_name: field.type_name().to_owned(),
            default_value: field.default_value.clone(),
            options: field.options.as_ref().map(|options| Box::new(options.into())),
            oneof_index: field.oneof_index,
            json_name: field.json_name().to_owned(),
            proto3_optional: field.proto3_optional(),
        }
    }
}

impl From<&prost_types::FieldOptions> for FieldOptions {
    fn from(options: &prost_types::FieldOptions) -> Self {
        Self {
            ctype: options.ctype,
            packed: options.packed,
            jstype: options.jstype().into(),
            features: None,
        }
    }
}

impl From<&OneofDescriptorProto> for OneofProto {
    fn from(oneof: &OneofDescriptorProto) -> Self {
        Self { name: oneof.name().to_owned() }
    }
}

impl From<&ReservedRange> for RangeProto {
    fn from(range: &ReservedRange) -> Self {
        Self { start: range.start(), end: range.end() }
    }
}

impl From<&ExtensionRange> for RangeProto {
    fn from(range: &ExtensionRange) -> Self {
        Self { start: range.start(), end: range.end() }
    }
}

impl From<&EnumReservedRange> for RangeProto {
    fn from(range: &EnumReservedRange) -> Self {
        Self { start: range.start(), end: range.end() }
    }
}

impl From<&EnumDescriptorProto> for EnumProto {
    fn from(declared: &EnumDescriptorProto) -> Self {
        Self {
            name: declared.name().to_owned(),
            value: all(&declared.value),
            options: None,
            reserved_range: all(&declared.reserved_range),
            reserved_name: declared.reserved_name.clone(),
        }
    }
}

impl From<&EnumValueDescriptorProto> for EnumValueProto {
    fn from(value: &EnumValueDescriptorProto) -> Self {
        Self { name: value.name().to_owned(), number: value.number() }
    }
}

impl From<&ServiceDescriptorProto> for ServiceProto {
    fn from(service: &ServiceDescriptorProto) -> Self {
        Self { name: service.name().to_owned(), method: all(&service.method) }
    }
}

impl From<&MethodDescriptorProto> for MethodProto {
    fn from(method: &MethodDescriptorProto) -> Self {
        let idempotency = |options: &prost_types::MethodOptions| MethodOptions {
            idempotency_level: options.idempotency_level().into(),
        };
        Self {
            name: method.name().to_owned(),
            input_type: method.input_type().to_owned(),
            output_type: method.output_type().to_owned(),
            options: method.options.as_ref().map(idempotency),
            client_streaming: method.client_streaming(),
            server_streaming: method.server_streaming(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::take;

    use prost::Message;
    use prost_reflect::FileDescriptor;

    use super::*;
    use crate::compile;
    use crate::schema::location::{Locations, Source};

    const EVERYTHING: &str = r#"// A comment before the syntax.
syntax = "proto2";
package a.b;
import "google/protobuf/descriptor.proto";
option java_package = "j";
option java_outer_classname = "J";
option optimize_for = CODE_SIZE;
option java_multiple_files = true;
option go_package = "g";
option cc_generic_services = true;
option java_generic_services = true;
option py_generic_services = true;
option java_string_check_utf8 = false;
option cc_enable_arenas = false;
option objc_class_prefix = "O";
option csharp_namespace = "C";
option swift_prefix = "S";
option php_class_prefix = "P";
option php_namespace = "N";
option php_metadata_namespace = "M";
option ruby_package = "R";
/* A message. */ message Outer { // It follows.
  option no_standard_descriptor_accessor = true;
  required string text = 1 [default = "x", json_name = "t", ctype = CORD];
  optional int64 number = 2 [jstype = JS_STRING];
  repeated int32 list = 3 [packed = true];
  map<string, Inner> map = 4;
  oneof choice { bool one = 5; group Two = 6 { optional bytes b = 1; } }
  message Inner { optional Kind kind = 1; extensions 10 to 20; extend Outer { optional Kind inner = 101; } }
  reserved 7, 30 to 40;
  reserved "gone";
  extensions 100 to max;
}
enum Kind { ZERO = 0; NEGATIVE = -1; reserved 5, 7 to 9; reserved "OLD"; }
extend google.protobuf.FieldOptions { optional string mine = 50000; }
service Service {
  rpc Call(Outer) returns (stream Outer.Inner) { option idempotency_level = IDEMPOTENT; }
  rpc Send(stream Outer) returns (Outer);
}
"#;

    const OPTIONAL: &str = "syntax = \"proto3\"; message M { optional int32 set = 1; repeated int32 list = 2 [packed = false]; }";

    fn assert_converted(file: FileDescriptor) {
        let proto = file.file_descriptor_proto().clone();
        let mut decoded = FileProto::decode(proto.encode_to_vec().as_slice()).expect("a file");
        let encoded = Locations::new(Source::Encoded(take(&mut decoded.source_code_info)));
        assert_eq!(FileProto::from(&proto), decoded, "{}", proto.name());
        let compiled = Locations::new(Source::Compiled(file));
        assert_eq!(compiled.comments(), encoded.comments(), "{}", proto.name());
        for location in proto.source_code_info.iter().flat_map(|info| &info.location) {
            assert_eq!(compiled.at(&location.path), encoded.at(&location.path));
        }
    }

    #[test]
    fn descriptors_are_those_of_the_encoded_file() {
        for text in [EVERYTHING, OPTIONAL] {
            let compiled = compile::text("x.proto", text).expect("compiles");
            compiled.pool.files().for_each(assert_converted);
        }
        for revision in nri_protos::REVISIONS {
            let compiled = compile::text("api.proto", revision.proto).expect("compiles");
            compiled.pool.files().for_each(assert_converted);
        }
    }
}
