//! The table of rules: one line per rule, with its id and its check. The text of a rule is in
//! `rules/ID.toml`.
//!
//! Each macro passes a part of the table to another macro. The catalogue creates its entries from
//! the ids, and `diff` runs the checks, without a dependency between the two modules.

/// Passes the rules of `buf breaking` 1.75.0 to a macro: the id of each, the elements that it
/// examines, and its check.
macro_rules! buf_rules {
    ($reader:ident) => {
        $reader! {
            ENUM_NO_DELETE => Schemas(|run| deletion::of_file(run, &deletion::ENUM)),
            ENUM_SAME_JSON_FORMAT => Enums(enums::json_format),
            ENUM_SAME_TYPE => Enums(enums::openness),
            ENUM_VALUE_NO_DELETE => Enums(|run, old, new| enums::value_deleted(run, old, new, Unless::Never)),
            ENUM_VALUE_NO_DELETE_UNLESS_NAME_RESERVED => Enums(|run, old, new| enums::value_deleted(run, old, new, Unless::NameReserved)),
            ENUM_VALUE_NO_DELETE_UNLESS_NUMBER_RESERVED => Enums(|run, old, new| enums::value_deleted(run, old, new, Unless::NumberReserved)),
            ENUM_VALUE_SAME_NAME => Enums(enums::value_name),
            EXTENSION_MESSAGE_NO_DELETE => Messages(ranges::extension),
            EXTENSION_NO_DELETE => Schemas(|run| deletion::of_file(run, &deletion::EXTENSION)),
            FIELD_NO_DELETE => Messages(|run, old, new| fields::deleted(run, old, new, Unless::Never)),
            FIELD_NO_DELETE_UNLESS_NAME_RESERVED => Messages(|run, old, new| fields::deleted(run, old, new, Unless::NameReserved)),
            FIELD_NO_DELETE_UNLESS_NUMBER_RESERVED => Messages(|run, old, new| fields::deleted(run, old, new, Unless::NumberReserved)),
            FIELD_SAME_CARDINALITY => Fields(types::same_cardinality),
            FIELD_SAME_CPP_STRING_TYPE => Fields(strings::cpp),
            FIELD_SAME_DEFAULT => Fields(default::same),
            FIELD_SAME_JAVA_UTF8_VALIDATION => Fields(strings::java_utf8),
            FIELD_SAME_JSON_NAME => Fields(fields::json_name),
            FIELD_SAME_JSTYPE => Fields(fields::jstype),
            FIELD_SAME_NAME => Fields(fields::name),
            FIELD_SAME_ONEOF => Fields(fields::oneof),
            FIELD_SAME_TYPE => Fields(types::same),
            FIELD_SAME_UTF8_VALIDATION => Fields(strings::utf8),
            FIELD_WIRE_COMPATIBLE_CARDINALITY => Fields(types::wire_cardinality),
            FIELD_WIRE_COMPATIBLE_TYPE => Fields(types::wire),
            FIELD_WIRE_JSON_COMPATIBLE_CARDINALITY => Fields(types::wire_json_cardinality),
            FIELD_WIRE_JSON_COMPATIBLE_TYPE => Fields(types::wire_json),
            FILE_NO_DELETE => Schemas(deletion::file),
            FILE_SAME_CC_ENABLE_ARENAS => FileOption(FileOption(31, "cc_enable_arenas", |options| flag(options.cc_enable_arenas))),
            FILE_SAME_CC_GENERIC_SERVICES => FileOption(FileOption(16, "cc_generic_services", |options| flag(options.cc_generic_services))),
            FILE_SAME_CSHARP_NAMESPACE => FileOption(FileOption(37, "csharp_namespace", |options| &options.csharp_namespace)),
            FILE_SAME_GO_PACKAGE => FileOption(FileOption(11, "go_package", |options| &options.go_package)),
            FILE_SAME_JAVA_GENERIC_SERVICES => FileOption(FileOption(17, "java_generic_services", |options| flag(options.java_generic_services))),
            FILE_SAME_JAVA_MULTIPLE_FILES => FileOption(FileOption(10, "java_multiple_files", |options| flag(options.java_multiple_files))),
            FILE_SAME_JAVA_OUTER_CLASSNAME => FileOption(FileOption(8, "java_outer_classname", |options| &options.java_outer_classname)),
            FILE_SAME_JAVA_PACKAGE => FileOption(FileOption(1, "java_package", |options| &options.java_package)),
            FILE_SAME_OBJC_CLASS_PREFIX => FileOption(FileOption(36, "objc_class_prefix", |options| &options.objc_class_prefix)),
            FILE_SAME_OPTIMIZE_FOR => FileOption(FileOption(9, "optimize_for", optimize_for)),
            FILE_SAME_PACKAGE => Files(files::package),
            FILE_SAME_PHP_CLASS_PREFIX => FileOption(FileOption(40, "php_class_prefix", |options| &options.php_class_prefix)),
            FILE_SAME_PHP_METADATA_NAMESPACE => FileOption(FileOption(44, "php_metadata_namespace", |options| &options.php_metadata_namespace)),
            FILE_SAME_PHP_NAMESPACE => FileOption(FileOption(41, "php_namespace", |options| &options.php_namespace)),
            FILE_SAME_PY_GENERIC_SERVICES => FileOption(FileOption(18, "py_generic_services", |options| flag(options.py_generic_services))),
            FILE_SAME_RUBY_PACKAGE => FileOption(FileOption(45, "ruby_package", |options| &options.ruby_package)),
            FILE_SAME_SWIFT_PREFIX => FileOption(FileOption(39, "swift_prefix", |options| &options.swift_prefix)),
            FILE_SAME_SYNTAX => Files(files::syntax),
            MESSAGE_NO_DELETE => Schemas(|run| deletion::of_file(run, &deletion::MESSAGE)),
            MESSAGE_NO_REMOVE_STANDARD_DESCRIPTOR_ACCESSOR => Messages(fields::accessor),
            MESSAGE_SAME_JSON_FORMAT => Messages(fields::message_json_format),
            MESSAGE_SAME_REQUIRED_FIELDS => Messages(fields::required),
            ONEOF_NO_DELETE => Messages(fields::oneof_deleted),
            PACKAGE_ENUM_NO_DELETE => Schemas(|run| deletion::of_package(run, &deletion::ENUM)),
            PACKAGE_EXTENSION_NO_DELETE => Schemas(|run| deletion::of_package(run, &deletion::EXTENSION)),
            PACKAGE_MESSAGE_NO_DELETE => Schemas(|run| deletion::of_package(run, &deletion::MESSAGE)),
            PACKAGE_NO_DELETE => Schemas(deletion::package),
            PACKAGE_SERVICE_NO_DELETE => Schemas(|run| deletion::of_package(run, &deletion::SERVICE)),
            RESERVED_ENUM_NO_DELETE => Enums(ranges::enumeration),
            RESERVED_MESSAGE_NO_DELETE => Messages(ranges::message),
            RPC_NO_DELETE => Services(services::rpc_deleted),
            RPC_SAME_CLIENT_STREAMING => Methods(services::client_streaming),
            RPC_SAME_IDEMPOTENCY_LEVEL => Methods(services::idempotency),
            RPC_SAME_REQUEST_TYPE => Methods(services::request),
            RPC_SAME_RESPONSE_TYPE => Methods(services::response),
            RPC_SAME_SERVER_STREAMING => Methods(services::server_streaming),
            SERVICE_NO_DELETE => Schemas(|run| deletion::of_file(run, &deletion::SERVICE)),
        }
    };
}

