//! How messages are encoded and decoded.
//!
//! prost compiles the encoding into every message. Here, messages share one function for each type
//! of field, and the generated part is a list of their fields. In a program that decodes every
//! request and encodes every answer, the messages take 178 KiB, and with prost 208 KiB. Decoding a
//! CreateContainer request takes 6.8 us, and with prost 7.7 us; encoding its answer takes 1.0 us,
//! and with prost 0.3 us. prost without its derive has the same size and the same times, because
//! the derive writes calls of generic functions, which are compiled for every message whoever
//! writes the calls: it saves a build the macro, 4.5 s of processor time. `tests/bench/codec.sh`
//! measures all three.
//!
//! The words of errors are those of prost, and so are the limits: unknown fields are skipped, and
//! messages are not recursive. Beyond that, decoding a message of up to 4 MiB takes at most 88 MiB
//! of memory; only one with hundreds of thousands of empty elements would need more.
//!
//! With the feature `prost`, all messages also are those of prost, and go where its trait is
//! wanted: as fields of messages that are generated with `extern_path`, into gRPC, into generic
//! code. It costs one crate, prost without its derive, and no byte of a plugin that does not use
//! it: the example `logger` has the same size with the feature and without it. Import one of the
//! two traits `Message` in a module, as they have methods of the same names.
//!
//! ```
//! # #[cfg(feature = "prost")] {
//! use nri::api::PodSandbox;
//!
//! fn copy<M: prost::Message + Default>(message: &M) -> Result<M, prost::DecodeError> {
//!     M::decode(message.encode_to_vec().as_slice())
//! }
//!
//! let pod = PodSandbox { id: "p1".into(), ..PodSandbox::default() };
//! assert_eq!(copy(&pod)?, pod);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod budget;
mod error;
#[cfg(feature = "prost")]
pub(crate) mod interop;
pub(crate) mod optional;
mod read;
pub(crate) mod wire;
mod wire_type;
mod write;

#[cfg(test)]
pub(crate) mod tests;

use std::fmt;

use bytes::Bytes;

use budget::Budget;
pub use error::{DecodeError, UnknownEnumValue};
pub(crate) use read::Field;
pub(crate) use write::Writer;

/// A message of NRI: every message of [`api`](crate::api).
///
/// ```
/// use nri::api::PodSandbox;
/// use nri::codec::Message;
///
/// let pod = PodSandbox { id: "p1".into(), ..PodSandbox::default() };
/// assert_eq!(pod.encode_to_vec(), b"\x0a\x02p1");
/// assert_eq!(PodSandbox::decode(b"\x0a\x02p1")?, pod);
/// # Ok::<(), nri::codec::DecodeError>(())
/// ```
pub trait Message: Default + sealed::Sealed {
    /// Decodes a message. Skips unknown fields.
    ///
    /// # Errors
    ///
    /// Returns a [`DecodeError`] if the bytes are not an encoded message of this type, or if the
    /// message would take too much memory.
    fn decode(encoded: impl AsRef<[u8]>) -> Result<Self, DecodeError>;

    /// Returns the encoded message.
    fn encode_to_vec(&self) -> Vec<u8> {
        let mut encoded = Vec::new();
        self.encode(&mut encoded);
        encoded
    }

    /// Appends the encoded message.
    fn encode(&self, to: &mut Vec<u8>);

    /// Appends the encoded message as the field of another message.
    #[doc(hidden)]
    fn encode_field(&self, number: u32, to: &mut Vec<u8>);

    /// Returns the length of the encoded message in bytes.
    fn encoded_len(&self) -> usize;
}

mod sealed {
    /// Keeps [`Message`](super::Message) from being implemented elsewhere, so that it can get more
    /// methods.
    pub trait Sealed {}

    impl<M: super::Fields> Sealed for M {}
}

impl<M: Fields> Message for M {
    fn decode(encoded: impl AsRef<[u8]>) -> Result<Self, DecodeError> {
        let mut message = M::default();
        let encoded = encoded.as_ref();
        read::all(&mut message, Field::of(encoded, &Budget::of(encoded.len())))?;
        Ok(message)
    }

