//! [Protobuf's JSON mapping](https://protobuf.dev/programming-guides/json/) for all messages,
//! through serde. Needs the feature `serde`.
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
//! | 32-bit integer | number | number or string |
//! | enum | name; number if it has no name | name or number |
//! | map | object, in the order of its keys | object |
//!
//! Two values for one field are an error. Floating-point numbers and `bytes`, which no message of
//! NRI has, are left out.

mod optional;
mod scalar;
mod value;

#[cfg(test)]
mod tests;

use std::marker::PhantomData;

use serde_core::de::{Deserialize, Deserializer, Error, MapAccess};
use serde_core::ser::SerializeMap;

use crate::codec;
use value::Json;

pub(crate) use value::{read_field, read_message, write_field, write_message};

/// A message with a JSON mapping: every message of [`api`](crate::api).
pub trait JsonMessage: codec::Message {
    /// The name of the message, for errors.
    #[doc(hidden)]
    const NAME: &'static str;
    /// Numbers and names in the proto, from the last to the first.
    #[doc(hidden)]
    const FIELDS: &'static [(u32, &'static str)];

    /// Writes the field with this number, unless it has its default.
    #[doc(hidden)]
    fn write_field<S: SerializeMap>(
        &self,
        number: u32,
        name: &str,
        map: &mut S,
    ) -> Result<(), S::Error>;

    /// Reads the field with this number.
    #[doc(hidden)]
    fn read_field<'de, const STRICT: bool, A: MapAccess<'de>>(
        &mut self,
        number: u32,
        map: &mut A,
    ) -> Result<(), A::Error>;
}

impl<M: JsonMessage> JsonMessage for Box<M>
where
    Box<M>: codec::Message,
{
    const NAME: &'static str = M::NAME;
    const FIELDS: &'static [(u32, &'static str)] = M::FIELDS;

    fn write_field<S: SerializeMap>(
        &self,
        number: u32,
        name: &str,
        map: &mut S,
    ) -> Result<(), S::Error> {
        M::write_field(self, number, name, map)
    }

    fn read_field<'de, const STRICT: bool, A: MapAccess<'de>>(
        &mut self,
        number: u32,
        map: &mut A,
    ) -> Result<(), A::Error> {
        M::read_field::<STRICT, A>(self, number, map)
    }
}

/// An enum of [`api`](crate::api).
pub(crate) trait Enum: Copy + TryFrom<i32> + Into<i32> {
    /// The name of the enum, for errors.
    const NAME: &'static str;

    /// Returns the name of a value.
    fn name(self) -> &'static str;

    /// Returns the value with this name.
    fn from_name(name: &str) -> Option<Self>;
}

/// The kind of a field whose JSON depends on its type alone.
pub(crate) struct Plain;

/// The kind of a field that holds numbers of values of an enum.
pub(crate) struct Named<E>(PhantomData<E>);

/// A message that is read strictly: a field or an enum value name that the newest protocol revision
/// does not have is an error instead of being ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strict<T>(pub T);

impl<'de, T: JsonMessage> Deserialize<'de> for Strict<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_message::<true, T, D>(deserializer).map(Strict)
    }
}

/// Returns the name of a field in JSON: without underscores, and with each letter behind one in
/// upper case.
fn camel_case(name: &str) -> impl Iterator<Item = char> {
    let mut was_underscore = false;
    name.chars().filter_map(move |letter| {
        let is_start = std::mem::replace(&mut was_underscore, letter == '_');
        match letter {
            '_' => None,
            letter if is_start => Some(letter.to_ascii_uppercase()),
            letter => Some(letter),
        }
    })
}

/// Reads a value of an enum. A value that is not known is an error.
pub(crate) fn read_enum<'de, E: Enum, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<E, D::Error> {
    let number = Named::<E>::read::<true, D>(deserializer)?;
    number
        .and_then(|number| E::try_from(number).ok())
        .ok_or_else(|| D::Error::custom(format_args!("{} has no such value", E::NAME)))
}

/// Implements the traits of serde for a message with these fields: number, name in Rust, name in
/// the proto if that is another, and the enum, if it is one.
macro_rules! message {
    ($message:ty, $name:literal {
        $($number:literal => $field:ident $($proto:literal)? $(: $enumeration:path)?),* $(,)?
    }) => {
        impl $crate::json::JsonMessage for $message {
            const NAME: &'static str = $name;
            const FIELDS: &'static [(u32, &'static str)] =
                &[$(($number, $crate::json::message!(@name $field $($proto)?))),*];

            fn write_field<S: serde_core::ser::SerializeMap>(
                &self,
                number: u32,
                name: &str,
                map: &mut S,
            ) -> Result<(), S::Error> {
                let _ = (name, &map);
                match number {
                    $($number => $crate::json::write_field::<
                        $crate::json::message!(@kind $($enumeration)?), _, _
                    >(&self.$field, name, map),)*
                    _ => Ok(()),
                }
            }

            fn read_field<'de, const STRICT: bool, A: serde_core::de::MapAccess<'de>>(
                &mut self,
                number: u32,
                map: &mut A,
            ) -> Result<(), A::Error> {
                let _ = &map;
                match number {
                    $($number => $crate::json::read_field::<
                        STRICT, $crate::json::message!(@kind $($enumeration)?), _, _
                    >(&mut self.$field, map),)*
                    _ => Ok(()),
                }
            }
        }

        impl serde_core::Serialize for $message {
            fn serialize<S: serde_core::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                $crate::json::write_message(self, s)
            }
        }

        impl<'de> serde_core::Deserialize<'de> for $message {
            fn deserialize<D: serde_core::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                $crate::json::read_message::<false, Self, D>(d)
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $proto:literal) => { $proto };
    (@kind) => { $crate::json::Plain };
    (@kind $enumeration:path) => { $crate::json::Named<$enumeration> };
}

/// Implements the traits of serde for an enum.
macro_rules! enumeration {
    ($enumeration:ty, $name:literal { $($row:tt)* }) => {
        impl $crate::json::Enum for $enumeration {
            const NAME: &'static str = $name;

            fn name(self) -> &'static str {
                self.as_str_name()
            }

            fn from_name(name: &str) -> Option<Self> {
                Self::from_str_name(name)
            }
        }

        impl serde_core::Serialize for $enumeration {
            fn serialize<S: serde_core::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(self.as_str_name())
            }
        }

        impl<'de> serde_core::Deserialize<'de> for $enumeration {
            fn deserialize<D: serde_core::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                $crate::json::read_enum(d)
            }
        }
    };
}

pub(crate) use {enumeration, message};
