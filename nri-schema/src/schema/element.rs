//! The elements of a schema, as plain data. Numbers are those of descriptor.proto.

use std::sync::Arc;

use super::descriptor::FileOptions;
use super::features::{Features, Syntax};
use super::location::Locations;

/// The identity of an element, and the place of its declaration.
#[derive(Debug)]
pub struct Id {
    /// The name with the package, without leading dot.
    pub full: String,
    /// The index in `full` after the package and its dot.
    nested_at: usize,
    /// The index in `full` of the last part of the name.
    name_at: usize,
    /// The index of the file in its schema.
    pub file: usize,
    /// The path of the declaration in the descriptor of the file.
    pub path: Box<[i32]>,
    /// The place to report if the declaration has none: the map field of a map entry.
    pub stands_at: Option<Box<[i32]>>,
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
        let scopes = [package, nested].into_iter().filter(|scope| !scope.is_empty());
        let full = scopes.chain([name]).collect::<Vec<_>>().join(".");
        Self {
            nested_at: if package.is_empty() { 0 } else { package.len() + 1 },
            name_at: full.len() - name.len(),
            full,
            file,
            path,
            stands_at: None,
        }
    }

    /// Returns the last part of the name.
    pub fn name(&self) -> &str {
        &self.full[self.name_at..]
    }

    /// Returns the name without the package.
    pub fn nested(&self) -> &str {
        &self.full[self.nested_at..]
    }
}

/// An element with a name and a place.
pub trait Declaration {
    /// Returns its name and place.
    fn id(&self) -> &Id;
}

macro_rules! declarations {
    ($($element:ident)*) => {
        $(impl Declaration for $element {
            fn id(&self) -> &Id {
                &self.id
            }
        })*
    };
}

declarations!(MessageDescriptor FieldDescriptor EnumDescriptor EnumValueDescriptor ServiceDescriptor Method);

/// A file; its imports are also files of the schema.
#[derive(Debug)]
pub struct File {
    /// The name under which it is imported.
    pub name: String,
    /// The package; empty if it has none.
    pub package: String,
    /// The syntax statement.
    pub syntax: Syntax,
    /// The number of `Edition`; 0 for a syntax.
    pub edition: i32,
    /// The options that the file sets.
    pub options: FileOptions,
    /// The places of everything in it.
    pub locations: Locations,
}

/// A message, nested or not, map entries included.
#[derive(Debug)]
pub struct MessageDescriptor {
    /// The name and the place.
    pub id: Id,
    /// The fields, in the order of declaration.
    pub fields: Vec<FieldDescriptor>,
    /// The oneofs, in the order of declaration.
    pub oneofs: Vec<Oneof>,
    /// The reserved numbers.
    pub reserved: Vec<Span>,
    /// Names that no field may have.
    pub reserved_names: Vec<String>,
    /// The numbers for extensions.
    pub extension_ranges: Vec<Span>,
    /// The option of this name.
    pub no_standard_descriptor_accessor: bool,
    /// The features, those of its scope included.
    pub features: Features,
}

impl MessageDescriptor {
    /// Returns true if the compiler made it for the entries of a map.
    pub fn is_map_entry(&self) -> bool {
        self.fields.iter().any(|field| field.in_map_entry)
    }
}

/// A field of a message, or an extension.
#[derive(Debug)]
pub struct FieldDescriptor {
    /// The name and the place.
    pub id: Id,
    /// The number on the wire.
    pub number: i32,
    /// The number of `Label`.
    pub label: i32,
    /// The number of the declared `Type`.
    pub declared: i32,
    /// The number of the encoded `Type`: a message that features make delimited is a group.
    pub kind: i32,
    /// The full name of the message or enum, if it has one.
    pub type_name: String,
    /// The name of the enclosing message; for an extension, the full name of the extended one.
    pub owner: Arc<str>,
    /// True for an extension.
    pub is_extension: bool,
    /// True for the key and the value of a map.
    pub in_map_entry: bool,
    /// The number of values.
    pub cardinality: Cardinality,
    /// True if several values are sent as one block.
    pub packed: bool,
    /// The name of the oneof in the source, if any.
    pub oneof: Option<String>,
    /// The name in JSON.
    pub json_name: String,
    /// The default of proto2, as descriptors have it.
    pub default_value: Option<String>,
    /// The number of the option `ctype`, if it is set.
    pub ctype: Option<i32>,
    /// The number of the option `jstype`.
    pub jstype: i32,
    /// The features, those of its scope included.
    pub features: Features,
}

