//! Times in microseconds, as recordings have them.

/// A duration.
pub(super) mod duration {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(in crate::record) fn serialize<S: Serializer>(
        duration: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX))
    }

    pub(in crate::record) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_micros)
    }
}

/// A duration that may be absent.
pub(super) mod optional {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(in crate::record) fn serialize<S: Serializer>(
        duration: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => super::duration::serialize(duration, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(in crate::record) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        let micros = Option::<u64>::deserialize(deserializer)?;
        Ok(micros.map(Duration::from_micros))
    }
}

/// A moment, as the time since 1970.
pub(super) mod since_1970 {
    use std::time::SystemTime;

    use serde::de::Error as _;
    use serde::{Deserializer, Serializer};

    pub(in crate::record) fn serialize<S: Serializer>(
        moment: &SystemTime,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let since = moment.duration_since(SystemTime::UNIX_EPOCH);
        super::duration::serialize(&since.unwrap_or_default(), serializer)
    }

    pub(in crate::record) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<SystemTime, D::Error> {
        let since = super::duration::deserialize(deserializer)?;
        let moment = SystemTime::UNIX_EPOCH.checked_add(since);
        moment.ok_or_else(|| D::Error::custom("`started` is too large"))
    }
}