    fn encode(&self, to: &mut Vec<u8>) {
        write::append(to, |writer| self.write(writer));
    }

    fn encode_field(&self, number: u32, to: &mut Vec<u8>) {
        write::append(to, |writer| write::write_message(self, number, writer));
    }

    fn encoded_len(&self) -> usize {
        write::count(|writer| self.write(writer))
    }
}

/// Decodes a message whose fields of bytes share the memory of `encoded`.
pub(crate) fn decode_shared<M: Fields>(encoded: &Bytes) -> Result<M, DecodeError> {
    let mut message = M::default();
    read::all(&mut message, Field::of_shared(encoded, &Budget::of(encoded.len())))?;
    Ok(message)
}

/// A message as a list of fields. Implemented by [`message!`].
pub(crate) trait Fields: Default {
    /// The name of the message, for errors.
    const NAME: &'static str;
    /// A line for each field with its number and its name, for errors. A list of names would take a
    /// relocation for each.
    const FIELDS: &'static str;
    /// The bytes of the memory that a default message is in, apart from where it is stored.
    const APART: usize = 0;

    /// Reads a field into this message, or skips it if it is unknown.
    fn read(&mut self, field: &mut Field<'_>) -> Result<(), DecodeError>;

    /// Writes all fields that differ from their default, from the last to the first.
    fn write(&self, writer: &mut Writer<'_>);
}

/// A large message, which takes little memory where it is not set.
impl<M: Fields> Fields for Box<M> {
    const NAME: &'static str = M::NAME;
    const FIELDS: &'static str = M::FIELDS;
    const APART: usize = size_of::<M>();

    fn read(&mut self, field: &mut Field<'_>) -> Result<(), DecodeError> {
        M::read(self, field)
    }

    fn write(&self, writer: &mut Writer<'_>) {
        M::write(self, writer);
    }
}

/// The type of a field, or of a key or value in a map.
pub(crate) trait Value {
    /// Reads a value of the field. A list or map gets one more element, a message is merged, and
    /// others are replaced.
    fn read(&mut self, field: &mut Field<'_>) -> Result<(), DecodeError>;

    /// Writes the field unless it has its default.
    fn write(&self, number: u32, writer: &mut Writer<'_>);
}

/// Implements [`Message`] for a message with these fields, and that of prost. They have to be in
/// descending order of their numbers. Names in the proto and the types of enums are for JSON.
macro_rules! message {
    ($message:ty, $name:literal $fields:tt) => {
        $crate::codec::fields! { $message, $name $fields }
        #[cfg(feature = "prost")]
        $crate::codec::interop::prost_message! { $message }
    };
}

/// Implements [`Message`] only.
macro_rules! fields {
    ($message:ty, $name:literal {
        $($number:literal => $field:ident $($proto:literal)? $(: $enumeration:path)?),* $(,)?
    }) => {
        impl $crate::codec::Fields for $message {
            const NAME: &'static str = $name;
            const FIELDS: &'static str =
                concat!($(stringify!($number), " ", stringify!($field), "\n"),*);

            fn read(
                &mut self,
                field: &mut $crate::codec::Field<'_>,
            ) -> Result<(), $crate::codec::DecodeError> {
                match field.number() {
                    $($number => $crate::codec::Value::read(&mut self.$field, field),)*
                    _ => field.skip(),
                }
            }

            fn write(&self, writer: &mut $crate::codec::Writer<'_>) {
                let _ = &writer;
                $($crate::codec::Value::write(&self.$field, $number, writer);)*
            }
        }
    };
}

/// Implements the names of an enum, and its conversions from and to the numbers of its values. The
/// first value is the default.
macro_rules! enumeration {
    ($enumeration:ty, $name:literal {
        $first:ident $first_name:literal $(, $value:ident $value_name:literal)* $(,)?
    }) => {
        impl $enumeration {
            /// Returns the name of the value in the proto.
            pub fn as_str_name(&self) -> &'static str {
                match self {
                    Self::$first => $first_name,
                    $(Self::$value => $value_name,)*
                }
            }

            /// Returns the value with this name in the proto.
            pub fn from_str_name(name: &str) -> Option<Self> {
                match name {
                    $first_name => Some(Self::$first),
                    $($value_name => Some(Self::$value),)*
                    _ => None,
                }
            }
        }

        impl Default for $enumeration {
            fn default() -> Self {
                Self::$first
            }
        }

        impl From<$enumeration> for i32 {
            fn from(value: $enumeration) -> i32 {
                value as i32
            }
        }

        impl TryFrom<i32> for $enumeration {
            type Error = $crate::codec::UnknownEnumValue;

            fn try_from(number: i32) -> Result<Self, $crate::codec::UnknownEnumValue> {
                match number {
                    number if number == Self::$first as i32 => Ok(Self::$first),
                    $(number if number == Self::$value as i32 => Ok(Self::$value),)*
                    unknown => Err($crate::codec::UnknownEnumValue(unknown)),
                }
            }
        }
    };
}

/// Implements access to fields that hold the numbers of enum values, and `Debug`, which prints
/// these by name. A row has the name of a field, and for an enum the type and the name of its
/// setter: `level: Level = set_level`, or for a list `flags[Flag] = push_flags`.
macro_rules! enum_fields {
    ($message:ty, $name:literal {
        $($field:ident $(: $value:ty = $set:ident)? $([$item:ty] = $push:ident)?),* $(,)?
    }) => {
        impl $message {
            $($(
                #[doc = concat!("Returns the value of `", stringify!($field), "`, or the default if it is unknown.")]
                pub fn $field(&self) -> $value {
                    <$value>::try_from(self.$field).unwrap_or_default()
                }

                #[doc = concat!("Sets `", stringify!($field), "`.")]
                pub fn $set(&mut self, value: $value) {
                    self.$field = value.into();
                }
            )?)*
            $($(
                #[doc = concat!("Returns the known values of `", stringify!($field), "`.")]
                pub fn $field(&self) -> impl Iterator<Item = $item> {
                    self.$field.iter().filter_map(|number| <$item>::try_from(*number).ok())
                }

                #[doc = concat!("Adds a value to `", stringify!($field), "`.")]
                pub fn $push(&mut self, value: $item) {
                    self.$field.push(value.into());
                }
            )?)*
        }

        impl std::fmt::Debug for $message {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct($name)
                    $(.field(
                        stringify!($field),
                        $crate::codec::enum_fields!(@shown self.$field $(, $value)? $(, $item)?),
                    ))*
                    .finish()
            }
        }
    };
    (@shown $field:expr) => { &$field };
    (@shown $field:expr, $enumeration:ty) => {
        &$crate::codec::Numbers::named::<$enumeration>(&$field)
    };
}

pub(crate) use {enum_fields, enumeration, fields, message};

// An answer without content, which is a message of prost already.
fields! { (), "Empty" {} }

/// A field with the number of an enum value, or a list of these.
pub(crate) trait Numbers {
    /// Returns the values to print.
    fn named<E: TryFrom<i32> + fmt::Debug>(&self) -> impl fmt::Debug;
}

impl Numbers for i32 {
    fn named<E: TryFrom<i32> + fmt::Debug>(&self) -> impl fmt::Debug {
        Named(E::try_from(*self).map_err(|_| *self))
    }
}

impl Numbers for Vec<i32> {
    fn named<E: TryFrom<i32> + fmt::Debug>(&self) -> impl fmt::Debug {
        self.iter().map(i32::named::<E>).collect::<Vec<_>>()
    }
}

/// A value of an enum, printed by its name, or its number if it has none.
struct Named<E>(Result<E, i32>);

impl<E: fmt::Debug> fmt::Debug for Named<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Ok(value) => value.fmt(f),
            Err(number) => number.fmt(f),
        }
    }
}