/// The number of values of a field in a message, and whether its absence is visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cardinality {
    /// At most one, and none differs from the default.
    Explicit,
    /// One, which is the default if none is sent.
    Implicit,
    /// Exactly one.
    Required,
    /// Any number.
    Repeated,
    /// Any number of pairs.
    Map,
}

/// A oneof.
#[derive(Debug)]
pub struct Oneof {
    /// The name.
    pub name: String,
    /// True if it stands for a proto3 `optional`.
    pub synthetic: bool,
}

/// A range of numbers, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The first number.
    pub start: i64,
    /// The last number.
    pub end: i64,
}

/// An enum, nested or not.
#[derive(Debug)]
pub struct EnumDescriptor {
    /// The name and the place.
    pub id: Id,
    /// The values, in the order of declaration.
    pub values: Vec<EnumValueDescriptor>,
    /// The reserved numbers.
    pub reserved: Vec<Span>,
    /// Names that no field may have.
    pub reserved_names: Vec<String>,
    /// The features, those of its scope included.
    pub features: Features,
}

/// A value of an enum.
#[derive(Debug)]
pub struct EnumValueDescriptor {
    /// The name, with that of the enum, and the place.
    pub id: Id,
    /// The number on the wire.
    pub number: i32,
}

/// A service.
#[derive(Debug)]
pub struct ServiceDescriptor {
    /// The name and the place.
    pub id: Id,
    /// The RPCs, in the order of declaration.
    pub methods: Vec<Method>,
}

/// An RPC.
#[derive(Debug)]
pub struct Method {
    /// The name and the place.
    pub id: Id,
    /// The name of the service, without the package.
    pub service: String,
    /// The full name of the request.
    pub input: String,
    /// The full name of the response.
    pub output: String,
    /// True if the client sends a stream.
    pub client_streaming: bool,
    /// True if the server answers with a stream.
    pub server_streaming: bool,
    /// The number of the option `idempotency_level`.
    pub idempotency_level: i32,
}

/// Numbers of `FieldDescriptorProto.Type` and `.Label`.
#[expect(missing_docs, reason = "they are the names of descriptor.proto")]
pub mod number {
    pub const DOUBLE: i32 = 1;
    pub const FLOAT: i32 = 2;
    pub const INT64: i32 = 3;
    pub const UINT64: i32 = 4;
    pub const INT32: i32 = 5;
    pub const FIXED64: i32 = 6;
    pub const FIXED32: i32 = 7;
    pub const BOOL: i32 = 8;
    pub const STRING: i32 = 9;
    pub const GROUP: i32 = 10;
    pub const MESSAGE: i32 = 11;
    pub const BYTES: i32 = 12;
    pub const UINT32: i32 = 13;
    pub const ENUM: i32 = 14;
    pub const SFIXED32: i32 = 15;
    pub const SFIXED64: i32 = 16;
    pub const SINT32: i32 = 17;
    pub const SINT64: i32 = 18;
    pub const LABEL_REQUIRED: i32 = 2;
    pub const LABEL_REPEATED: i32 = 3;

    /// Returns the word for the scalar type with this number, or for the kind of any other type.
    pub const fn word(kind: i32) -> &'static str {
        match kind {
            DOUBLE => "double",
            FLOAT => "float",
            INT64 => "int64",
            UINT64 => "uint64",
            INT32 => "int32",
            FIXED64 => "fixed64",
            FIXED32 => "fixed32",
            BOOL => "bool",
            STRING => "string",
            GROUP => "group",
            MESSAGE => "message",
            BYTES => "bytes",
            UINT32 => "uint32",
            ENUM => "enum",
            SFIXED32 => "sfixed32",
            SFIXED64 => "sfixed64",
            SINT32 => "sint32",
            _ => "sint64",
        }
    }
}
