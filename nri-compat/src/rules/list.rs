//! The ids, in the order in which they are listed; each is the name of a file in `rules/`.

use std::sync::OnceLock;

use super::Entry;

macro_rules! catalogue {
    ($(#[$doc:meta])* $name:ident: $($id:literal),* $(,)?) => {
        $(#[$doc])*
        static $name: [Entry; { const IDS: &[&str] = &[$($id),*]; IDS.len() }] = [$(Entry {
            id: $id,
            text: include_str!(concat!("../../rules/", $id, ".toml")),
            rule: OnceLock::new(),
        }),*];
    };
}

/// Every rule, buf's first.
pub(super) fn entries() -> impl Iterator<Item = &'static Entry> {
    BREAKING.iter().chain(&NRI)
}

catalogue! {
    /// What only this protocol knows.
    NRI:
}

catalogue! {
    /// The rules of `buf breaking` 1.75.0, under its ids.
    BREAKING:
    "ENUM_NO_DELETE",
    "ENUM_SAME_JSON_FORMAT",
    "ENUM_SAME_TYPE",
    "ENUM_VALUE_NO_DELETE",
    "ENUM_VALUE_NO_DELETE_UNLESS_NAME_RESERVED",
    "ENUM_VALUE_NO_DELETE_UNLESS_NUMBER_RESERVED",
    "ENUM_VALUE_SAME_NAME",
    "EXTENSION_MESSAGE_NO_DELETE",
    "EXTENSION_NO_DELETE",
    "FIELD_NO_DELETE",
    "FIELD_NO_DELETE_UNLESS_NAME_RESERVED",
    "FIELD_NO_DELETE_UNLESS_NUMBER_RESERVED",
    "FIELD_SAME_CARDINALITY",
    "FIELD_SAME_CPP_STRING_TYPE",
    "FIELD_SAME_DEFAULT",
    "FIELD_SAME_JAVA_UTF8_VALIDATION",
    "FIELD_SAME_JSON_NAME",
    "FIELD_SAME_JSTYPE",
    "FIELD_SAME_NAME",
    "FIELD_SAME_ONEOF",
    "FIELD_SAME_TYPE",
    "FIELD_SAME_UTF8_VALIDATION",
    "FIELD_WIRE_COMPATIBLE_CARDINALITY",
    "FIELD_WIRE_COMPATIBLE_TYPE",
    "FIELD_WIRE_JSON_COMPATIBLE_CARDINALITY",
    "FIELD_WIRE_JSON_COMPATIBLE_TYPE",
    "FILE_NO_DELETE",
    "FILE_SAME_CC_ENABLE_ARENAS",
    "FILE_SAME_CC_GENERIC_SERVICES",
    "FILE_SAME_CSHARP_NAMESPACE",
    "FILE_SAME_GO_PACKAGE",
    "FILE_SAME_JAVA_GENERIC_SERVICES",
    "FILE_SAME_JAVA_MULTIPLE_FILES",
    "FILE_SAME_JAVA_OUTER_CLASSNAME",
    "FILE_SAME_JAVA_PACKAGE",
    "FILE_SAME_OBJC_CLASS_PREFIX",
    "FILE_SAME_OPTIMIZE_FOR",
    "FILE_SAME_PACKAGE",
    "FILE_SAME_PHP_CLASS_PREFIX",
    "FILE_SAME_PHP_METADATA_NAMESPACE",
    "FILE_SAME_PHP_NAMESPACE",
    "FILE_SAME_PY_GENERIC_SERVICES",
    "FILE_SAME_RUBY_PACKAGE",
    "FILE_SAME_SWIFT_PREFIX",
    "FILE_SAME_SYNTAX",
    "MESSAGE_NO_DELETE",
    "MESSAGE_NO_REMOVE_STANDARD_DESCRIPTOR_ACCESSOR",
    "MESSAGE_SAME_JSON_FORMAT",
    "MESSAGE_SAME_REQUIRED_FIELDS",
    "ONEOF_NO_DELETE",
    "PACKAGE_ENUM_NO_DELETE",
    "PACKAGE_EXTENSION_NO_DELETE",
    "PACKAGE_MESSAGE_NO_DELETE",
    "PACKAGE_NO_DELETE",
    "PACKAGE_SERVICE_NO_DELETE",
    "RESERVED_ENUM_NO_DELETE",
    "RESERVED_MESSAGE_NO_DELETE",
    "RPC_NO_DELETE",
    "RPC_SAME_CLIENT_STREAMING",
    "RPC_SAME_IDEMPOTENCY_LEVEL",
    "RPC_SAME_REQUEST_TYPE",
    "RPC_SAME_RESPONSE_TYPE",
    "RPC_SAME_SERVER_STREAMING",
    "SERVICE_NO_DELETE",
}
