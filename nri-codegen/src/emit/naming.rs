//! The names that prost-build gives to what a proto declares.
//!
//! Keywords are not escaped here: escaping keeps different names different, and these names are only compared.

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

/// Returns the variants of an enum by the values they stand for; aliases of a number have none of their own.
pub(super) fn variants(declared: &EnumDescriptorProto) -> Vec<(&EnumValueDescriptorProto, String)> {
    let prefix = type_name(declared.name());
    let mut numbers = std::collections::HashSet::new();
    let values = declared.value.iter();
    let first = values.filter(|value| numbers.insert(value.number()));
    first
        .map(|value| (value, variant_name(&prefix, value.name())))
        .collect()
}

/// Removes the name of the enum before that of the value, if a word starts behind it.
fn variant_name(prefix: &str, value: &str) -> String {
    let name = type_name(value);
    // The enum `Self` is called `Self_`, which no value starts with.
    let rest = name.strip_prefix(prefix).filter(|_| prefix != "Self");
    match rest {
        Some(rest) if rest.starts_with(char::is_uppercase) => rest.to_owned(),
        _ => name,
    }
}

/// Returns whether Rust has a keyword of this name.
pub(super) fn is_keyword(name: &str) -> bool {
    syn::parse_str::<syn::Ident>(name).is_err() || name == "gen"
}
