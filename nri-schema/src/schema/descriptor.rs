//! The part of a compiled schema that the rules read, from
//! [descriptor.proto](https://github.com/protocolbuffers/protobuf/blob/main/src/google/protobuf/descriptor.proto).
//!
//! `prost-types` knows neither editions nor features and would drop them, so these are separate
//! messages. Enums stay numbers, so that values from newer compilers can be decoded.

use prost::Message;
use prost::bytes::Bytes;

/// A `FileDescriptorSet` whose files are still encoded.
#[derive(Clone, PartialEq, Message)]
pub(super) struct FileSet {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub(super) file: Vec<Bytes>,
}

/// The types that a `FileDescriptorProto` declares.
#[derive(Clone, PartialEq, Message)]
pub(super) struct FileTypes {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "2")]
    pub(super) package: String,
    #[prost(message, repeated, tag = "4")]
    pub(super) message_type: Vec<MessageTypes>,
    #[prost(message, repeated, tag = "5")]
    pub(super) enum_type: Vec<NamedProto>,
}

/// The types that a `DescriptorProto` declares, including itself.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MessageTypes {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "3")]
    pub(super) nested_type: Vec<MessageTypes>,
    #[prost(message, repeated, tag = "4")]
    pub(super) enum_type: Vec<NamedProto>,
    #[prost(message, optional, tag = "7")]
    pub(super) options: Option<MessageOptions>,
}

/// The name of an `EnumDescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct NamedProto {
    #[prost(string, tag = "1")]
    pub(super) name: String,
}

/// `FileDescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct FileProto {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "2")]
    pub(super) package: String,
    #[prost(string, repeated, tag = "3")]
    pub(super) dependency: Vec<String>,
    #[prost(message, repeated, tag = "4")]
    pub(super) message_type: Vec<MessageProto>,
    #[prost(message, repeated, tag = "5")]
    pub(super) enum_type: Vec<EnumProto>,
    #[prost(message, repeated, tag = "6")]
    pub(super) service: Vec<ServiceProto>,
    #[prost(message, repeated, tag = "7")]
    pub(super) extension: Vec<FieldProto>,
    #[prost(message, optional, tag = "8")]
    pub(super) options: Option<FileOptions>,
    /// [`SourceInfo`], which is decoded when a place is asked for.
    #[prost(bytes = "bytes", tag = "9")]
    pub(super) source_code_info: Bytes,
    #[prost(string, tag = "12")]
    pub(super) syntax: String,
    #[prost(int32, tag = "14")]
    pub(super) edition: i32,
}

/// `FileOptions`.
#[derive(Clone, PartialEq, Message)]
#[expect(missing_docs, reason = "they are the options of descriptor.proto, in their words")]
pub struct FileOptions {
    #[prost(string, tag = "1")]
    pub java_package: String,
    #[prost(string, tag = "8")]
    pub java_outer_classname: String,
    #[prost(int32, tag = "9", default = "1")]
    pub optimize_for: i32,
    #[prost(bool, tag = "10")]
    pub java_multiple_files: bool,
    #[prost(string, tag = "11")]
    pub go_package: String,
    #[prost(bool, tag = "16")]
    pub cc_generic_services: bool,
    #[prost(bool, tag = "17")]
    pub java_generic_services: bool,
    #[prost(bool, tag = "18")]
    pub py_generic_services: bool,
    #[prost(bool, optional, tag = "27")]
    pub java_string_check_utf8: Option<bool>,
    #[prost(bool, tag = "31", default = "true")]
    pub cc_enable_arenas: bool,
    #[prost(string, tag = "36")]
    pub objc_class_prefix: String,
    #[prost(string, tag = "37")]
    pub csharp_namespace: String,
    #[prost(string, tag = "39")]
    pub swift_prefix: String,
    #[prost(string, tag = "40")]
    pub php_class_prefix: String,
    #[prost(string, tag = "41")]
    pub php_namespace: String,
    #[prost(string, tag = "44")]
    pub php_metadata_namespace: String,
    #[prost(string, tag = "45")]
    pub ruby_package: String,
    #[prost(message, optional, tag = "50")]
    pub(super) features: Option<FeatureSet>,
}

/// `DescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MessageProto {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) field: Vec<FieldProto>,
    #[prost(message, repeated, tag = "3")]
    pub(super) nested_type: Vec<MessageProto>,
    #[prost(message, repeated, tag = "4")]
    pub(super) enum_type: Vec<EnumProto>,
    #[prost(message, repeated, tag = "5")]
    pub(super) extension_range: Vec<RangeProto>,
    #[prost(message, repeated, tag = "6")]
    pub(super) extension: Vec<FieldProto>,
    #[prost(message, optional, tag = "7")]
    pub(super) options: Option<MessageOptions>,
    #[prost(message, repeated, tag = "8")]
    pub(super) oneof_decl: Vec<OneofProto>,
    #[prost(message, repeated, tag = "9")]
    pub(super) reserved_range: Vec<RangeProto>,
    #[prost(string, repeated, tag = "10")]
    pub(super) reserved_name: Vec<String>,
}

/// `MessageOptions`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MessageOptions {
    #[prost(bool, tag = "2")]
    pub(super) no_standard_descriptor_accessor: bool,
    #[prost(bool, tag = "7")]
    pub(super) map_entry: bool,
    #[prost(message, optional, tag = "12")]
    pub(super) features: Option<FeatureSet>,
}

