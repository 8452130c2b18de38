//! The fields of messages together with their extensions, which have the same form on the wire.

use std::collections::HashMap;

use super::of_number;
use nri_schema::Schema;
use nri_schema::schema::{Field, Message};

/// The fields of one side.
#[derive(Debug)]
pub(super) struct Fields<'s> {
    pub(super) schema: &'s Schema,
    /// The extensions by the full name of the extended message.
    extensions: HashMap<&'s str, Vec<&'s Field>>,
}

impl<'s> Fields<'s> {
    pub(super) fn new(schema: &'s Schema) -> Self {
        let mut extensions: HashMap<&str, Vec<&Field>> = HashMap::new();
        for extension in &schema.extensions {
            let extended = extensions.entry(&*extension.owner).or_default();
            extended.push(extension);
        }
        Self { schema, extensions }
    }

    /// Returns the fields of a message, then its extensions.
    pub(super) fn in_message(&self, message: &'s Message) -> impl Iterator<Item = &'s Field> {
        message
            .fields
            .iter()
            .chain(self.extending(message).iter().copied())
    }

    /// Returns the field or extension with this number.
    pub(super) fn of_number(&self, message: &'s Message, number: i32) -> Option<&'s Field> {
        let mut extensions = self.extending(message).iter();
        of_number(message, number)
            .or_else(|| extensions.find(|field| field.number == number).copied())
    }

    fn extending(&self, message: &Message) -> &[&'s Field] {
        let extensions = self.extensions.get(message.id.full.as_str());
        extensions.map_or(&[], Vec::as_slice)
    }
}
