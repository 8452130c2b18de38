//! Optional values.
//!
//! On the wire, each is a message with one field, so that an omitted value differs from 0. Here it
//! is an [`Option`].

use super::read::{self, Field};
use super::write::Writer;
use super::{DecodeError, Fields, Value};

/// The number and the name of the field in such a message.
const VALUE: (u32, &str) = (1, "value");

/// A type of optional values.
pub(crate) trait Optional: Value + Default {
    /// The message that holds a value, for errors. Messages of the same type, such as `OptionalInt`
    /// and `OptionalInt64`, share one name.
    const MESSAGE: &'static str;
}

/// The message that holds an optional value on the wire.
#[derive(Default)]
pub(crate) struct Holder<T>(pub(crate) T);

#[cfg(feature = "serde")]
impl<T: Optional> Holder<T> {
    /// The number and the name of its field.
    pub(crate) const FIELD: (u32, &str) = VALUE;
}

impl<T: Optional> Fields for Holder<T> {
    const NAME: &'static str = T::MESSAGE;
    const FIELDS: &'static str = "1 value\n";

    fn read(&mut self, field: &mut Field<'_>) -> Result<(), DecodeError> {
        if field.number() == VALUE.0 { self.0.read(field) } else { field.skip() }
    }

    fn write(&self, writer: &mut Writer<'_>) {
        self.0.write(VALUE.0, writer);
    }
}

macro_rules! optional {
    ($($value:ty: $message:literal,)*) => {$(
        impl Optional for $value {
            const MESSAGE: &'static str = $message;
        }

        impl Value for Option<$value> {
            fn read(&mut self, field: &mut Field<'_>) -> Result<(), DecodeError> {
                let mut holder = Holder(self.take().unwrap_or_default());
                let result = read::message(&mut holder, field);
                *self = Some(holder.0);
                result
            }

            fn write(&self, number: u32, writer: &mut Writer<'_>) {
                if let Some(value) = self {
                    writer.nested(number, |writer| value.write(VALUE.0, writer));
                }
            }
        }
    )*};
}

optional! {
    bool: "OptionalBool",
    i32: "OptionalInt32",
    i64: "OptionalInt64",
    u32: "OptionalUInt32",
    u64: "OptionalUInt64",
    String: "OptionalString",
    Vec<String>: "OptionalRepeatedString",
}