/// Passes the rules that only this protocol has to a macro: the id of each, and the function that
/// reports it.
macro_rules! nri_rules {
    ($reader:ident) => {
        $reader! {
            NRI_ANSWER_FIELD_REMOVED => fields::check,
            NRI_CALL_ADDED => rpcs::check,
            NRI_ENUM_VALUE_UNKNOWN_TO_OLDER_PLUGIN => fields::enum_values,
            NRI_ENUM_VALUE_UNKNOWN_TO_OLDER_RUNTIME => fields::enum_values,
            NRI_EVENT_BEYOND_SENTINEL => mask::check,
            NRI_EVENT_LEFT_STATE_CHANGE => events::state_change,
            NRI_EVENT_MASK_GREW => mask::check,
            NRI_EVENT_MASK_OVERFLOW => mask::check,
            NRI_EVENT_NUMBER_CHANGED => events::check,
            NRI_EVENT_REMOVED => events::check,
            NRI_EVENT_RPC_CHANGED => events::check,
            NRI_EVENT_SENTINEL_GAP => mask::check,
            NRI_EVENT_SENTINEL_MOVED => mask::check,
            NRI_EVENT_WITHOUT_RPC => events::check,
            NRI_FIELD_ABSENT_ON_OLDER_RUNTIME => fields::check,
            NRI_FIELD_IGNORED_BY_OLDER_RUNTIME => fields::check,
            NRI_INTERFACE_REMOVED_AS_PLANNED => events::state_change,
            NRI_INTERFACE_REMOVED_EARLY => events::state_change,
            NRI_MASK_FIELD_CHANGED => mask::check,
            NRI_PACKAGE_CHANGED => rpcs::services,
            NRI_REGISTRATION_FIELD_IGNORED => fields::check,
            NRI_REQUEST_FIELD_REMOVED => fields::check,
            NRI_RPC_ADDED_WITHOUT_FALLBACK => rpcs::check,
            NRI_RPC_ADDED_WITH_FALLBACK => rpcs::check,
            NRI_RPC_BECAME_STREAM => rpcs::check,
            NRI_RPC_PAIRING_BROKEN => rpcs::check,
            NRI_RPC_REMOVED => rpcs::check,
            NRI_SERVICE_REMOVED => rpcs::services,
            NRI_STATE_CHANGE_EVENT_CHANGED => events::state_change,
            NRI_SYNC_SPLIT_ADDED => synchronize::check,
            NRI_SYNC_SPLIT_BROKEN => synchronize::check,
            NRI_WASM_EXPORT_REQUIRED => rpcs::wasm_exports,
        }
    };
}

