//! Rules of the language that protox does not check, so that no schema passes here that `protoc`
//! rejects.

mod enums;
mod fields;
mod ranges;

use prost_reflect::{FileDescriptor, MessageDescriptor};
use prost_types::FileDescriptorProto;

use crate::error::{ErrorKind, Problem};

/// The parts of descriptors that places lead to: numbers of fields in `descriptor.proto`.
mod part {
    pub(super) mod message {
        pub(in crate::compile::rules) const EXTENSION_RANGE: i32 = 5;
        pub(in crate::compile::rules) const RESERVED_RANGE: i32 = 9;
        pub(in crate::compile::rules) const RESERVED_NAME: i32 = 10;
    }
    pub(super) mod enumeration {
        pub(in crate::compile::rules) const OPTIONS: i32 = 3;
        pub(in crate::compile::rules) const RESERVED_RANGE: i32 = 4;
        pub(in crate::compile::rules) const RESERVED_NAME: i32 = 5;
    }
}

/// A rule that is broken: the fact, and the path in the file's source info to the place.
struct Broken {
    fact: String,
    path: Vec<i32>,
}

impl Broken {
    fn at(path: Vec<i32>, fact: impl Into<String>) -> Self {
        Broken { fact: fact.into(), path }
    }
}

/// Returns the problems of a compiled file. `shown` is its name for display, `text` its text.
pub(super) fn problems(file: &FileDescriptor, shown: &str, text: Option<&str>) -> Vec<Problem> {
    let mut broken = Vec::new();
    file.enums().for_each(|found| broken.extend(enums::broken(&found)));
    file.messages().for_each(|found| in_message(&found, &mut broken));
    let problem = |Broken { path, fact }| {
        let problem = Problem::new(ErrorKind::Proto, fact).in_file(shown);
        match position(file.file_descriptor_proto(), &path) {
            Some((line, column)) => problem.at_position(line, column).with_text(|_| text),
            None => problem,
        }
    };
    broken.into_iter().map(problem).collect()
}

fn in_message(message: &MessageDescriptor, broken: &mut Vec<Broken>) {
    broken.extend(ranges::of_message(message));
    broken.extend(fields::broken(message));
    message.child_enums().for_each(|nested| broken.extend(enums::broken(&nested)));
    for nested in message.child_messages() {
        in_message(&nested, broken);
    }
}

/// Returns line and column, both from 1, of the element with this path, or else of the nearest
/// element around it.
fn position(file: &FileDescriptorProto, path: &[i32]) -> Option<(u32, u32)> {
    let places = &file.source_code_info.as_ref()?.location;
    let mut around = (1..=path.len()).rev().filter_map(|length| path.get(..length));
    let place = around.find_map(|outer| places.iter().find(|place| place.path == outer))?;
    let from_one = |at: usize| u32::try_from(*place.span.get(at)?).ok()?.checked_add(1);
    Some((from_one(0)?, from_one(1)?))
}

/// Returns `path` extended by `rest`.
fn below(path: &[i32], rest: &[i32]) -> Vec<i32> {
    [path, rest].concat()
}

/// Returns an index as a part of a path.
fn index(at: usize) -> i32 {
    i32::try_from(at).unwrap_or(i32::MAX)
}
