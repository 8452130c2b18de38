//! [Protobuf's JSON mapping](https://protobuf.dev/programming-guides/json/) for all messages, through serde. Needs the
//! feature `serde`.
//!
//! Every message and enum of [`api`](crate::api) implements `Serialize` and `Deserialize`, so they
//! work with any self-describing format of serde, such as JSON or YAML:
//!
//! ```
//! use nri::api::PodSandbox;
//! use nri::json::Strict;
//!
//! let pod = PodSandbox { name: "dns".into(), runtime_handler: "runc".into(), ..PodSandbox::default() };
//! let text = serde_json::to_string(&pod)?;
//! assert_eq!(text, r#"{"name":"dns","runtimeHandler":"runc"}"#);
//! assert_eq!(serde_json::from_str::<PodSandbox>(&text)?, pod);
//!
//! // Unknown fields are ignored, as a newer peer may send them; `Strict` refuses them.
//! assert!(serde_json::from_str::<PodSandbox>(r#"{"nmae":"dns"}"#).is_ok());
//! let error = serde_json::from_str::<Strict<PodSandbox>>(r#"{"nmae":"dns"}"#).unwrap_err();
//! assert!(error.to_string().starts_with("unknown field `nmae` of PodSandbox"));
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! | protobuf | written | read |
//! | --- | --- | --- |
//! | field | `camelCase`, in the order of the field numbers; omitted if it has its default | `camelCase` or the name in the proto; `null` for the default |
//! | 64-bit integer | string | string or number |
//! | other number | number | number or string |
//! | enum | name; number if it has no name | name or number |
//! | `bytes` | base64 with padding | base64, standard or URL-safe, with or without padding |
//! | map | object, in the order of its keys | object |
//!
//! Two values for one field are an error. The schema is a table generated from the proto.

mod base64;
mod read;
mod scalar;
mod schema;
#[rustfmt::skip]
#[allow(deprecated)]
mod table;
mod write;

#[cfg(test)]
mod tests;

use serde_core::de::{Deserialize, DeserializeSeed, Deserializer, Error as _};

use read::{ReadMessage, Unknown};
use schema::Message;

/// A message with a JSON mapping: every message of [`api`](crate::api).
pub trait JsonMessage: prost::Message + Default + sealed::Described {}

impl<T: prost::Message + Default + sealed::Described> JsonMessage for T {}

mod sealed {
    /// A type that the schema describes.
    pub trait Described {
        /// The description of the type.
        #[doc(hidden)]
        const MESSAGE: &'static super::Message;
    }
}

/// A message that is read strictly: a field or an enum value name that the newest protocol revision
/// does not have is an error instead of being ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strict<T>(pub T);

impl<'de, T: JsonMessage> Deserialize<'de> for Strict<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_message(deserializer, Unknown::Refuse).map(Strict)
    }
}

fn read_message<'de, T: JsonMessage, D: Deserializer<'de>>(
    deserializer: D,
    unknown: Unknown,
) -> Result<T, D::Error> {
    let seed = ReadMessage {
        message: T::MESSAGE,
        unknown,
    };
    let bytes = seed.deserialize(deserializer)?;
    T::decode(&*bytes).map_err(D::Error::custom)
}

/// Implements the traits of serde for a message with this description.
macro_rules! message {
    ($message:path => $description:ident) => {
        impl super::sealed::Described for $message {
            const MESSAGE: &'static super::schema::Message = &$description;
        }

        impl ::serde_core::Serialize for $message {
            fn serialize<S: ::serde_core::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                super::write::message(self, &$description, serializer)
            }
        }

        impl<'de> ::serde_core::Deserialize<'de> for $message {
            fn deserialize<D: ::serde_core::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                super::read_message(deserializer, super::read::Unknown::Ignore)
            }
        }
    };
}

/// Implements the traits of serde for an enum with this description.
macro_rules! enumeration {
    ($enumeration:path => $description:ident) => {
        impl ::serde_core::Serialize for $enumeration {
            fn serialize<S: ::serde_core::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                super::write::enumeration(*self as i32, &$description, serializer)
            }
        }

        impl<'de> ::serde_core::Deserialize<'de> for $enumeration {
            fn deserialize<D: ::serde_core::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                super::read::enumeration(&$description, deserializer)
            }
        }
    };
}

use {enumeration, message};
