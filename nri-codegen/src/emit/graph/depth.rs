//! The depth of messages in each other, which rustc limits.
//!
//! Messages are `Send` and `Sync`. To prove it, rustc evaluates the types of their fields, each
//! inside the type that holds it, and fails at a depth of 128 (`recursion_limit`).

use std::collections::HashMap;

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto};

use super::Graph;
use crate::emit::fields;
use nri_schema::{ErrorKind, Problem};

/// The maximum depth. The rest of the 128 is for the types in a field without messages, such as
/// `HashMap<String, String>`.
const MAX_DEPTH: u64 = 120;

/// The number of types of `Option<Message>`, and of the other forms of a field. Tests compile
/// messages at the maximum depth.
const REQUIRED: u64 = 1;
const OPTIONAL: u64 = 2;
const ONEOF: u64 = 3;
const LIST: u64 = 4;
const MAP: u64 = 5;
/// The types that a `Box` adds.
const BOX: u64 = 2;

/// A field that holds messages.
pub(super) struct Part {
    message: String,
    /// The number of types of the field, including the message.
    types: u64,
    /// True if it holds at most one message, which prost boxes on a cycle.
    is_single: bool,
}

/// Returns the fields of a message that hold messages.
pub(super) fn parts(message: &DescriptorProto) -> Vec<Part> {
    let of_messages = |field: &&FieldDescriptorProto| is_message(field);
    let fields = message.field.iter().filter(of_messages);
    fields
        .filter_map(
            |field| match (fields::map_value(message, field), field.label()) {
                (Some(value), _) => is_message(value).then(|| part(value, MAP, false)),
                (None, Label::Repeated) => Some(part(field, LIST, false)),
                (None, _) if fields::oneof_of(field).is_some() => Some(part(field, ONEOF, true)),
                (None, Label::Required) => Some(part(field, REQUIRED, true)),
                (None, Label::Optional) => Some(part(field, OPTIONAL, true)),
            },
        )
        .collect()
}

fn is_message(field: &FieldDescriptorProto) -> bool {
    matches!(field.r#type(), Type::Message | Type::Group)
}

fn part(field: &FieldDescriptorProto, types: u64, is_single: bool) -> Part {
    Part {
        message: field.type_name().to_owned(),
        types,
        is_single,
    }
}

impl Graph<'_> {
    /// Returns a problem with the deepest message, if it is too deep for rustc.
    pub(super) fn too_deep(&self) -> Option<Problem> {
        let mut depths = HashMap::new();
        let mut names: Vec<&str> = self.messages.keys().map(String::as_str).collect();
        names.sort_unstable();
        for name in names {
            self.measure(name, &mut depths);
        }
        let deepest = depths
            .into_iter()
            .max_by_key(|(name, depth)| (*depth, *name));
        let (name, _) = deepest.filter(|(_, depth)| *depth > MAX_DEPTH)?;
        let place = &self.messages.get(name)?.place;
        let fact = "the messages in this one are too deep in each other: rustc evaluates at most 128 types, about 60 messages, inside each other";
        let problem = place.problem_of(ErrorKind::Limit, fact);
        Some(problem.with_help("hold one of the messages as `bytes`, encoded"))
    }

    /// Adds the depths of a message and of all that it holds. A message that holds itself counts
    /// once, as for rustc.
    fn measure<'g>(&'g self, root: &'g str, depths: &mut HashMap<&'g str, u64>) {
        let mut open = vec![(root, false)];
        while let Some((name, is_done)) = open.pop() {
            let parts = self.messages.get(name).map(|held| held.parts.as_slice());
            let parts = parts.unwrap_or_default();
            if is_done {
                let inside = parts.iter().map(|part| {
                    let depth = depths.get(part.message.as_str()).copied();
                    depth.unwrap_or(0) + self.types(name, part)
                });
                let depth = inside.max().unwrap_or(0);
                depths.insert(name, depth);
            } else if !depths.contains_key(name) {
                depths.insert(name, 0);
                open.push((name, true));
                open.extend(parts.iter().map(|part| (part.message.as_str(), false)));
            }
        }
    }

    fn types(&self, holder: &str, part: &Part) -> u64 {
        let is_boxed = part.is_single && self.reaches(&part.message, holder, true);
        part.types + if is_boxed { BOX } else { 0 }
    }
}
