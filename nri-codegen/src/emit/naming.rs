//! The names that prost-build gives to the declarations of a proto.
//!
//! Keywords are not escaped here: names are only compared, and escaping keeps different names
//! different.

use heck::{ToSnakeCase, ToUpperCamelCase};
use prost_types::{EnumDescriptorProto, EnumValueDescriptorProto};

/// Returns the name of a message, enum, oneof type or service.
pub(super) fn type_name(name: &str) -> String {
    name.to_upper_camel_case()
}

/// Returns the name of a field, RPC or module.
pub(super) fn value_name(name: &str) -> String {
    name.to_snake_case()
}

/// Returns the variants of an enum by their numbers; aliases of a number have no variant.
pub(super) fn variants(declared: &EnumDescriptorProto) -> Vec<(&EnumValueDescriptorProto, String)> {
    let prefix = type_name(declared.name());
    let mut numbers = std::collections::HashSet::new();
    let first = declared.value.iter().filter(|value| numbers.insert(value.number()));
    first.map(|value| (value, variant_name(&prefix, value.name()))).collect()
}

/// Removes the name of the enum from the start of a value name, if a word starts after it.
fn variant_name(prefix: &str, value: &str) -> String {
    let name = type_name(value);
    // The enum `Self` is called `Self_`, which no value starts with.
    let rest = name.strip_prefix(prefix).filter(|_| prefix != "Self");
    match rest {
        Some(rest) if rest.starts_with(char::is_uppercase) => rest.to_owned(),
        _ => name,
    }
}

/// Returns true if Rust has a keyword of this name.
pub(super) fn is_keyword(name: &str) -> bool {
    syn::parse_str::<syn::Ident>(name).is_err() || name == "gen"
}
