//! Problems of a descriptor set.

use crate::error::{ErrorKind, Problem};

/// Returns the problem of bytes that are not a set.
pub(super) fn undecodable(error: prost::DecodeError) -> Problem {
    Problem::new(ErrorKind::Descriptor, "not a FileDescriptorSet")
        .caused_by(error)
        .with_help(
            "make the set with `buf build -o set.binpb` or `protoc --include_imports --include_source_info -o set.binpb`",
        )
}

/// Returns the problem of a set that is full of tiny elements.
pub(super) fn too_much_memory(limit: usize) -> Problem {
    let fact = format!("the FileDescriptorSet needs more than {limit} bytes of memory");
    Problem::new(ErrorKind::Limit, fact).with_help("compilers write no such sets: make it again")
}

pub(super) fn unnamed(what: &str, file: &str) -> Problem {
    with(file, format!("a {what} has no name"))
}

pub(super) fn declared_twice(name: &str, file: &str) -> Problem {
    with(file, format!("{name} is declared twice"))
}

pub(super) fn number_twice(message: &str, number: i32, file: &str) -> Problem {
    with(file, format!("{message} has two fields with number {number}"))
}

pub(super) fn no_import(import: &str, file: &str) -> Problem {
    with(file, format!("imports {import}, which the set does not contain"))
        .with_help("compile with imports, `--include_imports` of protoc")
}

pub(super) fn unknown_syntax(word: &str, file: &str) -> Problem {
    with(file, format!("unknown syntax {word:?}"))
}

pub(super) fn unknown_edition(number: i32, file: &str) -> Problem {
    with(file, format!("unknown edition {number}"))
        .with_help("supported are the syntaxes proto2 and proto3, and the editions 2023 and 2024")
}

pub(super) fn no_type(field: &str, file: &str) -> Problem {
    with(file, format!("field {field} has no type, or one that the set does not declare"))
}

pub(super) fn no_oneof(field: &str, file: &str) -> Problem {
    with(file, format!("field {field} is in a oneof that its message does not have"))
}

fn with(file: &str, fact: String) -> Problem {
    let problem = Problem::new(ErrorKind::Descriptor, fact);
    if file.is_empty() { problem } else { problem.in_file(file) }
}
