//! Optional values, which are objects with the one key `value`, as the messages that hold them on
//! the wire.

use serde_core::de::{Deserializer, MapAccess};
use serde_core::ser::{SerializeMap, Serializer};

use super::value::{Json, read_field, read_message, write_field};
use super::{JsonMessage, Plain};
use crate::codec::optional::{Holder, Optional};

impl<T: Optional + PartialEq> JsonMessage for Holder<T>
where
    Plain: Json<T>,
{
    const NAME: &'static str = T::MESSAGE;
    const FIELDS: &'static [(u32, &'static str)] = &[Self::FIELD];

    fn write_field<S: SerializeMap>(
        &self,
        _number: u32,
        name: &str,
        map: &mut S,
    ) -> Result<(), S::Error> {
        write_field::<Plain, T, S>(&self.0, name, map)
    }

    fn read_field<'de, const STRICT: bool, A: MapAccess<'de>>(
        &mut self,
        _number: u32,
        map: &mut A,
    ) -> Result<(), A::Error> {
        read_field::<STRICT, Plain, T, A>(&mut self.0, map)
    }
}

macro_rules! optional {
    ($($value:ty),*) => {$(
        impl Json<Option<$value>> for Plain {
            fn write<S: Serializer>(
                value: &Option<$value>,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                let Some(value) = value else {
                    return serializer.serialize_none();
                };
                let mut map = serializer.serialize_map(None)?;
                write_field::<Plain, $value, _>(value, Holder::<$value>::FIELD.1, &mut map)?;
                map.end()
            }

            fn read<'de, const STRICT: bool, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Option<Option<$value>>, D::Error> {
                let holder = read_message::<STRICT, Holder<$value>, D>(deserializer)?;
                Ok(Some(Some(holder.0)))
            }
        }
    )*};
}

optional!(bool, i32, i64, u32, u64, String, Vec<String>);