/// Passes the rules about plugins to a macro: the id of each, and the commands that report it with
/// their verdicts.
macro_rules! check_rules {
    ($reader:ident) => {
        $reader! {
            CHECK_CANNOT_TELL => check,
            CHECK_EVENT_UNKNOWN => check,
            CHECK_INTERFACE_REMOVED => check,
            CHECK_NO_PROTOCOL => check,
            CHECK_ONE_SHOT => check,
            CHECK_RELEASE_REFUSED => check,
            CHECK_STATE_CHANGE => check,
            CHECK_WASM_EXPORTS => check,
        }
    };
}

/// Passes the rules about the configuration of runtimes to a macro: the id of each, and the module
/// that reports it.
macro_rules! config_rules {
    ($reader:ident) => {
        $reader! {
            CONFIG_CONNECTIONS_DISABLED => conditions,
            CONFIG_DEPRECATION_HIDDEN => ignored,
            CONFIG_DURATION_WITHOUT_UNIT => values,
            CONFIG_FOLDER_MISSING => conditions,
            CONFIG_KEY_OF_OTHER_RELEASE => ignored,
            CONFIG_KEY_UNKNOWN => ignored,
            CONFIG_NRI_OFF => conditions,
            CONFIG_REQUIRED_PLUGIN_MISSING => required,
            CONFIG_TABLE_QUOTING => ignored,
            CONFIG_TABLE_UNKNOWN => ignored,
            CONFIG_TIME_LIMIT => conditions,
            CONFIG_VALIDATOR_OFF => conditions,
            CONFIG_VALUE_INVALID => values,
        }
    };
}

/// Passes the ids of incidents to a macro, in the order in which their wordings are tried: of two
/// that match the same text, the first one stands for it.
macro_rules! incidents {
    ($reader:ident) => {
        $reader! {
            "INCIDENT_EVENTS_UNKNOWN",
            "INCIDENT_REGISTRATION_TIMEOUT",
            "INCIDENT_REGISTRATION_FAILED",
            "INCIDENT_CONFIGURE_FAILED",
            "INCIDENT_SYNCHRONIZE_TOO_LARGE",
            "INCIDENT_SYNCHRONIZE_PARTS",
            "INCIDENT_SYNCHRONIZE_TIMEOUT",
            "INCIDENT_SYNCHRONIZE_FAILED",
            "INCIDENT_WASM_FAILED",
            "INCIDENT_LAUNCH_FAILED",
            "INCIDENT_EVENT_TIMEOUT",
            "INCIDENT_CLOSED",
            "INCIDENT_EVENT_SKIPPED",
            "INCIDENT_EVENT_FAILED",
            "INCIDENT_DISCONNECTED",
            "INCIDENT_CONNECTIONS_DISABLED",
            "INCIDENT_NRI_DISABLED",
            "INCIDENT_NRI_FAILED",
            "INCIDENT_CONFLICT",
            "INCIDENT_REQUIRED_PLUGIN_MISSING",
            "INCIDENT_ADJUSTMENT_REJECTED",
            "INCIDENT_ADJUSTMENT_FAILED",
            "INCIDENT_UPDATE_FAILED",
            "INCIDENT_REQUEST_FAILED",
            "INCIDENT_NOTIFICATION_FAILED",
            "INCIDENT_ONE_SHOT_FAILED",
            "INCIDENT_ONE_SHOT",
            "INCIDENT_DEPRECATION_UNKNOWN",
            "INCIDENT_FLAPPING",
            "INCIDENT_STUB_CONNECT_FAILED",
            "INCIDENT_STUB_REGISTRATION_FAILED",
            "INCIDENT_STUB_EVENTS_UNHANDLED",
        }
    };
}

pub(crate) use {buf_rules, check_rules, config_rules, incidents, nri_rules};

/// The ids of the rules, as constants: a typo does not compile.
pub(crate) mod ids {
    macro_rules! constants {
        ($($id:ident => $check:expr,)*) => {
            $(#[allow(dead_code, reason = "many rules are reported by the table alone")]
            pub(crate) const $id: &str = stringify!($id);)*
        };
    }

    super::buf_rules!(constants);
    super::nri_rules!(constants);
    super::check_rules!(constants);
    super::config_rules!(constants);
}
