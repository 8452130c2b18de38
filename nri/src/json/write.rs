//! Writes messages.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::marker::PhantomData;

use serde_core::ser::{SerializeMap, SerializeSeq};
use serde_core::{Serialize, Serializer};

use super::{JsonMessage, camel_case};

/// The JSON of values of a type, as an item of a list or the value of a field.
pub(crate) trait Write<T> {
    /// Returns true for a value that is omitted.
    fn is_default(value: &T) -> bool;

    fn write<S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error>;
}

/// A value together with its kind, [`Plain`](super::Plain) or [`Named`](super::Named).
struct Value<'v, K, T>(&'v T, PhantomData<K>);

impl<K: Write<T>, T> Serialize for Value<'_, K, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        K::write(self.0, serializer)
    }
}

/// Writes a message.
pub(crate) fn message<M: JsonMessage, S: Serializer>(
    message: &M,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for (number, name) in M::FIELDS.iter().rev() {
        message.write_field(*number, name, &mut map)?;
    }
    map.end()
}

/// Writes a field, unless it has its default.
pub(crate) fn field<K: Write<T>, T, S: SerializeMap>(
    value: &T,
    name: &str,
    map: &mut S,
) -> Result<(), S::Error> {
    if K::is_default(value) {
        return Ok(());
    }
    let name: String = camel_case(name).collect();
    map.serialize_entry(&name, &Value::<K, T>(value, PhantomData))
}

impl<M: JsonMessage> Write<M> for super::Plain {
    fn is_default(_: &M) -> bool {
        false
    }

    fn write<S: Serializer>(value: &M, serializer: S) -> Result<S::Ok, S::Error> {
        message(value, serializer)
    }
}

impl<K: Write<T>, T> Write<Option<T>> for K {
    fn is_default(value: &Option<T>) -> bool {
        value.is_none()
    }

    fn write<S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => K::write(value, serializer),
            None => serializer.serialize_none(),
        }
    }
}

impl<K: Write<T>, T> Write<Vec<T>> for K {
    fn is_default(value: &Vec<T>) -> bool {
        value.is_empty()
    }

    fn write<S: Serializer>(value: &Vec<T>, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(value.len()))?;
        for item in value {
            list.serialize_element(&Value::<K, T>(item, PhantomData))?;
        }
        list.end()
    }
}

impl<K: Write<V>, N: Display, V> Write<BTreeMap<N, V>> for K {
    fn is_default(value: &BTreeMap<N, V>) -> bool {
        value.is_empty()
    }

    fn write<S: Serializer>(value: &BTreeMap<N, V>, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(value.len()))?;
        for (key, value) in value {
            map.serialize_entry(&key.to_string(), &Value::<K, V>(value, PhantomData))?;
        }
        map.end()
    }
}
