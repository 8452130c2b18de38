//! The table of rules and their checks.

use super::check::files::{FileOption, flag, optimize_for};
use super::check::{
    Check, cardinality, default, deletion, enums, fields, files, messages, ranges, services,
    strings, types,
};

/// Every rule of `rules/*.toml` that this module checks, by id.
pub(super) static CHECKS: &[(&str, Check)] = &[
    ("ENUM_NO_DELETE", Check::Schemas(deletion::enum_of_file)),
    ("ENUM_SAME_JSON_FORMAT", Check::Enums(enums::json_format)),
    ("ENUM_SAME_TYPE", Check::Enums(enums::openness)),
    ("ENUM_VALUE_NO_DELETE", Check::Enums(enums::value_deleted)),
    (
        "ENUM_VALUE_NO_DELETE_UNLESS_NAME_RESERVED",
        Check::Enums(enums::value_deleted_unless_name_reserved),
    ),
    (
        "ENUM_VALUE_NO_DELETE_UNLESS_NUMBER_RESERVED",
        Check::Enums(enums::value_deleted_unless_number_reserved),
    ),
    ("ENUM_VALUE_SAME_NAME", Check::Enums(enums::value_name)),
    (
        "EXTENSION_MESSAGE_NO_DELETE",
        Check::Messages(ranges::extension),
    ),
    (
        "EXTENSION_NO_DELETE",
        Check::Schemas(deletion::extension_of_file),
    ),
    ("FIELD_NO_DELETE", Check::Messages(fields::deleted)),
    (
        "FIELD_NO_DELETE_UNLESS_NAME_RESERVED",
        Check::Messages(fields::deleted_unless_name_reserved),
    ),
    (
        "FIELD_NO_DELETE_UNLESS_NUMBER_RESERVED",
        Check::Messages(fields::deleted_unless_number_reserved),
    ),
    ("FIELD_SAME_CARDINALITY", Check::Fields(cardinality::same)),
    ("FIELD_SAME_CPP_STRING_TYPE", Check::Fields(strings::cpp)),
    ("FIELD_SAME_DEFAULT", Check::Fields(default::same)),
    (
        "FIELD_SAME_JAVA_UTF8_VALIDATION",
        Check::Fields(strings::java_utf8),
    ),
    ("FIELD_SAME_JSON_NAME", Check::Fields(fields::json_name)),
    ("FIELD_SAME_JSTYPE", Check::Fields(fields::jstype)),
    ("FIELD_SAME_NAME", Check::Fields(fields::name)),
    ("FIELD_SAME_ONEOF", Check::Fields(fields::oneof)),
    ("FIELD_SAME_TYPE", Check::Fields(types::same)),
    ("FIELD_SAME_UTF8_VALIDATION", Check::Fields(strings::utf8)),
    (
        "FIELD_WIRE_COMPATIBLE_CARDINALITY",
        Check::Fields(cardinality::wire),
    ),
    ("FIELD_WIRE_COMPATIBLE_TYPE", Check::Fields(types::wire)),
    (
        "FIELD_WIRE_JSON_COMPATIBLE_CARDINALITY",
        Check::Fields(cardinality::wire_json),
    ),
    (
        "FIELD_WIRE_JSON_COMPATIBLE_TYPE",
        Check::Fields(types::wire_json),
    ),
    ("FILE_NO_DELETE", Check::Schemas(deletion::file)),
    (
        "FILE_SAME_CC_ENABLE_ARENAS",
        Check::FileOption(FileOption {
            tag: 31,
            name: "cc_enable_arenas",
            value: |options| flag(options.cc_enable_arenas),
        }),
    ),
    (
        "FILE_SAME_CC_GENERIC_SERVICES",
        Check::FileOption(FileOption {
            tag: 16,
            name: "cc_generic_services",
            value: |options| flag(options.cc_generic_services),
        }),
    ),
    (
        "FILE_SAME_CSHARP_NAMESPACE",
        Check::FileOption(FileOption {
            tag: 37,
            name: "csharp_namespace",
            value: |options| &options.csharp_namespace,
        }),
    ),
    (
        "FILE_SAME_GO_PACKAGE",
        Check::FileOption(FileOption {
            tag: 11,
            name: "go_package",
            value: |options| &options.go_package,
        }),
    ),
    (
        "FILE_SAME_JAVA_GENERIC_SERVICES",
        Check::FileOption(FileOption {
            tag: 17,
            name: "java_generic_services",
            value: |options| flag(options.java_generic_services),
        }),
    ),
    (
        "FILE_SAME_JAVA_MULTIPLE_FILES",
        Check::FileOption(FileOption {
            tag: 10,
            name: "java_multiple_files",
            value: |options| flag(options.java_multiple_files),
        }),
    ),
    (
        "FILE_SAME_JAVA_OUTER_CLASSNAME",
        Check::FileOption(FileOption {
            tag: 8,
            name: "java_outer_classname",
            value: |options| &options.java_outer_classname,
        }),
    ),
    (
        "FILE_SAME_JAVA_PACKAGE",
        Check::FileOption(FileOption {
            tag: 1,
            name: "java_package",
            value: |options| &options.java_package,
        }),
    ),
    (
        "FILE_SAME_OBJC_CLASS_PREFIX",
        Check::FileOption(FileOption {
            tag: 36,
            name: "objc_class_prefix",
            value: |options| &options.objc_class_prefix,
        }),
    ),
    (
        "FILE_SAME_OPTIMIZE_FOR",
        Check::FileOption(FileOption {
            tag: 9,
            name: "optimize_for",
            value: |options| optimize_for(options),
        }),
    ),
    ("FILE_SAME_PACKAGE", Check::Files(files::package)),
    (
        "FILE_SAME_PHP_CLASS_PREFIX",
        Check::FileOption(FileOption {
            tag: 40,
            name: "php_class_prefix",
            value: |options| &options.php_class_prefix,
        }),
    ),
    (
        "FILE_SAME_PHP_METADATA_NAMESPACE",
        Check::FileOption(FileOption {
            tag: 44,
            name: "php_metadata_namespace",
            value: |options| &options.php_metadata_namespace,
        }),
    ),
    (
        "FILE_SAME_PHP_NAMESPACE",
        Check::FileOption(FileOption {
            tag: 41,
            name: "php_namespace",
            value: |options| &options.php_namespace,
        }),
    ),
    (
        "FILE_SAME_PY_GENERIC_SERVICES",
        Check::FileOption(FileOption {
            tag: 18,
            name: "py_generic_services",
            value: |options| flag(options.py_generic_services),
        }),
    ),
    (
        "FILE_SAME_RUBY_PACKAGE",
        Check::FileOption(FileOption {
            tag: 45,
            name: "ruby_package",
            value: |options| &options.ruby_package,
        }),
    ),
    (
        "FILE_SAME_SWIFT_PREFIX",
        Check::FileOption(FileOption {
            tag: 39,
            name: "swift_prefix",
            value: |options| &options.swift_prefix,
        }),
    ),
    ("FILE_SAME_SYNTAX", Check::Files(files::syntax)),
    (
        "MESSAGE_NO_DELETE",
        Check::Schemas(deletion::message_of_file),
    ),
    (
        "MESSAGE_NO_REMOVE_STANDARD_DESCRIPTOR_ACCESSOR",
        Check::Messages(messages::accessor),
    ),
    (
        "MESSAGE_SAME_JSON_FORMAT",
        Check::Messages(messages::json_format),
    ),
    (
        "MESSAGE_SAME_REQUIRED_FIELDS",
        Check::Messages(messages::required),
    ),
    ("ONEOF_NO_DELETE", Check::Messages(messages::oneof)),
    (
        "PACKAGE_ENUM_NO_DELETE",
        Check::Schemas(deletion::enum_of_package),
    ),
    (
        "PACKAGE_EXTENSION_NO_DELETE",
        Check::Schemas(deletion::extension_of_package),
    ),
    (
        "PACKAGE_MESSAGE_NO_DELETE",
        Check::Schemas(deletion::message_of_package),
    ),
    ("PACKAGE_NO_DELETE", Check::Schemas(deletion::package)),
    (
        "PACKAGE_SERVICE_NO_DELETE",
        Check::Schemas(deletion::service_of_package),
    ),
    ("RESERVED_ENUM_NO_DELETE", Check::Enums(ranges::enumeration)),
    (
        "RESERVED_MESSAGE_NO_DELETE",
        Check::Messages(ranges::message),
    ),
    ("RPC_NO_DELETE", Check::Services(services::rpc_deleted)),
    (
        "RPC_SAME_CLIENT_STREAMING",
        Check::Methods(services::client_streaming),
    ),
    (
        "RPC_SAME_IDEMPOTENCY_LEVEL",
        Check::Methods(services::idempotency),
    ),
    ("RPC_SAME_REQUEST_TYPE", Check::Methods(services::request)),
    ("RPC_SAME_RESPONSE_TYPE", Check::Methods(services::response)),
    (
        "RPC_SAME_SERVER_STREAMING",
        Check::Methods(services::server_streaming),
    ),
    (
        "SERVICE_NO_DELETE",
        Check::Schemas(deletion::service_of_file),
    ),
];
