//! The elements of a schema, as plain data. Numbers are those of descriptor.proto.

use std::sync::Arc;

use super::super::descriptor::FileOptions;
use super::super::features::{Features, Syntax};
use super::location::Locations;

/// The identity of an element, and the place of its declaration.
#[derive(Debug)]
pub(in crate::diff) struct Id {
    /// The name with the package, without leading dot.
    pub(in crate::diff) full: String,
    /// The index in `full` after the package and its dot.
    nested_at: usize,
    /// The index in `full` of the last part of the name.
    name_at: usize,
    /// The index of the file in its schema.
    pub(in crate::diff) file: usize,
    /// The path of the declaration in the descriptor of the file.
    pub(in crate::diff) path: Box<[i32]>,
    /// The place to report if the declaration has none: the map field of a map entry.
    pub(in crate::diff) stands_at: Option<Box<[i32]>>,
}

impl Id {
    /// Creates the id of an element called `name` within `nested` in `package`.
    pub(super) fn new(
        package: &str,
        nested: &str,
        name: &str,
        file: usize,
        path: Box<[i32]>,
    ) -> Self {
        let scopes = [package, nested]
            .into_iter()
            .filter(|scope| !scope.is_empty());
        let full: Vec<&str> = scopes.chain([name]).collect();
        let full = full.join(".");
        Self {
            nested_at: if package.is_empty() {
                0
            } else {
                package.len() + 1
            },
            name_at: full.len() - name.len(),
            full,
            file,
            path,
            stands_at: None,
        }
    }

    /// Returns the last part of the name.
    pub(in crate::diff) fn name(&self) -> &str {
        &self.full[self.name_at..]
    }

    /// Returns the name without the package.
    pub(in crate::diff) fn nested(&self) -> &str {
        &self.full[self.nested_at..]
    }
}

/// A file; its imports are also files of the schema.
#[derive(Debug)]
pub(in crate::diff) struct File {
    pub(in crate::diff) name: String,
    pub(in crate::diff) package: String,
    pub(in crate::diff) syntax: Syntax,
    pub(in crate::diff) edition: i32,
    pub(in crate::diff) options: FileOptions,
    pub(in crate::diff) locations: Locations,
}

/// A message, nested or not, map entries included.
#[derive(Debug)]
pub(in crate::diff) struct Message {
    pub(in crate::diff) id: Id,
    pub(in crate::diff) fields: Vec<Field>,
    pub(in crate::diff) oneofs: Vec<Oneof>,
    pub(in crate::diff) reserved: Vec<Span>,
    pub(in crate::diff) reserved_names: Vec<String>,
    pub(in crate::diff) extension_ranges: Vec<Span>,
    pub(in crate::diff) no_standard_descriptor_accessor: bool,
    pub(in crate::diff) features: Features,
}

/// A field of a message, or an extension.
#[derive(Debug)]
pub(in crate::diff) struct Field {
    pub(in crate::diff) id: Id,
    pub(in crate::diff) number: i32,
    /// `Label`.
    pub(in crate::diff) label: i32,
    /// The declared `Type`.
    pub(in crate::diff) declared: i32,
    /// The encoded `Type`: a message that features make delimited is a group.
    pub(in crate::diff) kind: i32,
    /// The full name of the message or enum, if it has one.
    pub(in crate::diff) type_name: String,
    /// The name of the enclosing message; for an extension, the full name of the extended one.
    pub(in crate::diff) owner: Arc<str>,
    pub(in crate::diff) is_extension: bool,
    pub(in crate::diff) in_map_entry: bool,
    pub(in crate::diff) cardinality: Cardinality,
    /// True if several values are sent as one block.
    pub(in crate::diff) packed: bool,
    /// The name of the oneof in the source, if any.
    pub(in crate::diff) oneof: Option<String>,
    pub(in crate::diff) json_name: String,
    pub(in crate::diff) default_value: Option<String>,
    pub(in crate::diff) ctype: Option<i32>,
    pub(in crate::diff) jstype: i32,
    pub(in crate::diff) features: Features,
}

/// The number of values of a field in a message, and whether its absence is visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::diff) enum Cardinality {
    Explicit,
    Implicit,
    Required,
    Repeated,
    Map,
}

/// A oneof; `synthetic` ones stand for a proto3 `optional`.
#[derive(Debug)]
pub(in crate::diff) struct Oneof {
    pub(in crate::diff) name: String,
    pub(in crate::diff) synthetic: bool,
}

/// A range of numbers, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::diff) struct Span {
    pub(in crate::diff) start: i64,
    pub(in crate::diff) end: i64,
}

/// An enum, nested or not.
#[derive(Debug)]
pub(in crate::diff) struct Enum {
    pub(in crate::diff) id: Id,
    pub(in crate::diff) values: Vec<EnumValue>,
    pub(in crate::diff) reserved: Vec<Span>,
    pub(in crate::diff) reserved_names: Vec<String>,
    pub(in crate::diff) features: Features,
}

/// A value of an enum.
#[derive(Debug)]
pub(in crate::diff) struct EnumValue {
    pub(in crate::diff) id: Id,
    pub(in crate::diff) number: i32,
}

/// A service.
#[derive(Debug)]
pub(in crate::diff) struct Service {
    pub(in crate::diff) id: Id,
    pub(in crate::diff) methods: Vec<Method>,
}

/// An RPC.
#[derive(Debug)]
pub(in crate::diff) struct Method {
    pub(in crate::diff) id: Id,
    pub(in crate::diff) service: String,
    pub(in crate::diff) input: String,
    pub(in crate::diff) output: String,
    pub(in crate::diff) client_streaming: bool,
    pub(in crate::diff) server_streaming: bool,
    pub(in crate::diff) idempotency_level: i32,
}

/// Numbers of `FieldDescriptorProto.Type` and `.Label`.
pub(in crate::diff) mod number {
    pub(in crate::diff) const DOUBLE: i32 = 1;
    pub(in crate::diff) const FLOAT: i32 = 2;
    pub(in crate::diff) const INT64: i32 = 3;
    pub(in crate::diff) const UINT64: i32 = 4;
    pub(in crate::diff) const INT32: i32 = 5;
    pub(in crate::diff) const FIXED64: i32 = 6;
    pub(in crate::diff) const FIXED32: i32 = 7;
    pub(in crate::diff) const BOOL: i32 = 8;
    pub(in crate::diff) const STRING: i32 = 9;
    pub(in crate::diff) const GROUP: i32 = 10;
    pub(in crate::diff) const MESSAGE: i32 = 11;
    pub(in crate::diff) const BYTES: i32 = 12;
    pub(in crate::diff) const UINT32: i32 = 13;
    pub(in crate::diff) const ENUM: i32 = 14;
    pub(in crate::diff) const SFIXED32: i32 = 15;
    pub(in crate::diff) const SFIXED64: i32 = 16;
    pub(in crate::diff) const SINT32: i32 = 17;
    pub(in crate::diff) const SINT64: i32 = 18;
    pub(in crate::diff) const LABEL_REQUIRED: i32 = 2;
    pub(in crate::diff) const LABEL_REPEATED: i32 = 3;
}
