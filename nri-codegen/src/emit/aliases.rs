//! Default values that name an alias of an enum value, for which prost-build generates no variant.

use std::collections::HashMap;

use prost_types::field_descriptor_proto::Type;
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto};

/// Replaces defaults that are an alias of an enum value by the name that has a variant.
pub(super) fn resolve(files: &mut [FileDescriptorProto]) {
    let mut aliases = HashMap::new();
    for file in files.iter() {
        let scope: String = file
            .package()
            .split('.')
            .filter(|part| !part.is_empty())
            .map(|part| format!(".{part}"))
            .collect();
        enum_aliases(&file.enum_type, &scope, &mut aliases);
        message_aliases(&file.message_type, &scope, &mut aliases);
    }
    for message in files.iter_mut().flat_map(|file| &mut file.message_type) {
        replace_aliases(message, &aliases);
    }
}

/// The first value with the same number, by full name of the enum and name of the alias.
type Aliases = HashMap<(String, String), String>;

fn message_aliases(messages: &[DescriptorProto], scope: &str, aliases: &mut Aliases) {
    for message in messages {
        let scope = format!("{scope}.{}", message.name());
        enum_aliases(&message.enum_type, &scope, aliases);
        message_aliases(&message.nested_type, &scope, aliases);
    }
}

fn enum_aliases(enums: &[EnumDescriptorProto], scope: &str, aliases: &mut Aliases) {
    for declared in enums {
        let mut first = HashMap::new();
        for value in &declared.value {
            let name = *first.entry(value.number()).or_insert(value.name());
            if name != value.name() {
                let full_name = format!("{scope}.{}", declared.name());
                aliases.insert((full_name, value.name().to_owned()), name.to_owned());
            }
        }
    }
}

fn replace_aliases(message: &mut DescriptorProto, aliases: &Aliases) {
    for field in message.field.iter_mut().filter(|field| field.r#type() == Type::Enum) {
        let key = (field.type_name().to_owned(), field.default_value().to_owned());
        if let Some(first) = aliases.get(&key) {
            field.default_value = Some(first.clone());
        }
    }
    for nested in &mut message.nested_type {
        replace_aliases(nested, aliases);
    }
}
