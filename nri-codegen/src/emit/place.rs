//! The location of a declaration in a file: its path in source info, and the line for it.

use prost_types::FileDescriptorProto;

use nri_schema::{ErrorKind, Problem};

/// A step of a path: a field of `descriptor.proto` that holds declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    FileMessage,
    FileEnum,
    Service,
    Rpc,
    Field,
    Nested,
    NestedEnum,
    Oneof,
    EnumValue,
}

impl Step {
    /// Returns the number of the field, from descriptor.proto.
    fn number(self) -> i32 {
        match self {
            Step::Field | Step::Rpc | Step::EnumValue => 2,
            Step::Nested => 3,
            Step::FileMessage | Step::NestedEnum => 4,
            Step::FileEnum => 5,
            Step::Service => 6,
            Step::Oneof => 8,
        }
    }
}

/// A declaration in a file.
#[derive(Clone, Debug)]
pub(super) struct Place<'f> {
    file: &'f FileDescriptorProto,
    path: Vec<i32>,
}

impl<'f> Place<'f> {
    /// Returns the whole file.
    pub(super) fn new(file: &'f FileDescriptorProto) -> Self {
        Place { file, path: Vec::new() }
    }

    pub(super) fn file(&self) -> &'f FileDescriptorProto {
        self.file
    }

    pub(super) fn path(&self) -> &[i32] {
        &self.path
    }

    /// Returns the declaration `index` of a kind within this one.
    pub(super) fn step(&self, step: Step, index: usize) -> Place<'f> {
        let index = i32::try_from(index).unwrap_or(i32::MAX);
        let path = [self.path.as_slice(), &[step.number(), index]].concat();
        Place { path, ..*self }
    }

    /// Returns the enclosing declaration.
    pub(super) fn parent(&self) -> Place<'f> {
        let end = self.path.len().saturating_sub(2);
        let path = self.path[..end].to_vec();
        Place { path, ..*self }
    }

    /// Returns true if it is a message or enum at the top of the file.
    pub(super) fn is_top_type(&self) -> bool {
        let steps = [Step::FileMessage, Step::FileEnum].map(Step::number);
        matches!(self.path.as_slice(), [step, _] if steps.contains(step))
    }

    /// Returns true if it is a service, or part of one.
    pub(super) fn is_in_service(&self) -> bool {
        self.path.first() == Some(&Step::Service.number())
    }

    /// Returns the package statement.
    pub(super) fn package(&self) -> Place<'f> {
        Place { path: vec![2], ..*self }
    }

    /// Returns a problem with this declaration.
    pub(super) fn problem(&self, fact: impl Into<String>) -> Problem {
        let (line, column) = self.position();
        Problem::new(ErrorKind::Protocol, fact).in_file(self.file.name()).at_position(line, column)
    }

    /// Returns line and column, counted from 1; the first line of the file without source info.
    fn position(&self) -> (u32, u32) {
        let span = self
            .file
            .source_code_info
            .iter()
            .flat_map(|info| &info.location)
            .find(|location| location.path == self.path);
        let from_one =
            |index| -> Option<u32> { u32::try_from(*span?.span.get(index)?).ok()?.checked_add(1) };
        (from_one(0).unwrap_or(1), from_one(1).unwrap_or(1))
    }
}
