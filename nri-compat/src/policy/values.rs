//! The values in `nri-compat.toml`. `toml` adds the position in the file to their errors.

use std::fmt;
use std::marker::PhantomData;

use globset::{Glob, GlobMatcher};
use jiff::civil::Date;
use nri_schema::near;
use serde::de::value::{SeqAccessDeserializer, StrDeserializer};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::rules;
use crate::statements;

/// The id of a rule, or of a statement of the contract.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct RuleId(pub(super) String);

impl TryFrom<String> for RuleId {
    type Error = String;

    fn try_from(id: String) -> Result<Self, String> {
        if rules::get(&id).is_some() || statements::contains(&id) {
            return Ok(Self(id));
        }
        let known = rules::ids().chain(statements::ids());
        let near = near::names(&id, known).join(", ");
        Err(match near.as_str() {
            "" => format!("unknown rule `{id}`; `nri-compat explain` lists all"),
            near => format!("unknown rule `{id}`; did you mean {near}?"),
        })
    }
}

/// A pattern of names, such as `10-*`.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Pattern(pub(super) GlobMatcher);

impl TryFrom<String> for Pattern {
    type Error = globset::Error;

    fn try_from(pattern: String) -> Result<Self, globset::Error> {
        Ok(Self(Glob::new(&pattern)?.compile_matcher()))
    }
}

/// Reads an optional date.
pub(super) fn date<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Date>, D::Error> {
    let date = toml::value::Date::deserialize(deserializer)?;
    date.to_string().parse().map(Some).map_err(D::Error::custom)
}

/// Reads a list, or one value without a list.
pub(super) fn one_or_many<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_any(OneOrMany(PhantomData))
}

struct OneOrMany<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMany<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of strings")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        T::deserialize(StrDeserializer::new(text)).map(|value| vec![value])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list))
    }
}
