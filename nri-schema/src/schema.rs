//! A compiled schema, flat and indexed by name, with the place of every part.
//!
//! This is the one reader of `FileDescriptorSet`s: [`Protocol`](crate::Protocol) is made from it,
//! and `nri-compat diff` compares two of them. Unlike `prost-types`, it knows editions and
//! features.

mod descriptor;
mod element;
mod features;
mod field;
mod index;
mod location;
pub(crate) mod names;
mod pool;
mod problem;
mod scope;
pub(crate) mod size;
mod types;
mod unique;

use std::collections::HashMap;

use prost_reflect::DescriptorPool;

use crate::error::Error;
use crate::location::Location;

pub use descriptor::FileOptions;
pub use element::{
    Cardinality, Declaration, EnumDescriptor, EnumValueDescriptor, FieldDescriptor, File, Id,
    MessageDescriptor, Method, Oneof, ServiceDescriptor, Span, number,
};
pub use features::{Features, Syntax, value};
pub use location::{Adjust, LineColumn, Locations};

/// A compiled schema: files with their imports, and everything they declare.
///
/// Created from a `FileDescriptorSet`, the output of protoc, buf and protox. Lines and columns are
/// known if it was compiled with source information; otherwise every element is at the start of its
/// file.
#[derive(Debug, Default)]
pub struct Schema {
    /// The files, imports included.
    pub files: Vec<File>,
    /// The messages, nested ones and entries of maps included: inner ones come before the outer
    /// one.
    pub messages: Vec<MessageDescriptor>,
    /// The enums, nested ones included.
    pub enums: Vec<EnumDescriptor>,
    /// The extensions, nested ones included.
    pub extensions: Vec<FieldDescriptor>,
    /// The services.
    pub services: Vec<ServiceDescriptor>,
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
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        index::of_set(bytes)
    }

    /// Returns the schema of compiled files, imports included.
    ///
    /// # Errors
    ///
    /// Returns an error if the descriptors are not valid; those of a compiler are.
    pub fn of_pool(pool: &DescriptorPool) -> Result<Self, Error> {
        index::of_pool(pool)
    }

    /// Adjusts the places in each file to its text, if `text` returns it.
    #[must_use]
    pub fn adjusted(mut self, adjust: Adjust, text: impl Fn(&str) -> Option<String>) -> Self {
        for file in &mut self.files {
            if let Some(text) = text(&file.name) {
                file.locations.adjust(text, adjust);
            }
        }
        self
    }

    /// Returns the names of all files, in their order.
    pub fn file_names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.name.as_str())
    }

    /// Returns the package of the file with this name.
    pub fn package_of(&self, name: &str) -> Option<&str> {
        self.file(name).map(|file| file.package.as_str())
    }

    /// Renames a file, unless there is one with that name; returns true if it did.
    pub fn rename_file(&mut self, old: &str, new: &str) -> bool {
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

    /// Returns the file with this name.
    pub fn file(&self, name: &str) -> Option<&File> {
        self.file_by_name.get(name).map(|&at| &self.files[at])
    }

    /// Returns the message with this full name.
    pub fn message(&self, full: &str) -> Option<&MessageDescriptor> {
        self.message_by_name.get(full).map(|&at| &self.messages[at])
    }

    /// Returns the enum with this full name.
    pub fn enumeration(&self, full: &str) -> Option<&EnumDescriptor> {
        self.enum_by_name.get(full).map(|&at| &self.enums[at])
    }

    /// Returns the file that declares an element.
    pub fn file_of(&self, id: &Id) -> &File {
        &self.files[id.file]
    }

    /// Returns the place where an element is declared.
    pub fn declared(&self, id: &Id) -> Option<Location> {
        self.part(id, &[]).or_else(|| self.stand_in(id))
    }

    /// Returns the place of the name of an element.
    pub fn name(&self, id: &Id) -> Option<Location> {
        self.part(id, &[1]).or_else(|| self.declared(id))
    }

    /// Returns the place of a part of an element, if it is written at all.
    pub fn part(&self, id: &Id, suffix: &[i32]) -> Option<Location> {
        let path = [&*id.path, suffix].concat();
        self.file_of(id).part(&path)
    }

    /// Returns the place of a part of an element, or of the map field that stands in for it.
    pub fn part_or_stand_in(&self, id: &Id, suffix: &[i32]) -> Option<Location> {
        self.part(id, suffix).or_else(|| self.stand_in(id))
    }

    /// Returns the place of an element's feature: `suffix` leads to it, through options (its first
    /// part) and features.
    pub fn feature(&self, id: &Id, suffix: &[i32]) -> Option<Location> {
        let path = [&*id.path, suffix].concat();
        let file = self.file_of(id);
        let place = file.locations.of_option(&path, id.path.len() + 2)?;
        Some(file.at(place))
    }

    fn stand_in(&self, id: &Id) -> Option<Location> {
        self.file_of(id).part(id.stands_at.as_ref()?)
    }
}

impl File {
    /// Returns the place of a part of the file, if it is written at all.
    pub fn part(&self, path: &[i32]) -> Option<Location> {
        self.locations.at(path).map(|place| self.at(place))
    }

    /// Returns the first character of the file, for elements without a place.
    pub fn start(&self) -> Location {
        self.at((1, 1))
    }

    fn at(&self, (line, column): LineColumn) -> Location {
        Location { file: self.name.clone(), line, column }
    }
}
