//! The protocol as plain data: services, messages and enums of the schema, and their interpretation
//! as NRI.
//!
//! Reading never fails, so that a diff can process any schema; [`Protocol::check`] reports whether
//! bindings can be generated from it.

mod check;
mod names;
mod nri;
mod read;

use crate::compile::Compiled;
use crate::error::Error;
use crate::location::Location;
use crate::schema::Schema;

pub use nri::{Carrier, Event, NriView, Scope};
pub use nri::{EVENT, PLUGIN, STATE_CHANGE};

/// A schema: all declarations of its files, without imports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protocol {
    /// The package of the first file: `nri.pkg.api.v1alpha1`.
    pub package: String,
    /// The services, in declaration order.
    pub services: Vec<Service>,
    /// The top-level messages, in declaration order.
    pub messages: Vec<Message>,
    /// The top-level enums, in declaration order.
    pub enums: Vec<Enum>,
    /// Events, mask and carriers; `None` if the schema is not an NRI protocol.
    pub nri: Option<NriView>,
}

/// The comment and location of a declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The comment before it, or else after it, without comment signs.
    pub comment: String,
    /// The location, if the schema was compiled with source info.
    pub location: Option<Location>,
}

/// A service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// `Plugin`
    pub name: String,
    /// `nri.pkg.api.v1alpha1.Plugin`
    pub full_name: String,
    /// The RPCs, in declaration order.
    pub rpcs: Vec<Rpc>,
    /// The comment and location.
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
    /// The comment and location.
    pub about: About,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// `LogRequest`
    pub name: String,
    /// `nri.pkg.api.v1alpha1.LogRequest`
    pub full_name: String,
    /// The fields, in declaration order.
    pub fields: Vec<Field>,
    /// Nested messages, without entries of maps.
    pub messages: Vec<Message>,
    /// Nested enums.
    pub enums: Vec<Enum>,
    /// Names of the oneofs, without those implied by `optional`.
    pub oneofs: Vec<String>,
    /// The comment and location.
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
    /// The cardinality.
    pub label: Label,
    /// True if an unset field differs from its default.
    pub presence: bool,
    /// The oneof it belongs to.
    pub oneof: Option<String>,
    /// The comment and location.
    pub about: About,
}

/// The type of a field's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A scalar, named as in protobuf: `int32`, `string`.
    Scalar(&'static str),
    /// A message (or a proto2 group) with this full name.
    Message(String),
    /// An enum with this full name.
    Enum(String),
    /// A map.
    Map {
        /// Scalar type of the keys.
        key: &'static str,
        /// Type of the values.
        value: Box<FieldKind>,
    },
}

/// The number of values of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// One; if unset, the zero of its type, or absent.
    Single,
    /// Exactly one (proto2).
    Required,
    /// Any number, including maps.
    Repeated,
}

/// An enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// `Event`
    pub name: String,
    /// `nri.pkg.api.v1alpha1.Event`
    pub full_name: String,
    /// The values, in declaration order.
    pub values: Vec<EnumValue>,
    /// The comment and location.
    pub about: About,
}

/// A value of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumValue {
    /// `RUN_POD_SANDBOX`
    pub name: String,
    /// `nri.pkg.api.v1alpha1.Event.RUN_POD_SANDBOX`, including the name of the enum.
    pub full_name: String,
    /// Number on the wire.
    pub number: i32,
    /// The comment and location.
    pub about: About,
}

impl Protocol {
    /// Reads the declarations of the named files of `compiled`.
    ///
    /// # Errors
    ///
    /// Returns an error if its descriptors are not valid; those of a compiler are.
    pub fn read(compiled: &Compiled) -> Result<Protocol, Error> {
        let schema = Schema::of_pool(&compiled.pool)?;
        let is_named = |file: &str| compiled.named.iter().any(|name| name == file);
        Ok(read::protocol(&schema, is_named))
    }

    /// Returns the declarations of all files of a schema.
    pub fn of_schema(schema: &Schema) -> Protocol {
        read::protocol(schema, |_| true)
    }

    /// Returns true if a service, RPC, message, field, enum or enum value (as `pkg.Enum.VALUE`)
    /// with this full name is declared.
    pub fn has(&self, full_name: &str) -> bool {
        names::of(self).any(|name| name == full_name)
    }

    /// Returns the full names of all declarations, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        names::of(self)
    }

    /// Returns the service with this name, without package.
    pub fn service(&self, name: &str) -> Option<&Service> {
        self.services.iter().find(|service| service.name == name)
    }

    /// Returns the message with this full name, nested or not.
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

    /// Returns the top-level enum with this name, without package.
    pub fn enumeration(&self, name: &str) -> Option<&Enum> {
        self.enums.iter().find(|found| found.name == name)
    }
}

impl Service {
    /// Returns the RPC with this name.
    pub fn rpc(&self, name: &str) -> Option<&Rpc> {
        self.rpcs.iter().find(|rpc| rpc.name == name)
    }
}

impl Message {
    /// Returns the field with this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}
