//! A field on one side of a transfer, and the fields of messages together with their extensions,
//! which have the same form on the wire.

use std::collections::HashMap;

use super::of_number;
use crate::diff::buf_rules::types::words;
use nri_schema::Schema;
use nri_schema::schema::{
    Cardinality, EnumDescriptor, FieldDescriptor, MessageDescriptor, number as n,
};

/// The format that delimits a value on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WireType {
    Varint,
    Fixed32,
    Fixed64,
    Length,
    Group,
}

/// A field, and the schema that declares its type.
#[derive(Clone, Copy)]
pub(super) struct End<'s> {
    pub(super) schema: &'s Schema,
    pub(super) field: &'s FieldDescriptor,
}

impl<'s> End<'s> {
    pub(super) const fn new(schema: &'s Schema, field: &'s FieldDescriptor) -> Self {
        Self { schema, field }
    }

    /// Returns the format of one value.
    pub(super) const fn format(self) -> WireType {
        match self.field.kind {
            n::DOUBLE | n::FIXED64 | n::SFIXED64 => WireType::Fixed64,
            n::FLOAT | n::FIXED32 | n::SFIXED32 => WireType::Fixed32,
            n::STRING | n::BYTES | n::MESSAGE => WireType::Length,
            n::GROUP => WireType::Group,
            _ => WireType::Varint,
        }
    }

    /// Returns the format in which the values are sent: a packed list is one block.
    pub(super) const fn sent_format(self) -> WireType {
        if self.field.packed { WireType::Length } else { self.format() }
    }

    /// Returns true if the values are numbers, which a receiver of a list accepts individually and
    /// as one block.
    pub(super) const fn is_number(self) -> bool {
        !matches!(self.format(), WireType::Length | WireType::Group)
    }

    pub(super) const fn is_message(self) -> bool {
        matches!(self.field.kind, n::MESSAGE | n::GROUP)
    }

    pub(super) const fn is_list(self) -> bool {
        self.field.label == n::LABEL_REPEATED
    }

    /// Returns the type of a message field.
    pub(super) fn message(self) -> Option<&'s MessageDescriptor> {
        if self.is_message() { self.schema.message(&self.field.type_name) } else { None }
    }

    /// Returns the type of a map's entries.
    pub(super) fn entry(self) -> Option<&'s MessageDescriptor> {
        self.message().filter(|_| self.field.cardinality == Cardinality::Map)
    }

    /// Returns the type of an enum field.
    pub(super) fn enumeration(self) -> Option<&'s EnumDescriptor> {
        if self.field.kind == n::ENUM {
            self.schema.enumeration(&self.field.type_name)
        } else {
            None
        }
    }

    /// Describes the type, for example as `a list of int32`.
    pub(super) fn words(self) -> String {
        let kind = words(self.field);
        match self.field.cardinality {
            Cardinality::Map => "a map".to_owned(),
            Cardinality::Repeated => {
                let kind = kind.trim_start_matches("a ").trim_start_matches("an ");
                format!("a list of {kind}")
            }
            Cardinality::Explicit | Cardinality::Implicit | Cardinality::Required => {
                kind.to_owned()
            }
        }
    }
}

/// The fields of one side.
#[derive(Debug)]
pub(super) struct Fields<'s> {
    pub(super) schema: &'s Schema,
    /// The extensions by the full name of the extended message.
    extensions: HashMap<&'s str, Vec<&'s FieldDescriptor>>,
}

impl<'s> Fields<'s> {
    pub(super) fn new(schema: &'s Schema) -> Self {
        let mut extensions: HashMap<&str, Vec<&FieldDescriptor>> = HashMap::new();
        for extension in &schema.extensions {
            let extended = extensions.entry(&*extension.owner).or_default();
            extended.push(extension);
        }
        Self { schema, extensions }
    }

    /// Returns the fields of a message, then its extensions.
    pub(super) fn in_message(
        &self,
        message: &'s MessageDescriptor,
    ) -> impl Iterator<Item = &'s FieldDescriptor> {
        message.fields.iter().chain(self.extending(message).iter().copied())
    }

    /// Returns the field or extension with this number.
    pub(super) fn of_number(
        &self,
        message: &'s MessageDescriptor,
        number: i32,
    ) -> Option<&'s FieldDescriptor> {
        let mut extensions = self.extending(message).iter();
        of_number(message, number)
            .or_else(|| extensions.find(|field| field.number == number).copied())
    }

    fn extending(&self, message: &MessageDescriptor) -> &[&'s FieldDescriptor] {
        let extensions = self.extensions.get(message.id.full.as_str());
        extensions.map_or(&[], Vec::as_slice)
    }
}
