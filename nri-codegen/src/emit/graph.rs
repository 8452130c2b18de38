//! The graph of messages: where a `Box` is needed that prost-build does not add, where prost-build
//! would not terminate, and where rustc would give up.

mod depth;

use std::collections::{HashMap, HashSet};

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FileDescriptorProto};

use super::fields;
use super::place::{Place, Step};
use nri_schema::{Error, ErrorKind, Problem};

/// The maximum number of paths from a message through nested messages. prost-build follows each.
const MAX_PATHS: u64 = 100_000;
/// The maximum length of such a path. prost-build recurses for each message on it.
const MAX_LENGTH: u64 = 1_000;

/// Messages by full name with a leading dot, with the fields that hold messages.
pub(super) struct Graph<'f> {
    messages: HashMap<String, Held<'f>>,
}

struct Held<'f> {
    place: Place<'f>,
    /// The fields that hold at most one message.
    fields: Vec<Holding>,
    /// All fields that hold messages.
    parts: Vec<depth::Part>,
}

/// A field that holds a message.
struct Holding {
    /// Its path, in the form that prost-build matches.
    path: String,
    message: String,
    is_group: bool,
}

impl<'f> Graph<'f> {
    pub(super) fn new(files: &'f [FileDescriptorProto]) -> Self {
        let mut graph = Graph {
            messages: HashMap::new(),
        };
        for file in files {
            let package = file.package().split('.').filter(|part| !part.is_empty());
            let scope: String = package.map(|part| format!(".{part}")).collect();
            for (index, message) in file.message_type.iter().enumerate() {
                graph.add(
                    message,
                    &scope,
                    Place::new(file).step(Step::FileMessage, index),
                );
            }
        }
        graph
    }

    fn add(&mut self, message: &'f DescriptorProto, scope: &str, place: Place<'f>) {
        let name = format!("{scope}.{}", message.name());
        for (index, nested) in message.nested_type.iter().enumerate() {
            self.add(nested, &name, place.step(Step::Nested, index));
        }
        let oneofs: HashMap<usize, &str> = fields::oneofs(message).into_iter().collect();
        let single = message
            .field
            .iter()
            .filter(|field| field.label() != Label::Repeated);
        let held = single.filter(|field| matches!(field.r#type(), Type::Message | Type::Group));
        let fields = held.map(|field| {
            let oneof = fields::oneof_of(field).and_then(|index| oneofs.get(&index));
            let oneof = oneof.map(|oneof| format!("{oneof}.")).unwrap_or_default();
            Holding {
                path: format!("{name}.{oneof}{}", field.name()),
                message: field.type_name().to_owned(),
                is_group: field.r#type() == Type::Group,
            }
        });
        let fields = fields.collect();
        let parts = depth::parts(message);
        let held = Held {
            place,
            fields,
            parts,
        };
        self.messages.insert(name, held);
    }

    /// Returns the paths of fields on a cycle through a group, because prost-build only follows
    /// messages.
    pub(super) fn boxed(&self) -> Vec<String> {
        let mut boxed = Vec::new();
        for (name, held) in &self.messages {
            for field in &held.fields {
                let seen = !field.is_group && self.reaches(&field.message, name, false);
                if !seen && self.reaches(&field.message, name, true) {
                    boxed.push(field.path.clone());
                }
            }
        }
        boxed.sort();
        boxed
    }

    fn reaches(&self, from: &str, to: &str, groups: bool) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![from];
        while let Some(name) = open.pop() {
            if name == to {
                return true;
            }
            if let Some(held) = self.messages.get(name).filter(|_| seen.insert(name)) {
                let fields = held.fields.iter().filter(|field| groups || !field.is_group);
                open.extend(fields.map(|field| field.message.as_str()));
            }
        }
        false
    }

    /// Rejects messages for which prost-build would take practically forever, or rustc would fail.
    pub(super) fn check(&self) -> Result<(), Error> {
        let mut counted = HashMap::new();
        let mut problems = Vec::new();
        for (name, held) in &self.messages {
            let (paths, length) = self.paths(name, &mut counted);
            if paths > MAX_PATHS || length > MAX_LENGTH {
                problems.push(too_many(&held.place));
            }
        }
        problems.sort_by(|a, b| format!("{a:?}").cmp(&format!("{b:?}")));
        Error::unless_empty(problems)?;
        Error::unless_empty(self.too_deep().into_iter().collect())
    }

    /// Returns the number of paths from a message, and the length of the longest; cycles count
    /// once.
    fn paths<'g>(
        &'g self,
        root: &'g str,
        counted: &mut HashMap<&'g str, (u64, u64)>,
    ) -> (u64, u64) {
        let mut open = vec![(root, false)];
        while let Some((name, is_done)) = open.pop() {
            let fields = self.messages.get(name).map(|held| held.fields.as_slice());
            let held = fields.unwrap_or_default().iter();
            let held = held.map(|field| field.message.as_str());
            if is_done {
                let (mut paths, mut length) = (1_u64, 0);
                for (more, longer) in held.filter_map(|held| counted.get(held)) {
                    paths = paths.saturating_add(*more);
                    length = length.max(longer + 1);
                }
                counted.insert(name, (paths, length));
            } else if !counted.contains_key(name) {
                // Represents a cycle until the message itself is counted.
                counted.insert(name, (1, 0));
                open.push((name, true));
                open.extend(held.map(|held| (held, false)));
            }
        }
        counted.get(root).copied().unwrap_or((1, 0))
    }
}

fn too_many(place: &Place<'_>) -> Problem {
    let limit = format!(
        "the messages that this one holds form over {MAX_PATHS} paths, or one longer than {MAX_LENGTH}"
    );
    let problem = place.problem_of(ErrorKind::Limit, limit);
    problem.with_help("make some of the fields `repeated`, or split the message")
}