/// `FieldDescriptorProto`, of a field or an extension.
#[derive(Clone, PartialEq, Message)]
pub(super) struct FieldProto {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "2")]
    pub(super) extendee: String,
    #[prost(int32, tag = "3")]
    pub(super) number: i32,
    #[prost(int32, tag = "4", default = "1")]
    pub(super) label: i32,
    #[prost(int32, tag = "5")]
    pub(super) r#type: i32,
    #[prost(string, tag = "6")]
    pub(super) type_name: String,
    #[prost(string, optional, tag = "7")]
    pub(super) default_value: Option<String>,
    #[prost(message, optional, boxed, tag = "8")]
    pub(super) options: Option<Box<FieldOptions>>,
    #[prost(int32, optional, tag = "9")]
    pub(super) oneof_index: Option<i32>,
    #[prost(string, tag = "10")]
    pub(super) json_name: String,
    #[prost(bool, tag = "17")]
    pub(super) proto3_optional: bool,
}

/// `FieldOptions`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct FieldOptions {
    #[prost(int32, optional, tag = "1")]
    pub(super) ctype: Option<i32>,
    #[prost(bool, optional, tag = "2")]
    pub(super) packed: Option<bool>,
    #[prost(int32, tag = "6")]
    pub(super) jstype: i32,
    #[prost(message, optional, tag = "21")]
    pub(super) features: Option<FeatureSet>,
}

/// `OneofDescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct OneofProto {
    #[prost(string, tag = "1")]
    pub(super) name: String,
}

/// A `ReservedRange` or `ExtensionRange`; whether `end` is part of it depends on the context.
#[derive(Clone, PartialEq, Message)]
pub(super) struct RangeProto {
    #[prost(int32, tag = "1")]
    pub(super) start: i32,
    #[prost(int32, tag = "2")]
    pub(super) end: i32,
}

/// `EnumDescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct EnumProto {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) value: Vec<EnumValueProto>,
    #[prost(message, optional, tag = "3")]
    pub(super) options: Option<EnumOptions>,
    #[prost(message, repeated, tag = "4")]
    pub(super) reserved_range: Vec<RangeProto>,
    #[prost(string, repeated, tag = "5")]
    pub(super) reserved_name: Vec<String>,
}

/// `EnumOptions`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct EnumOptions {
    #[prost(message, optional, tag = "7")]
    pub(super) features: Option<FeatureSet>,
}

/// `EnumValueDescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct EnumValueProto {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(int32, tag = "2")]
    pub(super) number: i32,
}

/// `ServiceDescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ServiceProto {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) method: Vec<MethodProto>,
}

/// `MethodDescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MethodProto {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "2")]
    pub(super) input_type: String,
    #[prost(string, tag = "3")]
    pub(super) output_type: String,
    #[prost(message, optional, tag = "4")]
    pub(super) options: Option<MethodOptions>,
    #[prost(bool, tag = "5")]
    pub(super) client_streaming: bool,
    #[prost(bool, tag = "6")]
    pub(super) server_streaming: bool,
}

/// `MethodOptions`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MethodOptions {
    #[prost(int32, tag = "34")]
    pub(super) idempotency_level: i32,
}

/// A `FeatureSet`: the features of editions, per element.
#[derive(Clone, PartialEq, Message)]
pub(super) struct FeatureSet {
    #[prost(int32, optional, tag = "1")]
    pub(super) field_presence: Option<i32>,
    #[prost(int32, optional, tag = "2")]
    pub(super) enum_type: Option<i32>,
    #[prost(int32, optional, tag = "3")]
    pub(super) repeated_field_encoding: Option<i32>,
    #[prost(int32, optional, tag = "4")]
    pub(super) utf8_validation: Option<i32>,
    #[prost(int32, optional, tag = "5")]
    pub(super) message_encoding: Option<i32>,
    #[prost(int32, optional, tag = "6")]
    pub(super) json_format: Option<i32>,
    #[prost(message, optional, tag = "1000")]
    pub(super) cpp: Option<LanguageFeatures>,
    #[prost(message, optional, tag = "1001")]
    pub(super) java: Option<LanguageFeatures>,
}

/// `pb.CppFeatures` (field 2 is `string_type`) and `pb.JavaFeatures` (field 2 is
/// `utf8_validation`).
#[derive(Clone, PartialEq, Message)]
pub(super) struct LanguageFeatures {
    #[prost(int32, optional, tag = "2")]
    pub(super) strings: Option<i32>,
}

/// `SourceCodeInfo`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SourceInfo {
    #[prost(message, repeated, tag = "1")]
    pub(super) location: Vec<SourceLocation>,
}

/// `SourceCodeInfo.Location`. Comments are bytes, because those of a file in Latin-1 are not UTF-8.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SourceLocation {
    #[prost(int32, repeated, tag = "1")]
    pub(super) path: Vec<i32>,
    #[prost(int32, repeated, tag = "2")]
    pub(super) span: Vec<i32>,
    #[prost(bytes = "bytes", tag = "3")]
    pub(super) leading_comments: Bytes,
    #[prost(bytes = "bytes", tag = "4")]
    pub(super) trailing_comments: Bytes,
}
