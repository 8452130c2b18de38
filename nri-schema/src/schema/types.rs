//! The types that the names in a set refer to. They are collected first, because fields may use
//! types that are declared later.

use std::collections::HashMap;

use prost_reflect::DescriptorPool;

use super::descriptor::{FieldProto, FileTypes, MessageTypes, NamedProto};
use super::element::number;
use super::scope::join;

/// The type that a name refers to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Message,
    MapEntry,
    Enum,
}

/// The types of a set by full name.
#[derive(Default)]
pub(super) struct Types(HashMap<String, Type>);

impl Types {
    /// Returns the types that compiled files declare.
    pub(super) fn of_pool(pool: &DescriptorPool) -> Types {
        let messages = pool.all_messages().map(|message| {
            let declared = if message.is_map_entry() { Type::MapEntry } else { Type::Message };
            (message.full_name().to_owned(), declared)
        });
        let enums = pool.all_enums().map(|declared| (declared.full_name().to_owned(), Type::Enum));
        Types(messages.chain(enums).collect())
    }

    /// Adds the types that a file declares.
    pub(super) fn add(&mut self, file: &FileTypes) {
        self.messages(&file.package, &file.message_type);
        self.enums(&file.package, &file.enum_type);
    }

    fn messages(&mut self, scope: &str, protos: &[MessageTypes]) {
        for proto in protos {
            let full = join(scope, &proto.name);
            let is_entry = proto.options.as_ref().is_some_and(|options| options.map_entry);
            self.messages(&full, &proto.nested_type);
            self.enums(&full, &proto.enum_type);
            self.0.insert(full, if is_entry { Type::MapEntry } else { Type::Message });
        }
    }

    fn enums(&mut self, scope: &str, protos: &[NamedProto]) {
        self.0.extend(protos.iter().map(|proto| (join(scope, &proto.name), Type::Enum)));
    }

    /// Returns a field's type, and whether it is a map; `None` if it names a type that the set does
    /// not declare.
    pub(super) fn of_field(&self, proto: &FieldProto, type_name: &str) -> Option<(i32, bool)> {
        match (proto.r#type, self.0.get(type_name)) {
            (0 | number::ENUM, Some(Type::Enum)) => Some((number::ENUM, false)),
            (0 | number::MESSAGE, Some(Type::Message)) => Some((number::MESSAGE, false)),
            (0 | number::MESSAGE, Some(Type::MapEntry)) => {
                Some((number::MESSAGE, proto.label == number::LABEL_REPEATED))
            }
            (number::GROUP, Some(Type::Message)) => Some((number::GROUP, false)),
            (number::GROUP | number::MESSAGE | number::ENUM, _) => None,
            (number::DOUBLE..=number::SINT64, _) => Some((proto.r#type, false)),
            _ => None,
        }
    }
}
