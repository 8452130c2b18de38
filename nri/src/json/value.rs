//! Reads and writes messages, and what their fields hold.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::marker::PhantomData;

use serde_core::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_core::ser::{Serialize, SerializeMap, Serializer};

use super::{JsonMessage, Plain, camel_case};

/// The JSON of values of a type, as an item of a list or the value of a field. Implemented by the
/// kinds of fields: [`Plain`] and [`Named`](super::Named).
pub(crate) trait Json<T> {
    fn write<S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error>;

    /// Reads a value. Returns `None` for the name of an unknown enum value, which is an error if
    /// `STRICT`.
    fn read<'de, const STRICT: bool, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error>;
}

/// A value to write, with its kind.
struct Written<'v, K, T>(&'v T, PhantomData<K>);

impl<K: Json<T>, T> Serialize for Written<'_, K, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        K::write(self.0, serializer)
    }
}

/// A value that was read, with its kind.
struct Parsed<K, T, const STRICT: bool>(Option<T>, PhantomData<K>);

impl<'de, K: Json<T>, T, const STRICT: bool> Deserialize<'de> for Parsed<K, T, STRICT> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = K::read::<STRICT, D>(deserializer)?;
        Ok(Parsed(value, PhantomData))
    }
}

/// Writes a message.
pub(crate) fn write_message<M: JsonMessage, S: Serializer>(
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
pub(crate) fn write_field<K: Json<T>, T: Default + PartialEq, S: SerializeMap>(
    value: &T,
    name: &str,
    map: &mut S,
) -> Result<(), S::Error> {
    if *value == T::default() {
        return Ok(());
    }
    let key: String = camel_case(name).collect();
    map.serialize_entry(&key, &Written::<K, T>(value, PhantomData))
}

/// Reads a message. Unknown fields and names of enum values are errors if `STRICT`.
pub(crate) fn read_message<'de, const STRICT: bool, M: JsonMessage, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<M, D::Error> {
    deserializer.deserialize_map(MessageVisitor::<M, STRICT>(PhantomData))
}

/// Reads the value of a field. `null` leaves its default.
pub(crate) fn read_field<'de, const STRICT: bool, K: Json<T>, T, A: MapAccess<'de>>(
    value: &mut T,
    map: &mut A,
) -> Result<(), A::Error> {
    if let Some(Parsed(Some(read), _)) = map.next_value::<Option<Parsed<K, T, STRICT>>>()? {
        *value = read;
    }
    Ok(())
}

struct MessageVisitor<M, const STRICT: bool>(PhantomData<M>);

impl<'de, M: JsonMessage, const STRICT: bool> Visitor<'de> for MessageVisitor<M, STRICT> {
    type Value = M;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with the fields of {}", M::NAME)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<M, A::Error> {
        let mut message = M::default();
        let mut seen = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let mut fields = M::FIELDS.iter();
            let is_named = |field: &&str| **field == name || camel_case(field).eq(name.chars());
            match fields.find(|(_, field)| is_named(field)) {
                Some((number, _)) if seen.contains(number) => {
                    let problem = format!("field `{name}` of {} is given twice", M::NAME);
                    return Err(A::Error::custom(problem));
                }
                Some((number, _)) => {
                    seen.push(*number);
                    message.read_field::<STRICT, A>(*number, &mut map)?;
                }
                None if STRICT => {
                    let shown: String = name.chars().take(64).collect();
                    let problem = format!("unknown field `{shown}` of {}", M::NAME);
                    return Err(A::Error::custom(problem));
                }
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(message)
    }
}

impl<M: JsonMessage> Json<M> for Plain {
    fn write<S: Serializer>(value: &M, serializer: S) -> Result<S::Ok, S::Error> {
        write_message(value, serializer)
    }

    fn read<'de, const STRICT: bool, D: Deserializer<'de>>(d: D) -> Result<Option<M>, D::Error> {
        read_message::<STRICT, M, D>(d).map(Some)
    }
}

impl<M: JsonMessage> Json<Option<M>> for Plain {
    fn write<S: Serializer>(value: &Option<M>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(message) => write_message(message, serializer),
            None => serializer.serialize_none(),
        }
    }

    fn read<'de, const STRICT: bool, D: Deserializer<'de>>(
        d: D,
    ) -> Result<Option<Option<M>>, D::Error> {
        read_message::<STRICT, M, D>(d).map(|message| Some(Some(message)))
    }
}

impl<K: Json<T>, T> Json<Vec<T>> for K {
    fn write<S: Serializer>(value: &Vec<T>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(value.iter().map(|item| Written::<K, T>(item, PhantomData)))
    }

    fn read<'de, const STRICT: bool, D: Deserializer<'de>>(
        d: D,
    ) -> Result<Option<Vec<T>>, D::Error> {
        let items = Vec::<Parsed<K, T, STRICT>>::deserialize(d)?;
        Ok(Some(items.into_iter().filter_map(|item| item.0).collect()))
    }
}

impl<K: Json<V>, N: Display + Ord, V> Json<BTreeMap<N, V>> for K
where
    Plain: Json<N>,
{
    fn write<S: Serializer>(value: &BTreeMap<N, V>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            value.iter().map(|(key, item)| (key.to_string(), Written::<K, V>(item, PhantomData))),
        )
    }

    fn read<'de, const STRICT: bool, D: Deserializer<'de>>(
        d: D,
    ) -> Result<Option<BTreeMap<N, V>>, D::Error> {
        let visitor = MapVisitor::<K, N, V, STRICT>(PhantomData);
        d.deserialize_map(visitor).map(Some)
    }
}

/// Reads a map. Unlike that of serde, it refuses a key that is there twice.
struct MapVisitor<K, N, V, const STRICT: bool>(PhantomData<(K, N, V)>);

impl<'de, K: Json<V>, N: Ord, V, const STRICT: bool> Visitor<'de> for MapVisitor<K, N, V, STRICT>
where
    Plain: Json<N>,
{
    type Value = BTreeMap<N, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<BTreeMap<N, V>, A::Error> {
        let mut entries = BTreeMap::new();
        while let Some(Parsed(key, _)) = map.next_key::<Parsed<Plain, N, STRICT>>()? {
            let Parsed(value, _) = map.next_value::<Parsed<K, V, STRICT>>()?;
            if let Some(key) = key
                && entries.insert(key, value).is_some()
            {
                return Err(A::Error::custom("an object has a key twice"));
            }
        }
        Ok(entries.into_iter().filter_map(|(key, value)| Some((key, value?))).collect())
    }
}
