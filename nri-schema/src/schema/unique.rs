//! Checks that names and field numbers are unique.

use std::borrow::Cow;
use std::collections::HashSet;

use super::Schema;
use super::element::{EnumDescriptor, FieldDescriptor, Id, MessageDescriptor, ServiceDescriptor};
use super::problem;
use super::scope::join;
use crate::error::Error;

type Result<T> = std::result::Result<T, Error>;

/// Checks that no name is declared twice, and that no two fields or extensions of a message have
/// the same number.
pub(super) fn check(schema: &Schema) -> Result<()> {
    let mut names = Names { schema, seen: HashSet::new() };
    schema.messages.iter().try_for_each(|message| names.message(message))?;
    schema.enums.iter().try_for_each(|declared| names.enumeration(declared))?;
    schema.services.iter().try_for_each(|service| names.service(service))?;
    schema.extensions.iter().try_for_each(|extension| names.id(&extension.id))?;
    schema.messages.iter().try_for_each(|message| numbers(schema, message))?;
    extensions(schema)
}

/// The names seen so far.
struct Names<'s> {
    schema: &'s Schema,
    seen: HashSet<Cow<'s, str>>,
}

impl<'s> Names<'s> {
    fn message(&mut self, message: &'s MessageDescriptor) -> Result<()> {
        self.id(&message.id)?;
        message.fields.iter().try_for_each(|field| self.id(&field.id))?;
        message.oneofs.iter().try_for_each(|oneof| {
            let name = join(&message.id.full, &oneof.name);
            self.declare(Cow::Owned(name), &message.id)
        })
    }

    fn enumeration(&mut self, declared: &'s EnumDescriptor) -> Result<()> {
        self.id(&declared.id)?;
        declared.values.iter().try_for_each(|value| self.id(&value.id))
    }

    fn service(&mut self, service: &'s ServiceDescriptor) -> Result<()> {
        self.id(&service.id)?;
        service.methods.iter().try_for_each(|method| self.id(&method.id))
    }

    fn id(&mut self, id: &'s Id) -> Result<()> {
        self.declare(Cow::Borrowed(&id.full), id)
    }

    fn declare(&mut self, name: Cow<'s, str>, declared_at: &Id) -> Result<()> {
        match self.seen.replace(name) {
            None => Ok(()),
            Some(name) => {
                let file = &self.schema.file_of(declared_at).name;
                Err(problem::declared_twice(&name, file).into())
            }
        }
    }
}

fn numbers(schema: &Schema, message: &MessageDescriptor) -> Result<()> {
    let mut seen = HashSet::with_capacity(message.fields.len());
    match message.fields.iter().find(|field| !seen.insert(field.number)) {
        Some(field) => Err(twice(schema, &message.id.full, field)),
        None => Ok(()),
    }
}

fn extensions(schema: &Schema) -> Result<()> {
    let mut seen = HashSet::new();
    let is_taken = |extension: &&FieldDescriptor| {
        let extended = schema.message(&extension.owner);
        let mut fields = extended.iter().flat_map(|message| &message.fields);
        fields.any(|field| field.number == extension.number)
    };
    let twice_declared = schema.extensions.iter().find(|extension| {
        !seen.insert((&*extension.owner, extension.number)) || is_taken(extension)
    });
    match twice_declared {
        Some(extension) => Err(twice(schema, &extension.owner, extension)),
        None => Ok(()),
    }
}

fn twice(schema: &Schema, message: &str, field: &FieldDescriptor) -> Error {
    let file = &schema.file_of(&field.id).name;
    problem::number_twice(message, field.number, file).into()
}
