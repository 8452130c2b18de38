//! One side of a comparison: a compiled schema, flat and indexed by name.

pub(super) mod element;
pub(super) mod error;
mod field;
mod index;
pub(super) mod location;
mod scope;
mod text;
mod types;
mod unique;

use std::collections::HashMap;

use self::element::{Enum, Field, File, Id, Message, Service};
use self::error::SchemaError;
use super::nri::semantics::PLUGIN;
use crate::report::finding::Location;

/// A compiled schema: files with their imports, and everything they declare.
///
/// Created from a `FileDescriptorSet`, the output of protoc, buf and protox. Lines and columns are
/// known if it was compiled with source information; otherwise every element is at the start of its
/// file.
#[derive(Debug, Default)]
pub struct Schema {
    pub(super) files: Vec<File>,
    pub(super) messages: Vec<Message>,
    pub(super) enums: Vec<Enum>,
    pub(super) extensions: Vec<Field>,
    pub(super) services: Vec<Service>,
    file_by_name: HashMap<String, usize>,
    message_by_name: HashMap<String, usize>,
    enum_by_name: HashMap<String, usize>,
}

impl Schema {
    /// Decodes an encoded `FileDescriptorSet`.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes cannot be decoded, a file or element has no name or is
    /// declared twice, an import or a field's type is missing, or the syntax or edition is unknown.
    pub fn decode(bytes: &[u8]) -> Result<Self, SchemaError> {
        Self::compiled(bytes, |_| None)
    }

    /// Decodes an encoded `FileDescriptorSet` that protox created, with the texts of its files by
    /// name.
    ///
    /// With the text, lines and columns match those of buf: protox counts bytes where buf counts
    /// columns of a terminal, and points at the value of an option where buf points at its name.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Schema::decode`].
    pub fn compiled(
        bytes: &[u8],
        text: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, SchemaError> {
        index::schema(bytes, &text)
    }

    /// Returns the names of all files, in their order.
    pub(super) fn file_names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.name.as_str())
    }

    /// Returns the package of the file with this name.
    pub(super) fn package_of(&self, name: &str) -> Option<&str> {
        self.file(name).map(|file| file.package.as_str())
    }

    /// Renames a file, unless there is one with that name; returns true if it did.
    pub(super) fn rename_file(&mut self, old: &str, new: &str) -> bool {
        if self.file_by_name.contains_key(new) {
            return false;
        }
        let Some(at) = self.file_by_name.remove(old) else {
            return false;
        };
        new.clone_into(&mut self.files[at].name);
        self.file_by_name.insert(new.to_owned(), at);
        true
    }

    /// Returns true if it may be an NRI protocol: it has a service `Plugin` with `Configure`, which
    /// other protocols are unlikely to have.
    pub(super) fn is_nri(&self) -> bool {
        let mut services = self.services.iter();
        services.any(|service| {
            let mut methods = service.methods.iter();
            service.id.name() == PLUGIN && methods.any(|method| method.id.name() == "Configure")
        })
    }

    pub(super) fn file(&self, name: &str) -> Option<&File> {
        self.file_by_name.get(name).map(|&at| &self.files[at])
    }

    pub(super) fn message(&self, full: &str) -> Option<&Message> {
        self.message_by_name.get(full).map(|&at| &self.messages[at])
    }

    pub(super) fn enumeration(&self, full: &str) -> Option<&Enum> {
        self.enum_by_name.get(full).map(|&at| &self.enums[at])
    }

    pub(super) fn file_of(&self, id: &Id) -> &File {
        &self.files[id.file]
    }

    /// Returns the start of an element's file.
    pub(super) fn file_start(&self, id: &Id) -> Location {
        start_of(self.file_of(id))
    }

    /// Returns where an element is declared.
    pub(super) fn declared(&self, id: &Id) -> Option<Location> {
        self.part(id, &[]).or_else(|| self.stand_in(id))
    }

    /// Returns where the name of an element stands.
    pub(super) fn name(&self, id: &Id) -> Option<Location> {
        self.part(id, &[1]).or_else(|| self.declared(id))
    }

    /// Returns where a part of an element stands, if it is written at all.
    pub(super) fn part(&self, id: &Id, suffix: &[i32]) -> Option<Location> {
        let path = [&*id.path, suffix].concat();
        in_file(self.file_of(id), &path)
    }

    /// Returns where the part of an element stands that a map field stands in for.
    pub(super) fn part_or_stand_in(&self, id: &Id, suffix: &[i32]) -> Option<Location> {
        self.part(id, suffix).or_else(|| self.stand_in(id))
    }

    /// Returns where an element's feature stands: `suffix` leads to it, through options (its first
    /// part) and features.
    pub(super) fn feature(&self, id: &Id, suffix: &[i32]) -> Option<Location> {
        let path = [&*id.path, suffix].concat();
        let file = self.file_of(id);
        let place = file.locations.of_option(&path, id.path.len() + 2)?;
        Some(at(file, place))
    }

    fn stand_in(&self, id: &Id) -> Option<Location> {
        in_file(self.file_of(id), id.stands_at.as_ref()?)
    }
}

/// Returns where a part of a file stands, if it is written at all.
pub(super) fn in_file(file: &File, path: &[i32]) -> Option<Location> {
    file.locations.at(path).map(|place| at(file, place))
}

/// Returns the first character of a file, for elements without a place.
pub(super) fn start_of(file: &File) -> Location {
    at(file, (1, 1))
}

fn at(file: &File, (line, column): text::LineColumn) -> Location {
    Location {
        file: file.name.clone(),
        line,
        column,
    }
}
