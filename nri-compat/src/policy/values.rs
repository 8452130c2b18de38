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

/// A non-empty text without surrounding white space.
pub(super) struct Text(pub(super) String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.trim() {
            "" => Err(D::Error::custom("an empty string")),
            text => Ok(Self(text.to_owned())),
        }
    }
}

/// The id of a rule, or of a statement of the contract.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RuleId(pub(super) String);

impl<'de> Deserialize<'de> for RuleId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Text(id) = Text::deserialize(deserializer)?;
        if rules::get(&id).is_some() || statements::contains(&id) {
            return Ok(Self(id));
        }
        let known = rules::ids().chain(statements::ids());
        let near = near::names(&id, known).join(", ");
        let hint = match near.as_str() {
            "" => "`nri-compat explain` lists all".to_owned(),
            near => format!("did you mean {near}?"),
        };
        Err(D::Error::custom(format!("unknown rule `{id}`; {hint}")))
    }
}

/// Reads a required text.
pub(super) fn required_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<String, D::Error> {
    Text::deserialize(deserializer).map(|Text(text)| text)
}

/// Reads an optional text.
pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Text::deserialize(deserializer).map(|Text(text)| Some(text))
}

/// Reads the optional id of a rule.
pub(super) fn rule<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    RuleId::deserialize(deserializer).map(|RuleId(id)| Some(id))
}

/// Reads an optional pattern.
pub(super) fn glob<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<GlobMatcher>, D::Error> {
    let Text(pattern) = Text::deserialize(deserializer)?;
    let glob = Glob::new(&pattern).map_err(D::Error::custom)?;
    Ok(Some(glob.compile_matcher()))
}

/// Reads an optional date.
pub(super) fn date<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Date>, D::Error> {
    let date = toml::value::Date::deserialize(deserializer)
        .map_err(|_| D::Error::custom("not a date; a date has no quotes: expires = 2027-03-31"))?;
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
