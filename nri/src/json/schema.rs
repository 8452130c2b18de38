//! Messages and enums as data; `table` holds those of the protocol.

/// A message.
#[derive(Debug)]
#[allow(
    unreachable_pub,
    reason = "a sealed trait names it, and nothing else can"
)]
pub struct Message {
    /// The name without package.
    pub(super) name: &'static str,
    /// The fields, in declaration order.
    pub(super) fields: &'static [Field],
}

/// A field of a message.
#[derive(Debug)]
pub(super) struct Field {
    /// The name in the proto.
    pub(super) name: &'static str,
    /// The name in JSON.
    pub(super) json_name: &'static str,
    /// The number on the wire.
    pub(super) number: u32,
    /// The number of values that the field has.
    pub(super) shape: Shape,
    /// The type of a value.
    pub(super) kind: Kind,
}

/// The number of values that a field has.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "which ones there are is up to the protocol")]
pub(super) enum Shape {
    /// At most one.
    Single,
    /// Any number.
    List,
    /// Any number, each with a key of this type.
    Map(Kind),
}

/// The type of a value.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "which ones there are is up to the protocol")]
pub(super) enum Kind {
    Bool,
    Int32,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Sint64,
    Fixed32,
    Fixed64,
    Sfixed32,
    Sfixed64,
    Float,
    Double,
    String,
    Bytes,
    Enum(&'static Enum),
    Message(&'static Message),
}

/// An enum.
#[derive(Debug)]
pub(super) struct Enum {
    /// The name without the enclosing message.
    pub(super) name: &'static str,
    /// Names and numbers of the values, in declaration order.
    pub(super) values: &'static [(&'static str, i32)],
}

/// The number of the key in a map entry.
pub(super) const MAP_KEY: u32 = 1;
/// The number of the value in a map entry.
pub(super) const MAP_VALUE: u32 = 2;

impl Message {
    /// Returns the field with this name, in either spelling.
    pub(super) fn field(&'static self, name: &str) -> Option<(usize, &'static Field)> {
        self.fields
            .iter()
            .enumerate()
            .find(|(_, field)| field.json_name == name || field.name == name)
    }
}

impl Enum {
    /// Returns the name of this number; the first one if there are several.
    pub(super) fn value_name(&self, number: i32) -> Option<&'static str> {
        self.values
            .iter()
            .find(|(_, known)| *known == number)
            .map(|(name, _)| *name)
    }

    /// Returns the number of this name.
    pub(super) fn value_number(&self, name: &str) -> Option<i32> {
        self.values
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, number)| *number)
    }
}
