//! Reads messages.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde_core::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::{JsonMessage, Place, Plain, Unknown, camel_case};

/// The values of a type in JSON, as an item of a list or the value of a field.
pub(crate) trait Read<T> {
    /// Reads a value. Returns `None` for the name of an unknown enum value, if that may be ignored.
    fn read<'de, D: Deserializer<'de>>(
        deserializer: D,
        place: Place,
    ) -> Result<Option<T>, D::Error>;
}

/// Reads a message.
pub(crate) fn message<'de, M: JsonMessage, D: Deserializer<'de>>(
    deserializer: D,
    unknown: Unknown,
) -> Result<M, D::Error> {
    deserializer.deserialize_map(MessageVisitor(unknown, PhantomData))
}

struct MessageVisitor<M>(Unknown, PhantomData<M>);

impl<'de, M: JsonMessage> Visitor<'de> for MessageVisitor<M> {
    type Value = M;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with the fields of {}", M::NAME)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<M, A::Error> {
        let mut message = M::default();
        let mut seen = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let mut fields = M::FIELDS.iter();
            let found =
                fields.find(|(_, field)| *field == name || camel_case(field).eq(name.chars()));
            let Some((number, field)) = found else {
                if self.0 == Unknown::Refuse {
                    let shown: String = name.chars().take(64).collect();
                    let message = format!("unknown field `{shown}` of {}", M::NAME);
                    return Err(A::Error::custom(message));
                }
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let place = Place {
                field,
                unknown: self.0,
            };
            if seen.contains(number) {
                let message = format!("field `{place}` of {} is given twice", M::NAME);
                return Err(A::Error::custom(message));
            }
            seen.push(*number);
            message.read_field(*number, place, &mut map)?;
        }
        Ok(message)
    }
}

/// Shows the name that the field has in JSON.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        camel_case(self.field).try_for_each(|letter| fmt::Write::write_char(f, letter))
    }
}

/// Reads the value of a field. `null` leaves its default.
pub(crate) fn field<'de, K: Read<T>, T, A: MapAccess<'de>>(
    value: &mut T,
    place: Place,
    map: &mut A,
) -> Result<(), A::Error> {
    if let Some(read) = map.next_value_seed(Optional(Value::<K, T>::at(place)))? {
        *value = read;
    }
    Ok(())
}

/// Reads a value of this kind, [`Plain`] or [`Named`](super::Named).
struct Value<K, T>(Place, PhantomData<(K, T)>);

impl<K, T> Value<K, T> {
    fn at(place: Place) -> Self {
        Value(place, PhantomData)
    }
}

impl<'de, K: Read<T>, T> DeserializeSeed<'de> for Value<K, T> {
    type Value = Option<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
        K::read(deserializer, self.0)
    }
}

/// Reads a value or `null`.
struct Optional<K, T>(Value<K, T>);

impl<'de, K: Read<T>, T> DeserializeSeed<'de> for Optional<K, T> {
    type Value = Option<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de, K: Read<T>, T> Visitor<'de> for Optional<K, T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value of field `{}`", self.0.0)
    }

    fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_none<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
        self.0.deserialize(deserializer)
    }
}

impl<M: JsonMessage> Read<M> for Plain {
    fn read<'de, D: Deserializer<'de>>(d: D, place: Place) -> Result<Option<M>, D::Error> {
        message(d, place.unknown).map(Some)
    }
}

impl<K: Read<T>, T> Read<Option<T>> for K {
    fn read<'de, D: Deserializer<'de>>(d: D, place: Place) -> Result<Option<Option<T>>, D::Error> {
        K::read(d, place).map(Some)
    }
}

impl<K: Read<T>, T> Read<Vec<T>> for K {
    fn read<'de, D: Deserializer<'de>>(d: D, place: Place) -> Result<Option<Vec<T>>, D::Error> {
        d.deserialize_seq(Value::<K, Vec<T>>::at(place)).map(Some)
    }
}

impl<'de, K: Read<T>, T> Visitor<'de> for Value<K, Vec<T>> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list for field `{}`", self.0)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(Value::<K, T>::at(self.0))? {
            items.extend(item);
        }
        Ok(items)
    }
}

impl<K: Read<V>, N: Ord, V> Read<BTreeMap<N, V>> for K
where
    Plain: Read<N>,
{
    fn read<'de, D: Deserializer<'de>>(
        d: D,
        place: Place,
    ) -> Result<Option<BTreeMap<N, V>>, D::Error> {
        let visitor = Value::<K, BTreeMap<N, V>>::at(place);
        d.deserialize_map(visitor).map(Some)
    }
}

impl<'de, K: Read<V>, N: Ord, V> Visitor<'de> for Value<K, BTreeMap<N, V>>
where
    Plain: Read<N>,
{
    type Value = BTreeMap<N, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object for field `{}`", self.0)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<BTreeMap<N, V>, A::Error> {
        let place = self.0;
        let mut entries = BTreeMap::new();
        while let Some(key) = map.next_key_seed(Value::<Plain, N>::at(place))? {
            let value = map.next_value_seed(Value::<K, V>::at(place))?;
            if let Some(key) = key
                && entries.insert(key, value).is_some()
            {
                return Err(A::Error::custom(format_args!(
                    "field `{place}` has a key twice"
                )));
            }
        }
        let known = entries.into_iter();
        Ok(known
            .filter_map(|(key, value)| Some((key, value?)))
            .collect())
    }
}
