//! The protocol as plain data: services, messages and enums as the schema has them, and what NRI makes of them.
//!
//! Reading never fails, so that a diff can look at anything; [`Protocol::check`] says whether it can be generated from.

mod check;
mod names;
mod nri;
pub(crate) mod outline;
mod read;

use prost_types::FileDescriptorProto;

use crate::compile::Compiled;
use crate::error::Error;

pub(crate) use nri::EVENT;
pub use nri::STATE_CHANGE;
pub use nri::{Carrier, Event, NriView, Scope};

/// A schema: all that its named files declare, imports left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protocol {
    /// Package of the first file: `nri.pkg.api.v1alpha1`.
    pub package: String,
    /// Services, in the order declared.
    pub services: Vec<Service>,
    /// Top-level messages, in the order declared.
    pub messages: Vec<Message>,
    /// Top-level enums, in the order declared.
    pub enums: Vec<Enum>,
    /// Events, mask and who carries what; `None` if the schema is no NRI protocol.
    pub nri: Option<NriView>,
}

/// Comment and place of a declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The comment before it, or else behind it; lines without comment signs.
    pub comment: String,
    /// Where it is declared, if the schema was compiled with source info.
    pub location: Option<Location>,
}

/// A place in a file of the schema; line and column count from 1, columns in bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The file as the schema names it.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1.
    pub column: u32,
}

/// A service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// `Plugin`
    pub name: String,
    /// `nri.pkg.api.v1alpha1.Plugin`
    pub full_name: String,
    /// RPCs, in the order declared.
    pub rpcs: Vec<Rpc>,
    /// Comment and place.
    pub about: About,
}

/// An RPC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rpc {
    /// `CreateContainer`
    pub name: String,
    /// `nri.pkg.api.v1alpha1.Plugin.CreateContainer`
    pub full_name: String,
    /// Full name of the request message.
    pub input: String,
    /// Full name of the response message.
    pub output: String,
    /// True if the client sends a stream; NRI has none.
    pub client_streaming: bool,
    /// True if the server answers with a stream; NRI has none.
    pub server_streaming: bool,
    /// Comment and place.
    pub about: About,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// `LogRequest`
    pub name: String,
    /// `nri.pkg.api.v1alpha1.LogRequest`
    pub full_name: String,
    /// Fields, in the order declared.
    pub fields: Vec<Field>,
    /// Nested messages, entries of maps left out.
    pub messages: Vec<Message>,
    /// Nested enums.
    pub enums: Vec<Enum>,
    /// Names of the oneofs, those that `optional` implies left out.
    pub oneofs: Vec<String>,
    /// Comment and place.
    pub about: About,
}

/// A field of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// `plugin_name`
    pub name: String,
    /// `nri.pkg.api.v1alpha1.RegisterPluginRequest.plugin_name`
    pub full_name: String,
    /// Number on the wire.
    pub number: i32,
    /// Name in JSON.
    pub json_name: String,
    /// Type of a value.
    pub kind: FieldKind,
    /// How many values.
    pub label: Label,
    /// True if unset can be told from the default.
    pub presence: bool,
    /// The oneof it belongs to.
    pub oneof: Option<String>,
    /// Comment and place.
    pub about: About,
}

/// Type of a field's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A scalar, as protobuf spells it: `int32`, `string`.
    Scalar(&'static str),
    /// A message (or a proto2 group) of this full name.
    Message(String),
    /// An enum of this full name.
    Enum(String),
    /// A map.
    Map {
        /// Scalar type of the keys.
        key: &'static str,
        /// Type of the values.
        value: Box<FieldKind>,
    },
}

/// How many values a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// One, by default the type's zero or unset.
    Single,
    /// Exactly one (proto2).
    Required,
    /// Any number, maps included.
    Repeated,
}

/// An enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// `Event`
    pub name: String,
    /// `nri.pkg.api.v1alpha1.Event`
    pub full_name: String,
    /// Values, in the order declared.
    pub values: Vec<EnumValue>,
    /// Comment and place.
    pub about: About,
}

/// A value of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumValue {
    /// `RUN_POD_SANDBOX`
    pub name: String,
    /// `nri.pkg.api.v1alpha1.Event.RUN_POD_SANDBOX`, with the enum's name in it.
    pub full_name: String,
    /// Number on the wire.
    pub number: i32,
    /// Comment and place.
    pub about: About,
}

impl Protocol {
    /// Reads what the named files of `compiled` declare.
    pub fn read(compiled: &Compiled) -> Protocol {
        read::protocol(compiled)
    }

    /// Reads what these files declare.
    pub fn of_files<'f>(files: impl IntoIterator<Item = &'f FileDescriptorProto>) -> Protocol {
        read::of_files(files)
    }

    /// Reads what the files of an encoded `FileDescriptorSet` declare.
    ///
    /// # Errors
    ///
    /// If the bytes are no such set.
    pub fn of_set(set: &[u8]) -> Result<Protocol, Error> {
        read::of_set(set)
    }

    /// Returns true if a service, RPC, message, field, enum or enum value (as `pkg.Enum.VALUE`) of
    /// this full name is declared.
    pub fn has(&self, full_name: &str) -> bool {
        names::of(self).any(|name| name == full_name)
    }

    /// Full names of everything declared, in no order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        names::of(self)
    }

    /// Returns the service of this name, without package.
    pub fn service(&self, name: &str) -> Option<&Service> {
        self.services.iter().find(|service| service.name == name)
    }

    /// Returns the message of this full name, nested or not.
    pub fn message(&self, full_name: &str) -> Option<&Message> {
        fn find<'m>(messages: &'m [Message], full_name: &str) -> Option<&'m Message> {
            messages.iter().find_map(|message| {
                if message.full_name == full_name {
                    Some(message)
                } else {
                    find(&message.messages, full_name)
                }
            })
        }
        find(&self.messages, full_name)
    }

    /// Returns the top-level enum of this name, without package.
    pub fn enumeration(&self, name: &str) -> Option<&Enum> {
        self.enums.iter().find(|found| found.name == name)
    }
}

impl Service {
    /// Returns the RPC of this name.
    pub fn rpc(&self, name: &str) -> Option<&Rpc> {
        self.rpcs.iter().find(|rpc| rpc.name == name)
    }
}

impl Message {
    /// Returns the field of this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}
