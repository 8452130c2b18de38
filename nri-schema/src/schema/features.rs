//! The features of an element, from its syntax, edition and feature options.
//!
//! Defaults per edition: <https://protobuf.dev/editions/features/>.

use super::descriptor::{FeatureSet, FileProto, LanguageFeatures};

/// `EDITION_2023`; older ones are a syntax.
const EDITION_2023: i32 = 1000;
/// `EDITION_2024`.
const EDITION_2024: i32 = 1001;

/// The syntax statement of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// `syntax = "proto2"`, or no statement.
    Proto2,
    /// `syntax = "proto3"`.
    Proto3,
    /// `edition = "2023"` or a later one.
    Editions,
}

impl Syntax {
    /// Returns the syntax of a file, or `None` for a word that is none.
    pub(super) fn of(file: &FileProto) -> Option<Self> {
        match file.syntax.as_str() {
            "" | "proto2" => Some(Self::Proto2),
            "proto3" => Some(Self::Proto3),
            "editions" => Some(Self::Editions),
            _ => None,
        }
    }

    /// Returns the word in the statement.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Proto2 => "proto2",
            Self::Proto3 => "proto3",
            Self::Editions => "editions",
        }
    }
}

/// The resolved features of one element, as numbers of the enums in `FeatureSet`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are the features of descriptor.proto, in their words")]
pub struct Features {
    pub field_presence: i32,
    pub enum_type: i32,
    pub repeated_field_encoding: i32,
    pub utf8_validation: i32,
    pub message_encoding: i32,
    pub json_format: i32,
    pub cpp_string_type: i32,
    pub java_utf8_validation: i32,
}

/// Numbers of the enums in `FeatureSet`, `pb.CppFeatures` and `pb.JavaFeatures`.
#[expect(missing_docs, reason = "they are the names of descriptor.proto")]
pub mod value {
    pub const PRESENCE_EXPLICIT: i32 = 1;
    pub const PRESENCE_IMPLICIT: i32 = 2;
    pub const PRESENCE_LEGACY_REQUIRED: i32 = 3;
    pub const ENUM_OPEN: i32 = 1;
    pub const ENUM_CLOSED: i32 = 2;
    pub const REPEATED_PACKED: i32 = 1;
    pub const REPEATED_EXPANDED: i32 = 2;
    pub const UTF8_VERIFY: i32 = 2;
    pub const UTF8_NONE: i32 = 3;
    pub const ENCODING_LENGTH_PREFIXED: i32 = 1;
    pub const ENCODING_DELIMITED: i32 = 2;
    pub const JSON_ALLOW: i32 = 1;
    pub const JSON_LEGACY_BEST_EFFORT: i32 = 2;
    pub const CPP_VIEW: i32 = 1;
    pub const CPP_CORD: i32 = 2;
    pub const CPP_STRING: i32 = 3;
    pub const JAVA_DEFAULT: i32 = 1;
    pub const JAVA_VERIFY: i32 = 2;
}

use value::{
    CPP_STRING, CPP_VIEW, ENCODING_LENGTH_PREFIXED, ENUM_CLOSED, ENUM_OPEN, JAVA_DEFAULT,
    JSON_ALLOW, JSON_LEGACY_BEST_EFFORT, PRESENCE_EXPLICIT, PRESENCE_IMPLICIT, REPEATED_EXPANDED,
    REPEATED_PACKED, UTF8_NONE, UTF8_VERIFY,
};

const PROTO3: Features = Features {
    field_presence: PRESENCE_IMPLICIT,
    enum_type: ENUM_OPEN,
    repeated_field_encoding: REPEATED_PACKED,
    utf8_validation: UTF8_VERIFY,
    message_encoding: ENCODING_LENGTH_PREFIXED,
    json_format: JSON_ALLOW,
    cpp_string_type: CPP_STRING,
    java_utf8_validation: JAVA_DEFAULT,
};

const PROTO2: Features = Features {
    field_presence: PRESENCE_EXPLICIT,
    enum_type: ENUM_CLOSED,
    repeated_field_encoding: REPEATED_EXPANDED,
    utf8_validation: UTF8_NONE,
    json_format: JSON_LEGACY_BEST_EFFORT,
    ..PROTO3
};

impl Features {
    /// Returns the features of a file, including its own options; `None` for an unknown edition.
    pub(super) fn of_file(file: &FileProto) -> Option<Self> {
        let defaults = match (Syntax::of(file)?, file.edition) {
            (Syntax::Proto2, _) => PROTO2,
            (Syntax::Proto3, _) => PROTO3,
            (Syntax::Editions, EDITION_2023) => {
                Self { field_presence: PRESENCE_EXPLICIT, ..PROTO3 }
            }
            (Syntax::Editions, EDITION_2024) => {
                Self { field_presence: PRESENCE_EXPLICIT, cpp_string_type: CPP_VIEW, ..PROTO3 }
            }
            (Syntax::Editions, _) => return None,
        };
        let own = file.options.as_ref().and_then(|options| options.features.as_ref());
        Some(defaults.with(own))
    }

    /// Returns the features of an element that sets `own` inside one with the features `self`.
    pub(super) fn with(self, own: Option<&FeatureSet>) -> Self {
        let Some(own) = own else { return self };
        let strings =
            |language: &Option<LanguageFeatures>| language.as_ref().and_then(|set| set.strings);
        Self {
            field_presence: own.field_presence.unwrap_or(self.field_presence),
            enum_type: own.enum_type.unwrap_or(self.enum_type),
            repeated_field_encoding: own
                .repeated_field_encoding
                .unwrap_or(self.repeated_field_encoding),
            utf8_validation: own.utf8_validation.unwrap_or(self.utf8_validation),
            message_encoding: own.message_encoding.unwrap_or(self.message_encoding),
            json_format: own.json_format.unwrap_or(self.json_format),
            cpp_string_type: strings(&own.cpp).unwrap_or(self.cpp_string_type),
            java_utf8_validation: strings(&own.java).unwrap_or(self.java_utf8_validation),
        }
    }
}
