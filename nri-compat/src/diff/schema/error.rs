//! The error for bytes that are not a schema.

use std::fmt;

use crate::error::{Error, ErrorKind};

/// A descriptor set that cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    kind: SchemaErrorKind,
    file: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SchemaErrorKind {
    Decode(String),
    Unnamed(&'static str),
    Duplicate(String),
    Number(String, i32),
    Import(String),
    Syntax(String),
    Edition(i32),
    Type(String),
    Oneof(String),
}

impl SchemaError {
    pub(super) fn new(kind: SchemaErrorKind, file: &str) -> Self {
        Self {
            kind,
            file: (!file.is_empty()).then(|| file.to_owned()),
        }
    }

    /// Returns the file it is about, as the schema names it.
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// Returns the remedy, if known.
    pub fn help(&self) -> Option<&'static str> {
        match self.kind {
            SchemaErrorKind::Decode(_) => Some(
                "make the set with `buf build -o set.binpb` or `protoc --include_imports --include_source_info -o set.binpb`",
            ),
            SchemaErrorKind::Import(_) => {
                Some("compile with imports, `--include_imports` of protoc")
            }
            SchemaErrorKind::Edition(_) => {
                Some("supported are the syntaxes proto2 and proto3, and the editions 2023 and 2024")
            }
            SchemaErrorKind::Unnamed(_)
            | SchemaErrorKind::Duplicate(_)
            | SchemaErrorKind::Number(..)
            | SchemaErrorKind::Syntax(_)
            | SchemaErrorKind::Type(_)
            | SchemaErrorKind::Oneof(_) => None,
        }
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        match &self.kind {
            SchemaErrorKind::Decode(error) => write!(f, "not a FileDescriptorSet: {error}"),
            SchemaErrorKind::Unnamed(what) => write!(f, "a {what} has no name"),
            SchemaErrorKind::Duplicate(name) => write!(f, "{name} is declared twice"),
            SchemaErrorKind::Number(message, number) => {
                write!(f, "{message} has two fields with number {number}")
            }
            SchemaErrorKind::Import(name) => {
                write!(f, "imports {name}, which the set does not contain")
            }
            SchemaErrorKind::Syntax(word) => write!(f, "unknown syntax {word:?}"),
            SchemaErrorKind::Edition(number) => write!(f, "unknown edition {number}"),
            SchemaErrorKind::Type(field) => write!(
                f,
                "field {field} has no type, or one that the set does not declare"
            ),
            SchemaErrorKind::Oneof(field) => write!(
                f,
                "field {field} is in a oneof that its message does not have"
            ),
        }
    }
}

impl std::error::Error for SchemaError {}

impl From<SchemaError> for Error {
    fn from(error: SchemaError) -> Self {
        let new = Self::new(ErrorKind::Schema, error.to_string());
        match error.help() {
            Some(help) => new.with_help(help),
            None => new,
        }
    }
}
